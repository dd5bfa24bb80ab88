/** The readable text of an HTML fragment. */
import { eachToken } from './html-tokens.ts'

const UNREAD = new Set(['script', 'style', 'template', 'noscript'])
const NO_PROSE = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'table', 'figure'])
const INLINE = new Set([
  'a',
  'abbr',
  'b',
  'code',
  'em',
  'i',
  'mark',
  's',
  'small',
  'span',
  'strong',
  'sub',
  'sup',
  'u',
])

/**
 * Text with entities decoded, white space folded, blocks separated by a blank, without scripts and styles; `prose` is
 * the same without headings, code blocks, tables and figures.
 *
 * It reads tokens and builds no tree, so that its time grows with the length alone, however badly tags are nested.
 */
export function htmlToText(html: string): { text: string; prose: string } {
  const text: string[] = []
  const prose: string[] = []
  let hidden = 0
  let apart = 0
  const add = (part: string) => {
    if (hidden > 0) return
    text.push(part)
    if (apart === 0) prose.push(part)
  }
  const tag = (start: number, end: number, step: number) => {
    const name = html.slice(start, end).toLowerCase()
    if (!INLINE.has(name)) add(' ')
    if (UNREAD.has(name)) hidden = Math.max(0, hidden + step)
    if (NO_PROSE.has(name)) apart = Math.max(0, apart + step)
  }
  eachToken(html, {
    ontext: (start, end) => add(html.slice(start, end)),
    ontextentity: (codepoint) => add(String.fromCodePoint(codepoint)),
    onopentagname: (start, end) => tag(start, end, 1),
    onclosetag: (start, end) => tag(start, end, -1),
  })
  return { text: folded(text), prose: folded(prose) }
}

function folded(parts: string[]): string {
  return parts.join('').replace(/\s+/g, ' ').trim()
}
