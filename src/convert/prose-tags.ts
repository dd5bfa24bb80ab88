/** Escapes tags meant as text, as in `Array.<Object>`: unclosed, one could hide the rest of the document. */

import { eachTag, type Tag } from '../html/tags.ts'
import { hides, isAllowed, isTag } from './elements.ts'
import { notesOf } from './notes.ts'
import { type TreeNode, walk } from './tree.ts'

/** Elements whose content has no tags (https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inbody). */
const RAW_TEXT =
  /<(iframe|noembed|noframes|plaintext|script|style|textarea|title|xmp)(?=[\s/>])([^<>]*\/(?=>))?/gi
const COMMENT = /<!--(?:-?>|[\s\S]*?(?:--!?>|$))/g
const FLOW_PARENTS = new Set(['root', 'blockquote', 'listItem', 'footnoteDefinition'])
const FOREIGN = new Set(['math', 'svg'])
const WITHOUT_CLOSE = new Set(
  `area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr
  colgroup dd dt li menuitem optgroup option p rb rp rt rtc tbody td tfoot th thead tr`.split(/\s+/),
)

type Edit = { at: number; insert: string; drop: number }

type ProseTag = Pick<Tag, 'kind' | 'start' | 'end'> & {
  node: TreeNode
  order: number
  group: number
  name: string
  written: string
  isInline: boolean
  isBare: boolean
}

export function textOfProseTags() {
  return (tree: TreeNode, file: Parameters<typeof notesOf>[0]): void => {
    const tags = tagsOf(tree)
    const unclosed = unclosedOf(tags)
    const edits = new Map<TreeNode, Edit[]>()
    const edit = ({ node }: ProseTag, change: Edit) => add(edits, node, change)
    for (const tag of tags) {
      const { name, isInline, kind } = tag
      const isUnknown = isInline && !isTag(tag.written)
      const isClosed = !unclosed.has(tag) || (isAllowed(name) && WITHOUT_CLOSE.has(name))
      const isLost = !isClosed && ((isInline && tag.isBare) || hides(name))
      if (isUnknown || isLost) {
        notesOf(file).kept = (notesOf(file).kept ?? new Set()).add(tag.written)
        if (isInline) Object.assign(tag.node, { type: 'text' })
        else edit(tag, { at: tag.start, insert: '&lt;', drop: 1 })
      } else if (kind === 'void' && hides(name) && !FOREIGN.has(name) && !WITHOUT_CLOSE.has(name)) {
        // HTML ignores the slash of `<a/>`.
        edit(tag, { at: tag.end, insert: `</${name}>`, drop: 0 })
      }
    }
    for (const [node, changes] of edits) node.value = edited(node.value ?? '', changes)
  }
}

function tagsOf(tree: TreeNode): ProseTag[] {
  const order = new Map<TreeNode, number>()
  const parents: TreeNode[] = [tree]
  walk(tree, (node) => {
    if (node.type === 'html') order.set(node, order.size)
    else if (node.children) parents.push(node)
  })
  if (order.size === 0) return []
  const tags = parents.flatMap((parent, group) => {
    const nodes = (parent.children ?? []).filter(({ type }) => type === 'html')
    return nodes.length === 0 ? [] : tagsIn(nodes, { order, group, isInline: !FLOW_PARENTS.has(parent.type) })
  })
  return tags.sort((a, b) => a.order - b.order || a.start - b.start)
}

type Group = { order: Map<TreeNode, number>; group: number; isInline: boolean }

function tagsIn(nodes: TreeNode[], { order, group, isInline }: Group): ProseTag[] {
  const html = nodes
    .map(({ value = '' }) => value)
    .join('\n')
    .replace(COMMENT, (comment) => ' '.repeat(comment.length))
  const tags: ProseTag[] = []
  let at = 0
  let last = 0
  const found = ({ kind, start, end, attributes }: Omit<Tag, 'name'>) => {
    while (start > at + (nodes[last]?.value ?? '').length) at += (nodes[last++]?.value ?? '').length + 1
    const node = nodes[last]
    if (!node) return
    const written = /[^\s/>]+/.exec(html.slice(start + (kind === 'close' ? 2 : 1), end))?.[0] ?? ''
    const name = written.toLowerCase()
    const isBare = attributes.length === 0
    tags.push({
      node,
      order: order.get(node) ?? 0,
      group,
      isInline,
      name,
      written,
      kind,
      isBare,
      start: start - at,
      end: end - at,
    })
  }
  const open = unclosedRawText(html)
  const rest = [...open].sort((a, b) => a - b)
  // Hides tags whose content a tokenizer would read to the end of the text.
  const shown = html.replace(RAW_TEXT, (tag, _, __, start: number) =>
    open.has(start) ? ` ${tag.slice(1)}` : tag,
  )
  const addOpen = (before: number) => {
    for (let start = rest[0]; start !== undefined && start < before; start = rest[0]) {
      found({ kind: 'open', start, end: html.length, attributes: [] })
      rest.shift()
    }
  }
  eachTag(shown, (tag) => {
    addOpen(tag.start)
    if (tag.name) found(tag)
  })
  addOpen(Number.POSITIVE_INFINITY)
  return tags
}

function unclosedRawText(html: string): Set<number> {
  const lastClose = new Map<string, number>()
  const open = new Set<number>()
  const lower = html.toLowerCase()
  for (const { 1: written = '', 2: closing, index } of lower.matchAll(RAW_TEXT)) {
    if (closing) continue
    // Nothing closes a `plaintext`.
    const close = lastClose.get(written) ?? (written === 'plaintext' ? -1 : lower.lastIndexOf(`</${written}`))
    lastClose.set(written, close)
    if (close < index) open.add(index)
  }
  return open
}

/** An element that hides its content is closed only by a sibling tag, others by any later tag. */
function unclosedOf(tags: ProseTag[]): Set<ProseTag> {
  const open = new Map<string, ProseTag[]>()
  for (const tag of tags) {
    const key = hides(tag.name) ? `${tag.name} ${tag.group}` : tag.name
    if (tag.kind === 'close') open.get(key)?.pop()
    else if (tag.kind === 'open') add(open, key, tag)
  }
  return new Set([...open.values()].flat())
}

function edited(value: string, edits: Edit[]): string {
  let text = ''
  let from = 0
  for (const { at, insert, drop } of edits) {
    text += value.slice(from, at) + insert
    from = at + drop
  }
  return text + value.slice(from)
}

function add<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}
