/** What Kramdown, Obsidian and Pandoc write that is no Markdown: ids and classes in braces, links in double brackets, subscripts. */
import { notesOf } from './notes.ts'
import { replaceNodes, type TreeNode, walk } from './tree.ts'

const HEADING_ID = /\s*\{#([\w:.-]+)((?:\s+[^{}\s]+)*)\s*\}\s*$/
/** An attribute list, alone, at the start of a line, or right behind an element (https://kramdown.gettalong.org/syntax.html#attribute-list-definitions). */
const ATTRIBUTE_LIST = /(^|\n)\{:[^{}\n]*\}[ \t]*(?=\n|$)/g
const LIST_BEHIND = /^\{:[^{}\n]*\}/
/** A link, or a comment. */
const OBSIDIAN =
  /(?<embed>!?)\[\[(?<page>[^[\]|#\n]*)(?<part>#[^[\]|\n]*)?(?:\|(?<text>[^[\]\n]*))?\]\]|(?<!\S)%%(?=\S|\n)[^%]*%%(?!\S)/g
const IMAGE = /\.(?:avif|bmp|gif|jpe?g|png|svg|webp)$/i

type Notebook = Parameters<typeof notesOf>[0]

/** A remark plugin. */
export function dialects() {
  return (tree: TreeNode, file: Notebook): void => {
    const lose = (reason: string, detail: string) => {
      const notes = notesOf(file)
      notes.losses ??= new Map()
      notes.losses.set(`${reason} ${detail}`, { reason, detail })
    }
    // What a paragraph is emptied of is known before its parent is asked.
    for (const parent of [tree, ...nodesOf(tree)].reverse()) {
      readAttributeLists(parent, lose)
      readSubscripts(parent)
    }
    replaceNodes(tree, (node) => (node.type === 'text' ? withoutObsidian(node, file, lose) : [node]))
  }
}

type Lose = (reason: string, detail: string) => void

function nodesOf(tree: TreeNode): TreeNode[] {
  const nodes: TreeNode[] = []
  walk(tree, (node) => nodes.push(node))
  return nodes
}

function readAttributeLists(parent: TreeNode, lose: Lose): void {
  const { children = [] } = parent
  const last = children.at(-1)
  if (parent.type === 'heading' && last?.type === 'text') {
    const match = HEADING_ID.exec(last.value ?? '')
    if (match) {
      last.value = last.value?.slice(0, match.index) ?? ''
      identify(parent, match[1])
      if (match[2]) lose('left out', match[0].trim())
    }
  }
  for (const [i, node] of children.entries()) {
    if (node.type !== 'text' || !node.value?.includes('{:')) continue
    const before = children[i - 1]
    if (before && before.type !== 'text') node.value = node.value.replace(LIST_BEHIND, leftOut(before))
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

/** `H~2~O`, which GFM would strike out. */
function readSubscripts({ children = [] }: TreeNode): void {
  for (const [i, node] of children.entries()) {
    const [text, more] = node.children ?? []
    if (node.type !== 'delete' || more || !/^[\p{L}\p{N}+-]{1,8}$/u.test(text?.value ?? '')) continue
    const length = (node.position?.end.offset ?? 0) - (node.position?.start.offset ?? 0)
    const isSingle = length === (text?.value?.length ?? 0) + 2
    if (isSingle && /[\p{L}\p{N})\]]$/u.test(children[i - 1]?.value ?? '')) node.data = { hName: 'sub' }
  }
}

function withoutObsidian(node: TreeNode, file: Notebook, lose: Lose): TreeNode[] {
  const { value = '' } = node
  const parts: TreeNode[] = []
  let at = 0
  for (const match of value.matchAll(OBSIDIAN)) {
    const made = match.groups?.page === undefined ? [] : linkOf(match.groups, file, lose)
    if (!made) {
      lose('kept as text', match[0])
      continue
    }
    if (made.length === 0) lose('a comment is left out', match[0].replace(/\s+/g, ' '))
    if (match.index > at) parts.push({ type: 'text', value: value.slice(at, match.index) })
    parts.push(...made)
    at = match.index + match[0].length
  }
  if (at === 0) return [node]
  return at < value.length ? [...parts, { type: 'text', value: value.slice(at) }] : parts
}

/** Null if it leads to no file of the folder, as in `[[Prototype]]`. */
function linkOf(
  { embed, page = '', part = '', text }: Record<string, string | undefined>,
  file: Notebook,
  lose: Lose,
): TreeNode[] | null {
  const url = encodeURI(page.trim()).replaceAll('?', '%3F') + fragmentOf(part)
  if (embed && IMAGE.test(page)) {
    const [, width] = /^(\d+)(?:x\d+)?$/.exec(text ?? '') ?? []
    const hProperties = width ? { width } : {}
    return [{ type: 'image', url, alt: width ? '' : (text ?? ''), data: { hProperties } }]
  }
  if (page.trim() !== '' && !notesOf(file).isPage?.(page.trim())) return null
  if (embed) lose('an embed is a link to what it shows', `![[${page}${part}]]`)
  const shown = text || [page, part.replace(/^#\^?/, '')].filter(Boolean).join(' > ')
  return [{ type: 'link', url, children: [{ type: 'text', value: shown }] }]
}

/** Of a heading as it is written; a block of Obsidian's has no id. */
function fragmentOf(part: string): string {
  const heading = part.split('#').at(-1) ?? ''
  if (heading === '' || heading.startsWith('^')) return ''
  const id = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}_ -]/gu, '')
  return `#${encodeURI(id.replaceAll(' ', '-'))}`
}
