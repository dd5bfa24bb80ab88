/** A separate module, so that it loads only when needed. */
import { Parser } from 'htmlparser2'
import { treeToMarkdown } from '../../src/html/hast-markdown.ts'
import { UNREAD } from '../../src/html/hidden.ts'
import type { HtmlNode } from '../../src/html/markdown-budget.ts'

/** About half a second of CPU time. */
const MAX_WORK = 100_000

/** @throws RangeError when the HTML is too large or nested too deeply */
export const markdownOf = (html: string): string => treeToMarkdown(treeOf(html), MAX_WORK)

/** A spec-compliant HTML parser would take a third of the Worker's size. Here, a parent's end tag closes its children. */
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
    // The parser splits text at each entity.
    ontext(value) {
      const last = open.at(-1)!.children.at(-1)
      if (last?.type === 'text') last.value += value
      else add({ type: 'text', value })
    },
  })
  parser.end(html)
  return root
}

/** hast uses these names. */
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
