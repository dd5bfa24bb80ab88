/** The HTML of a body → Markdown, with unified, and whether that says the same. */
import { defaultHandlers, type Handle } from 'hast-util-to-mdast'
import rehypeRaw from 'rehype-raw'
import rehypeRemark from 'rehype-remark'
import remarkGfm from 'remark-gfm'
import remarkStringify from 'remark-stringify'
import { unified } from 'unified'
import { type TreeNode, walk } from '../convert/tree.ts'

const BLOCKS =
  'p|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|blockquote|div|figure|figcaption|section|dl|dt|dd|hr|br'
const BESIDE_BLOCKS = new RegExp(`\\s*(</?(?:${BLOCKS})\\b[^>]*>)\\s*`, 'g')

const processor = unified()
  .use(rehypeRaw)
  .use(rehypeRemark, { newlines: true, handlers: { li: listItem, pre: codeBlock } })
  .use(remarkGfm)
  .use(remarkStringify, { bullet: '-', rule: '-', emphasis: '_', fences: true })
  .freeze()

export function markdownOf(html: string): string {
  const raw = { type: 'root' as const, children: [{ type: 'raw' as const, value: html }] }
  const tree = processor.runSync(raw as never)
  return processor.stringify(tree as never)
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

/** With paragraphs only where the HTML has them. */
function listItem(...[state, node]: Parameters<Handle>) {
  const item = defaultHandlers.li(state, node)
  const hasParagraph = node.children.some((child) => child.type === 'element' && child.tagName === 'p')
  return { ...item, spread: hasParagraph }
}

/** With all its empty lines; the last line's end is the fence's. */
function codeBlock(...[state, node]: Parameters<Handle>) {
  const code = defaultHandlers.pre(state, node)
  if (!('value' in code)) return code
  let text = ''
  walk(node as TreeNode, ({ type, value }) => {
    if (type === 'text') text += value
  })
  return { ...code, value: text.replace(/\n$/, '') }
}
