/** The HTML of a body → Markdown, and whether that says the same. */
import { Parser } from 'htmlparser2'
import rehypeRaw from 'rehype-raw'
import { unified } from 'unified'
import { treeToMarkdown } from '../../html/hast-markdown.ts'
import type { HtmlNode } from '../../html/markdown-budget.ts'

const BLOCKS =
  'p|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|blockquote|div|figure|figcaption|section|dl|dt|dd|hr|br'
const BESIDE_BLOCKS = new RegExp(`\\s*(</?(?:${BLOCKS})\\b[^>]*>)\\s*`, 'g')

/** A large body may take its time; a small one that takes longer than others of its length stays HTML. */
const MAX_WORK = 100_000
const MAX_WORK_PER_CHARACTER = 2
/** Escapes and line breaks of one paragraph. Parsing it again takes time that grows with their square. */
const MAX_MARKS = 20_000
/** Browsers open these again in each later paragraph until they are closed. */
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))

const parser = unified().use(rehypeRaw).freeze()

/** @throws RangeError when it would take too long, is nested too deeply, or its tables are too large */
export function markdownOf(html: string): string {
  const maxWork = MAX_WORK + MAX_WORK_PER_CHARACTER * html.length
  limitUnclosed(html, maxWork)
  const raw = { type: 'root' as const, children: [{ type: 'raw' as const, value: html }] }
  const markdown = treeToMarkdown(parser.runSync(raw as never) as HtmlNode, maxWork)
  for (const block of markdown.split('\n\n'))
    if ((block.match(/[\\\n]/g)?.length ?? 0) > MAX_MARKS)
      throw new RangeError('A paragraph has too many escapes or lines')
  return markdown
}

function limitUnclosed(html: string, maxWork: number): void {
  let unclosed = 0
  let work = 0
  const parser = new Parser({
    onopentag(name) {
      work += unclosed
      if (work > maxWork) throw new RangeError('Too many tags are not closed')
      if (FORMATTING.has(name)) unclosed += 1
    },
    onclosetag(name, isImplied) {
      if (FORMATTING.has(name) && !isImplied) unclosed -= 1
    },
  })
  parser.end(html)
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
