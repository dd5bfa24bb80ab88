/** Syntax of Kramdown, Pandoc and Obsidian that Markdown lacks: ids and classes in braces, subscripts, and more. */
import { notesOf } from './notes.ts'
import { readObsidian } from './obsidian.ts'
import { replaceNodes, type TreeNode, walk } from './tree.ts'

const HEADING_ID = /\s*\{#([\w:.-]+)((?:\s+[^{}\s]+)*)\s*\}\s*$/
/** https://kramdown.gettalong.org/syntax.html#attribute-list-definitions: alone, or right after an element. */
const ATTRIBUTE_LIST = /(^|\n)\{:[^{}\n]*\}[ \t]*(?=\n|$)/g
/** Kramdown ignores an attribute list after a word. */
const LIST_BEHIND_WORD = /(?<=[\p{L}\p{N}])\{:[^{}\n]*\}/gu
const LIST_BEHIND = /^\{:[^{}\n]*\}/
/** Marks a list that Kramdown replaces by a table of contents. */
const TOC = /(?:^|\s)\{:[ \t]*toc\b[^{}]*\}\s*$/

type VFileData = Parameters<typeof notesOf>[0]

export function dialects() {
  return (tree: TreeNode, file: VFileData & { value?: unknown }): void => {
    const lose = (reason: string, detail: string) => {
      const notes = notesOf(file)
      notes.losses ??= new Map()
      notes.losses.set(`${reason} ${detail}`, { reason, detail })
    }
    if (mayHaveToc(file)) dropTocs(tree, lose)
    // Children first: an emptied paragraph matters to its parent.
    for (const parent of [tree, ...nodesOf(tree)].reverse()) {
      readAttributeLists(parent, lose, notesOf(file).generator === 'jekyll')
      readSubscripts(parent)
    }
    readObsidian(tree, file, lose)
  }
}

export function headingIds() {
  return (tree: TreeNode): void => {
    walk(tree, (node) => readHeadingId(node))
  }
}

/** A cheap check that spares most texts the search. */
function mayHaveToc({ value }: { value?: unknown }): boolean {
  return /\{:[ \t]*toc/.test(String(value))
}

function dropTocs(tree: TreeNode, lose: Lose): void {
  replaceNodes(tree, (node) => {
    if (node.type !== 'list' || !endsInToc(node)) return [node]
    lose('left out', '{:toc}')
    return []
  })
}

function endsInToc(node: TreeNode): boolean {
  let last: TreeNode | undefined = node
  while (last?.children) last = last.children.at(-1)
  return last?.type === 'text' && TOC.test(last.value ?? '')
}

type Lose = (reason: string, detail: string) => void

function nodesOf(tree: TreeNode): TreeNode[] {
  const nodes: TreeNode[] = []
  walk(tree, (node) => nodes.push(node))
  return nodes
}

function readHeadingId(node: TreeNode, lose?: Lose): void {
  const last = node.children?.at(-1)
  if (node.type !== 'heading' || last?.type !== 'text') return
  const match = HEADING_ID.exec(last.value ?? '')
  if (!match) return
  last.value = last.value?.slice(0, match.index) ?? ''
  identify(node, match[1])
  if (match[2]) lose?.('left out', match[0].trim())
}

function readAttributeLists(parent: TreeNode, lose: Lose, isJekyll: boolean): void {
  const { children = [] } = parent
  readHeadingId(parent, lose)
  for (const [i, node] of children.entries()) {
    if (node.type !== 'text' || !node.value?.includes('{:')) continue
    const before = children[i - 1]
    if (before && before.type !== 'text') node.value = node.value.replace(LIST_BEHIND, leftOut(before))
    if (isJekyll) node.value = node.value.replace(LIST_BEHIND_WORD, leftOut(parent))
    if (parent.type === 'paragraph') node.value = node.value.replace(ATTRIBUTE_LIST, leftOut(parent))
  }
  if (!children.some(({ type }) => type === 'paragraph')) return
  parent.children = children.filter((node, i) => {
    const [only, more] = node.children ?? []
    const isEmpty = node.type === 'paragraph' && !more && only?.type === 'text' && only.value === ''
    if (isEmpty) children[i - 1] && identify(children[i - 1], node.data?.hProperties?.id)
    return !isEmpty
  })

  function leftOut(element: TreeNode): (list: string) => string {
    return (list) => {
      const id = /#([\w:.-]+)/.exec(list)?.[1]
      identify(element, id)
      if (list.replace(`#${id}`, '').trim() !== '{: }') lose('left out', list.trim())
      return ''
    }
  }
}

function identify(node: TreeNode | undefined, id: unknown): void {
  if (node && id) node.data = { ...node.data, hProperties: { ...node.data?.hProperties, id } }
}

/** GFM would strike out the 2 of `H~2~O`. */
function readSubscripts({ children = [] }: TreeNode): void {
  for (const [i, node] of children.entries()) {
    const [text, more] = node.children ?? []
    if (node.type !== 'delete' || more || !/^[\p{L}\p{N}+-]{1,8}$/u.test(text?.value ?? '')) continue
    const length = (node.position?.end.offset ?? 0) - (node.position?.start.offset ?? 0)
    const isSingle = length === (text?.value?.length ?? 0) + 2
    if (isSingle && /[\p{L}\p{N})\]]$/u.test(children[i - 1]?.value ?? '')) node.data = { hName: 'sub' }
  }
}
