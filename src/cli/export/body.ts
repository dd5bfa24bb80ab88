/** The HTML of a body → Markdown, and whether that says the same. */
import rehypeRaw from 'rehype-raw'
import { unified } from 'unified'
import { type HtmlNode, treeToMarkdown } from '../../foundation/hast-markdown.ts'

const BLOCKS =
  'p|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|blockquote|div|figure|figcaption|section|dl|dt|dd|hr|br'
const BESIDE_BLOCKS = new RegExp(`\\s*(</?(?:${BLOCKS})\\b[^>]*>)\\s*`, 'g')

const parser = unified().use(rehypeRaw).freeze()

export function markdownOf(html: string): string {
  const raw = { type: 'root' as const, children: [{ type: 'raw' as const, value: html }] }
  return treeToMarkdown(parser.runSync(raw as never) as HtmlNode)
}

/** Whether two bodies differ in nothing but white space that browsers do not show. */
export function looksTheSame(html: string, other: string): boolean {
  return html === other || significant(html) === significant(other)
}

function significant(html: string): string {
  return html
    .split(/(<pre\b[\s\S]*?<\/pre>)/)
    .map((part, i) => (i % 2 === 1 ? part : part.replace(/\s+/g, ' ').replace(BESIDE_BLOCKS, '$1')))
    .join('')
    .trim()
}
