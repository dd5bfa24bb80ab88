/** The readable text of an HTML fragment. */
import { Parser } from 'htmlparser2'

const UNREAD = new Set(['script', 'style', 'template', 'noscript'])
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

/** Text with entities decoded, white space folded, blocks separated by a blank, without scripts and styles. */
export function htmlToText(html: string): string {
  const parts: string[] = []
  let hidden = 0
  const parser = new Parser({
    onopentagname(name) {
      if (UNREAD.has(name)) hidden++
      if (!INLINE.has(name)) parts.push(' ')
    },
    onclosetag(name) {
      if (UNREAD.has(name)) hidden--
      if (!INLINE.has(name)) parts.push(' ')
    },
    ontext(text) {
      if (hidden === 0) parts.push(text)
    },
  })
  parser.end(html)
  return parts.join('').replace(/\s+/g, ' ').trim()
}
