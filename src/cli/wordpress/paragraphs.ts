/** Paragraphs of the classic editor, as WordPress makes them. */
import { autop } from '@wordpress/autop'

/** The time of `autop` grows with the square of their number, and of the length of a run of white space. */
const RAW_ELEMENT = /<(?:pre|script|style)\b/gi
const MAX_RAW_ELEMENTS = 5_000
const LONG_SPACE = /\s{1000,}/g

export function withParagraphs(html: string): string {
  const rawElements = html.match(RAW_ELEMENT)?.length ?? 0
  if (rawElements > MAX_RAW_ELEMENTS) return html
  return autop(html.replace(LONG_SPACE, (space) => (space.includes('\n') ? '\n\n' : ' '))).trim()
}
