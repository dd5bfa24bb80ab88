/** Converts GitHub's alerts and Obsidian's callouts (quotes with `[!NOTE]`), and Docusaurus's `:::note`. */
import { directiveFromMarkdown } from 'mdast-util-directive'
import { directive } from 'micromark-extension-directive'
import type { Processor } from 'unified'
import { notesOf } from './notes.ts'
import { codeRanges } from './shortcodes.ts'
import { type TreeNode, walk } from './tree.ts'

export const ALERT_KINDS = ['note', 'tip', 'important', 'warning', 'caution']

/** Names that generators use for these kinds. Obsidian shows an unknown kind as a note. */
const ALIASES: Record<string, string> = Object.fromEntries(
  Object.entries({
    note: 'info abstract summary tldr todo question help faq example quote cite secondary',
    tip: 'hint success check done',
    warning: 'attention',
    caution: 'danger error failure fail missing bug',
  }).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind])),
)
/** Other containers are components. */
const ADMONITIONS = new Set([...ALERT_KINDS, 'info', 'danger', 'success', 'secondary'])

const MARK = /^\[!([a-z][\w-]*)\][+-]?[ \t]*/i
const WRITTEN = /^([ \t]*:{3,})[ \t]*([a-z][\w-]*)(?:[ \t]+([^\s{[].*?))?[ \t]*$/gm

type ParserData = { micromarkExtensions?: unknown[]; fromMarkdownExtensions?: unknown[] }

/** Enables only containers of the directive syntax: with all of it, `a:b` in prose would be a directive, too. */
export function readContainers(this: Processor): void {
  const data = this.data() as ParserData
  const [container] = [directive().flow?.[58]].flat()
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), { flow: { 58: container } }]
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), directiveFromMarkdown()]
}

/** Rewrites `:::note Title` as `:::note[Title]`, which the parser knows. */
export function normalizeContainerTitles(text: string): string {
  if (!text.includes(':::')) return text
  const isCode = codeRanges(text)
  return text.replace(
    WRITTEN,
    (line, colons: string, name: string, title: string | undefined, at: number) => {
      if (isCode(at)) return line
      return `${colons}${name}${title === undefined ? '' : `[${title}]`}`
    },
  )
}

export function asidesOfAlerts() {
  return (tree: TreeNode, file: Parameters<typeof notesOf>[0]): void => {
    walk(tree, (node) => {
      if (node.type === 'containerDirective') becomeAdmonition(node, file)
      if (node.type !== 'blockquote') return
      const [paragraph, ...others] = node.children ?? []
      const [first, ...inline] = paragraph?.children ?? []
      const match = first?.type === 'text' ? MARK.exec(first.value ?? '') : null
      const isKnown = kindOf(match?.[1] ?? '') !== undefined || notesOf(file).isNote
      if (!isKnown || paragraph?.type !== 'paragraph' || !first || !match) return
      first.value = first.value?.slice(match[0].length) ?? ''
      const [title, body] = splitLine([first, ...inline])
      const rest = body.length > 0 ? [{ ...paragraph, children: body }] : []
      becomeAside(node, match[1] ?? '', title, [...rest, ...others])
    })
  }
}

export const asideKind = (name: string) => kindOf(name) ?? 'note'

function kindOf(written: string): string | undefined {
  const name = written.toLowerCase()
  return ALERT_KINDS.includes(name) ? name : ALIASES[name]
}

function becomeAdmonition(node: TreeNode, file: Parameters<typeof notesOf>[0]): void {
  const name = node.name ?? ''
  const [first, ...others] = node.children ?? []
  const label = first?.data?.directiveLabel ? first : undefined
  const body = label ? others : (node.children ?? [])
  if (ADMONITIONS.has(name)) {
    becomeAside(node, name, label?.children ?? [], body)
    return
  }
  const notes = notesOf(file)
  notes.losses ??= new Map()
  notes.losses.set(name, { reason: 'left out, but its text is kept', detail: `:::${name}` })
  node.data = { hName: 'div' }
}

function becomeAside(node: TreeNode, written: string, title: TreeNode[], body: TreeNode[]): void {
  const name = written.toLowerCase()
  const kind = asideKind(name)
  const label = { type: 'text', value: name.charAt(0).toUpperCase() + name.slice(1) }
  const isTitled = title.some(({ type, value }) => type !== 'text' || value?.trim())
  const strong = { type: 'strong', children: isTitled ? title : [label] }
  node.children = [{ type: 'paragraph', children: [strong] }, ...body]
  node.data = { hName: 'aside', hProperties: { className: [kind] } }
}

function splitLine(children: TreeNode[]): [line: TreeNode[], rest: TreeNode[]] {
  for (const [i, node] of children.entries()) {
    const before = children.slice(0, i)
    const behind = children.slice(i + 1)
    if (node.type === 'break') return [before, behind]
    const { value = '' } = node
    const end = node.type === 'text' ? value.indexOf('\n') : -1
    if (end < 0) continue
    const rest = value.slice(end + 1)
    return [
      [...before, { type: 'text', value: value.slice(0, end) }],
      rest || behind.length > 0 ? [{ type: 'text', value: rest }, ...behind] : [],
    ]
  }
  return [children, []]
}
