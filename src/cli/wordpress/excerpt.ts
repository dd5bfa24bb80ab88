/** Which excerpts WordPress has made itself, for posts without one of their author's. */
import { htmlToText } from '../../foundation/html-text.ts'

const ELLIPSIS = /\[(?:…|\.\.\.)\]$/
const BLOCK =
  /<\/?(?:blockquote|br|d[dlt]|div|fig(?:ure|caption)|h[1-6]|li|ol|p|pre|t(?:able|body|d|h|head|r)|ul)\b[^>]*>/
const FIRST_PARAGRAPH = /<p(?: [^>]*)?>(.*?)<\/p>/s

/**
 * Whether an excerpt, as HTML, is made of a body: its first words, or of a short body all, but for pictures and for blocks that
 * WordPress leaves out of excerpts.
 */
export function isMadeOf(excerpt: string, body: string): boolean {
  const words = wordsOf(excerpt)
  if (ELLIPSIS.test(htmlToText(excerpt).text) || startsWith(wordsOf(body), words)) return true
  const outside = body.replace(/<figure(?: [^>]*)?>.*?<\/figure>/gs, '')
  const first = wordsOf(FIRST_PARAGRAPH.exec(outside)?.[1] ?? '')
  if (first.length === 0 || !startsWith(words, first)) return false
  let rest = words
  for (const part of body.split(BLOCK)) {
    const own = wordsOf(part)
    if (own.length > 0 && startsWith(rest, own)) rest = rest.slice(own.length)
  }
  return rest.length === 0
}

function startsWith(words: string[], start: string[]): boolean {
  return start.every((word, at) => words[at] === word)
}

function wordsOf(html: string): string[] {
  return htmlToText(html).text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}
