/** The tree of HTML → Markdown of GitHub's flavour. It weighs much: whoever rarely needs it imports it then. */
import { defaultHandlers, type Handle, toMdast } from 'hast-util-to-mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { toMarkdown } from 'mdast-util-to-markdown'

/** Of hast (https://github.com/syntax-tree/hast), as far as it is read. */
export type HtmlNode = {
  type: string
  tagName?: string
  properties?: Record<string, unknown>
  value?: string
  children?: HtmlNode[]
}

/** @throws RangeError when it is nested too deeply */
export function treeToMarkdown(tree: HtmlNode): string {
  const mdast = toMdast(tree as never, { newlines: true, handlers: { li: listItem, pre: codeBlock } })
  return toMarkdown(mdast as never, {
    ...{ bullet: '-', rule: '-', emphasis: '_', fences: true },
    extensions: [gfmToMarkdown()],
  })
}

/** With paragraphs only where the HTML has them. */
function listItem(...[state, node]: Parameters<Handle>) {
  const item = defaultHandlers.li(state, node)
  const hasParagraph = node.children.some((child) => child.type === 'element' && child.tagName === 'p')
  return { ...item, spread: hasParagraph }
}

/** With all its empty lines; the last line's end is the fence's. */
function codeBlock(...[state, node]: Parameters<Handle>) {
  const code = defaultHandlers.pre(state, node)
  return 'value' in code ? { ...code, value: textOf(node as HtmlNode).replace(/\n$/, '') } : code
}

function textOf(node: HtmlNode): string {
  let text = ''
  const pending = [node]
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (next.type === 'text') text += next.value ?? ''
    pending.push(...(next.children ?? []).toReversed())
  }
  return text
}
