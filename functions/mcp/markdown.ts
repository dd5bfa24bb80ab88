/** HTML → Markdown for a reader. Its own module, since it is evaluated with the first article that is read so. */
import { Parser } from 'htmlparser2'
import { type HtmlNode, treeToMarkdown } from '../../src/foundation/hast-markdown.ts'

/** What shows nothing to a reader. */
const UNREAD = new Set(['script', 'style', 'template', 'noscript'])

/** @throws RangeError when it is nested too deeply */
export const markdownOf = (html: string): string => treeToMarkdown(treeOf(html))

/**
 * Without the repairs of a browser, whose parser weighs as much as a third of the Worker: tags that are not closed are
 * closed with what they are in.
 */
function treeOf(html: string): HtmlNode {
  const root = { type: 'root', children: [] as HtmlNode[] }
  const open = [root]
  const add = (node: HtmlNode) => open.at(-1)!.children.push(node)
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
    ontext: (value) => add({ type: 'text', value }),
  })
  parser.end(html)
  return root
}

/** As hast names them. */
function propertiesOf({ class: classes, colspan, rowspan, checked, ...others }: Record<string, string>) {
  return {
    ...others,
    ...(classes !== undefined && { className: classes.split(/\s+/).filter(Boolean) }),
    ...(colspan !== undefined && { colSpan: Number(colspan) || 1 }),
    ...(rowspan !== undefined && { rowSpan: Number(rowspan) || 1 }),
    ...(checked !== undefined && { checked: true }),
    ...(others.start !== undefined && { start: Number.parseInt(others.start, 10) || 1 }),
  }
}
