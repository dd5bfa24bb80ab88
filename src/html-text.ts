/** The readable text of an HTML fragment. */
import { Tokenizer } from 'htmlparser2'

const UNREAD = new Set(['script', 'style', 'template', 'noscript'])
const NO_PROSE = new Set([...UNREAD, 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'pre', 'table', 'figure'])
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
 * Text with entities decoded, white space folded, blocks separated by a blank, without scripts and styles; with
 * `prose`, without headings, code blocks, tables and figures too.
 *
 * It reads tokens and builds no tree, so that its time grows with the length alone, however badly tags are nested.
 */
export function htmlToText(html: string, { prose } = { prose: false }): string {
  const unread = prose ? NO_PROSE : UNREAD
  const parts: string[] = []
  let hidden = 0
  const tag = (start: number, end: number, step: number) => {
    const name = html.slice(start, end).toLowerCase()
    if (unread.has(name)) hidden = Math.max(0, hidden + step)
    if (!INLINE.has(name)) parts.push(' ')
  }
  const nothing = () => {}
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      ontext: (start, end) => void (hidden === 0 && parts.push(html.slice(start, end))),
      ontextentity: (codepoint) => void (hidden === 0 && parts.push(String.fromCodePoint(codepoint))),
      onopentagname: (start, end) => tag(start, end, 1),
      onclosetag: (start, end) => tag(start, end, -1),
      onselfclosingtag: nothing,
      onopentagend: nothing,
      onattribname: nothing,
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  )
  tokenizer.write(html)
  tokenizer.end()
  return parts.join('').replace(/\s+/g, ' ').trim()
}
