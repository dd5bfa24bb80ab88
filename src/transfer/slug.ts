/** Slugs out of front matter and file names. */
import { parseSlug } from '../content/model/slug.ts'

const MAX_LENGTH = 200
/** Zola has `_` behind the date, and Logseq names journals `2020_01_02`. */
const DATE = /^(\d{4})([-_])(\d{2})\2(\d{2})(?:[-_](?=.)|$)/

/** The date in front of a file name, and the name without it, unless it is nothing else. */
export function splitDate(name: string): { date: string | undefined; rest: string } {
  const [whole, year, , month, day] = DATE.exec(name) ?? []
  if (whole === undefined) return { date: undefined, rest: name }
  return { date: `${year}-${month}-${day}`, rest: name.slice(whole.length) || name }
}

/** The slug of a text (of a path, its last segment), or null if no character of it can be in a slug. */
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

/** `governance` and `fr` make `governance-fr`; a slug that ends in it already is left alone. */
export function withSuffix(slug: string, suffix: string): string {
  if (slug.toLowerCase().endsWith(`-${suffix.toLowerCase()}`)) return slug
  return `${cut(slug, MAX_LENGTH - suffix.length - 1)}-${suffix}`
}

/** `release` and `v22` make `release-v22`. */
export function withPrefix(prefix: string, slug: string): string {
  return cut(`${prefix}-${slug}`, MAX_LENGTH)
}

/** The slug of an article whose own is taken, whatever the source: the first of `others` that is free, or else its own with a number. */
export function freeSlug(slug: string, others: string[], isTaken: (slug: string) => boolean): string {
  let free = others.find((other) => !isTaken(other))
  for (let number = 2; free === undefined; number += 1) {
    const numbered = withSuffix(slug, String(number))
    if (!isTaken(numbered)) free = numbered
  }
  return free
}

function cut(text: string, length: number): string {
  return [...text].slice(0, length).join('')
}
