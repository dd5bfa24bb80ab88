/** Default excerpt and reading time, computed from an article's HTML. */
import { htmlToText } from '../../html/text.ts'

const EXCERPT_LENGTH = 200
const WORDS_PER_MINUTE = 200
const CJK_CHARACTERS_PER_MINUTE = 500
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** `prose` is the text without headings, code, tables and figures, or all text if nothing is left. */
export function deriveText(input: {
  contentHtml: string
  excerpt?: string | null
  readingTimeMinutes?: number | null
}) {
  const { text, ...read } = htmlToText(input.contentHtml)
  const prose = read.prose || text
  return {
    prose,
    excerpt: input.excerpt ?? (shorten(prose, EXCERPT_LENGTH) || null),
    readingTimeMinutes: input.readingTimeMinutes ?? minutesToRead(text),
  }
}

type Text = Parameters<typeof deriveText>[0]

/** Clears the fields that were derived from the old text. Fields in the edit stay. */
export function deriveTextAgain(stored: Text, edit: Partial<Text>): Partial<Text> {
  const { excerpt, readingTimeMinutes } = deriveText({ contentHtml: stored.contentHtml })
  const isDerived = stored.readingTimeMinutes === readingTimeMinutes
  return {
    ...(stored.excerpt === excerpt && !('excerpt' in edit) && { excerpt: undefined }),
    ...(isDerived && !('readingTimeMinutes' in edit) && { readingTimeMinutes: undefined }),
  }
}

function minutesToRead(text: string): number {
  const cjk = text.match(CJK)?.length ?? 0
  const words = text.replace(CJK, ' ').split(' ').filter(Boolean).length
  return Math.max(1, Math.ceil(words / WORDS_PER_MINUTE + cjk / CJK_CHARACTERS_PER_MINUTE))
}

export function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length - 1)
  const space = cut.lastIndexOf(' ')
  const shortened = space > length / 2 ? cut.slice(0, space) : cut.replace(/[\uD800-\uDBFF]$/, '')
  return `${shortened.replace(/[\s.,;:!?…–—-]+$/u, '')}…`
}
