/** Converts the HTML of a body to Markdown, and checks that both look the same. */
import { Parser } from 'htmlparser2'
import rehypeRaw from 'rehype-raw'
import { unified } from 'unified'
import { treeToMarkdown } from '../html/hast-markdown.ts'
import type { HtmlNode } from '../html/markdown-budget.ts'

const BLOCKS =
  'p|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|blockquote|div|figure|figcaption|section|dl|dt|dd|hr|br'
const BESIDE_BLOCKS = new RegExp(`\\s*(</?(?:${BLOCKS})\\b[^<>]*>)\\s*`, 'g')

/** Limits work by length: a body that takes unusually long stays HTML. */
const MAX_WORK = 100_000
const MAX_WORK_PER_CHARACTER = 2
/** Limits escapes and line breaks in a paragraph, because parsing time grows with their square. */
const MAX_MARKS = 20_000
/** Browsers reopen these in each later paragraph until they are closed. */
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '))

const parser = unified().use(rehypeRaw).freeze()

/** @throws RangeError when it would take too long, is nested too deeply, or has too large tables */
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

/** Ignores white space that browsers do not show. */
export function looksTheSame(html: string, other: string): boolean {
  return html === other || significant(html) === significant(other)
}

function significant(html: string): string {
  return html
    .split(/(?<=<\/pre>)/)
    .map((part) => {
      const pre = part.endsWith('</pre>') ? part.search(/<pre\b/) : -1
      const flow = pre < 0 ? part : part.slice(0, pre)
      return flow.replace(/\s+/g, ' ').replace(BESIDE_BLOCKS, '$1') + part.slice(flow.length)
    })
    .join('')
    .trim()
}
