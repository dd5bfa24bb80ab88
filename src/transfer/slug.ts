import { parseSlug } from '../content/model/slug.ts'

const MAX_LENGTH = 200
/** Zola allows `_` after the date; Logseq names journals `2020_01_02`. */
const DATE = /^(\d{4})([-_])(\d{2})\2(\d{2})(?:[-_](?=.)|$)/

/** Splits the date off the front of a file name. A name that is only a date stays whole. */
export function splitDate(name: string): { date: string | undefined; rest: string } {
  const [whole, year, , month, day] = DATE.exec(name) ?? []
  if (whole === undefined) return { date: undefined, rest: name }
  return { date: `${year}-${month}-${day}`, rest: name.slice(whole.length) || name }
}

/** Null if the text has no character that a slug may have. A path's slug comes from its last segment. */
export function toSlug(text: string): string | null {
  const segment =
    text
      .split('/')
      .filter((part) => part.trim())
      .at(-1) ?? ''
  const slug = cut(
    segment
      .normalize('NFC')
      .replace(/[^\p{L}\p{M}\p{N}_.~-]+/gu, '-')
      .replace(/-{2,}/g, '-')
      .replace(/^-|-$/g, ''),
    MAX_LENGTH,
  )
  return parseSlug(slug)
}

/** `governance` and `fr` make `governance-fr`; a slug with the suffix stays unchanged. */
export function withSuffix(slug: string, suffix: string): string {
  if (slug.toLowerCase().endsWith(`-${suffix.toLowerCase()}`)) return slug
  return `${cut(slug, MAX_LENGTH - suffix.length - 1)}-${suffix}`
}

export function withPrefix(prefix: string, slug: string): string {
  return cut(`${prefix}-${slug}`, MAX_LENGTH)
}

/** Finds free slugs. Remembers the last number of each slug, since thousands of articles may want the same one. */
export function slugChooser(isTaken: (slug: string) => boolean) {
  const lastNumbers = new Map<string, number>()

  /** The first of `others` that is free, otherwise the slug with a number. */
  return (slug: string, others: string[] = []): string => {
    let free = others.find((other) => !isTaken(other))
    let number = lastNumbers.get(slug) ?? 1
    while (free === undefined) {
      const numbered = withSuffix(slug, String(++number))
      if (!isTaken(numbered)) free = numbered
      lastNumbers.set(slug, number)
    }
    return free
  }
}

function cut(text: string, length: number): string {
  return [...text].slice(0, length).join('')
}
