/** Reads the fields of a post from front matter, whichever generator it was written for. */
import { parseInstant } from '../../time.ts'
import type { FrontMatter } from './front-matter.ts'

const MONTH_NAME = /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b/i
const ISO_LIKE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(\.\d+)?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?$/i

/** The first of the named fields that is a text or a number, trimmed; undefined if none is. */
export function textField(fields: FrontMatter, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name.toLowerCase())
    if (!['string', 'number', 'bigint', 'boolean'].includes(typeof value)) continue
    const text = String(value).trim()
    if (text) return text
  }
  return undefined
}

/** `tags` and `keywords`, a list or a text with commas, each once. */
export function keywords(fields: FrontMatter): string[] {
  const values = ['keywords', 'tags'].flatMap((name) => {
    const value = fields.get(name)
    return Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  })
  const texts = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value))
  return [...new Set(texts.map((value) => String(value).trim()).filter(Boolean))]
}

/** What `draft` and `published` say; undefined when they say nothing. */
export function status(fields: FrontMatter): 'draft' | 'published' | undefined {
  const draft = flag(fields.get('draft'))
  const published = flag(fields.get('published'))
  if (draft === true || published === false) return 'draft'
  return draft === false || published === true ? 'published' : undefined
}

/** The date of a post as RFC 3339 in UTC; undefined without one. Throws an Error when it cannot be read. */
export function publishedAt(fields: FrontMatter): string | undefined {
  for (const name of ['publishedat', 'pubdate', 'date', 'published']) {
    const value = fields.get(name)
    if (value === undefined || value === null || value === '') continue
    if (name === 'published' && flag(value) !== undefined) continue
    const text = value instanceof Date ? value.toISOString() : String(value)
    const at = readDate(text.trim())
    if (!at) throw new Error(`cannot read the date ${JSON.stringify(text.slice(0, 60))}`)
    return at.toISOString()
  }
  return undefined
}

/** A date without a zone is UTC, so that it is the same on every machine. */
export function readDate(text: string): Date | null {
  const iso = ISO_LIKE.exec(text)
  if (iso) {
    const [, year, month, day, hour = '0', minute = '00', second = '00', fraction = '', zone = 'Z'] = iso
    const two = (part = '') => part.padStart(2, '0')
    const offset = /^[a-z]/i.test(zone) ? 'Z' : zone.replace(/^(...)(\d\d)$/, '$1:$2')
    return parseInstant(
      `${year}-${two(month)}-${two(day)}T${two(hour)}:${minute}:${second}${fraction}${offset}`,
    )
  }
  // 01/02/2020 is ambiguous; a date with the month's name is not.
  if (!MONTH_NAME.test(text)) return null
  const zoned = /(?:\b(?:GMT|UTC|Z)|[+-]\d{2}:?\d{2})(?:\s*\(.*\))?$/i.test(text)
  const at = new Date(zoned ? text : `${text} UTC`)
  return Number.isNaN(at.getTime()) ? null : parseInstant(at.toISOString())
}

function flag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  return { true: true, yes: true, false: false, no: false }[value.toLowerCase()]
}
