/** HTML → Markdown for a reader. Its own module, since it is evaluated with the first article that is read so. */
import { Parser } from 'htmlparser2'
import { treeToMarkdown } from '../../src/html/hast-markdown.ts'
import { UNREAD } from '../../src/html/hidden.ts'
import type { HtmlNode } from '../../src/html/markdown-budget.ts'

/** Takes at most half a second of CPU time. */
const MAX_WORK = 100_000

/** @throws RangeError when it is too large, or nested too deeply */
export const markdownOf = (html: string): string => treeToMarkdown(treeOf(html), MAX_WORK)

/**
 * Without the repairs of a browser, whose parser weighs as much as a third of the Worker: tags that are not closed are
 * closed with what they are in.
 */
function treeOf(html: string): HtmlNode {
  const root = { type: 'root', children: [] as HtmlNode[] }
  const open = [root]
  const add = (node: HtmlNode) => void open.at(-1)!.children.push(node)
  const parser = new Parser({
    onopentag(tagName, attributes) {
      const element = {
        type: 'element',
        tagName,
        properties: propertiesOf(attributes),
        children: [] as HtmlNode[],
      }
      if (!UNREAD.has(tagName)) add(element)
      open.push(element)
    },
    onclosetag: () => void open.pop(),
    // A text comes in a piece for each of its entities.
    ontext(value) {
      const last = open.at(-1)!.children.at(-1)
      if (last?.type === 'text') last.value += value
      else add({ type: 'text', value })
    },
  })
  parser.end(html)
  return root
}

/** As hast names them. */
function propertiesOf({ class: classes, colspan, rowspan, checked, ...others }: Record<string, string>) {
  return {
    ...others,
    ...(classes !== undefined && { className: classes.split(/\s+/).filter(Boolean) }),
    ...(colspan !== undefined && { colSpan: Number.parseInt(colspan, 10) || 1 }),
    ...(rowspan !== undefined && { rowSpan: Number.parseInt(rowspan, 10) || 1 }),
    ...(checked !== undefined && { checked: true }),
    ...(others.start !== undefined && { start: Number.parseInt(others.start, 10) || 1 }),
  }
}
