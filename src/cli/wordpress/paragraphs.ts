/** Paragraphs of the classic editor, as WordPress makes them. */
import { autop } from '@wordpress/autop'

/** The time of `autop` grows with the square of their number. */
const RAW_ELEMENT = /<(?:pre|script|style)\b/gi
const MAX_RAW_ELEMENTS = 5_000

export function withParagraphs(html: string): string {
  const rawElements = html.match(RAW_ELEMENT)?.length ?? 0
  return rawElements > MAX_RAW_ELEMENTS ? html : autop(html).trim()
}
