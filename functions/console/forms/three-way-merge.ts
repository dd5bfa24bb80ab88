/**
 * Three-way merge for forms: each form carries the values that it was opened with. Saving keeps what others saved in fields that this
 * form did not change. If both changed a field, texts are merged by block, and conflict.tsx asks about the rest.
 */
import { AppError } from '../../../src/core/errors.ts'
import type { Values } from './form.ts'
import { blockTexts, mergeTexts } from './text-merge.ts'

/** The hidden field with the original values: JSON by name, with fingerprints for long texts. */
export const ORIGINAL_VALUES = 'opened'

/** The hidden field with the original values for editing both versions of one field: saving asks about the other conflicts again. */
export const originalWith = (name: string) => `${ORIGINAL_VALUES}.${name}`

const MAX_WHOLE_LENGTH = 200
/** Forms with more would be too large. */
const MAX_BLOCKS = 1_000
/** How often to retry after a concurrent write. */
const TRIES = 3

type Texts = { mine: string; theirs: string }
/** `shown` replaces the texts on the page. `both` has both versions, to be edited. `stored` is what `theirs` was merged into. */
export type Conflict = Texts & { name: string; shown?: Texts; both?: string; stored?: string }

export function serializeOriginal({ [ORIGINAL_VALUES]: original, ...values }: Partial<Values>): string {
  const entries = Object.entries(values).map(([name, value]) => [name, toBase(value)])
  return original ?? JSON.stringify(Object.fromEntries(entries))
}

/** The changed fields of the input. All of them if the form carries no original values. */
export function changedOnly<Input extends object>(values: Values, input: Input): Partial<Input> {
  const original = parseOriginal(values)
  const isChanged = (name: string) => !original || toBase(values[name]) !== (original[name] ?? '')
  return Object.fromEntries(Object.entries(input).filter(([name]) => isChanged(name))) as Partial<Input>
}

/** True if nobody has changed the field since the form was opened. */
export function isOriginal(values: Values, name: string, current: string): boolean {
  const original = parseOriginal(values)
  return original === null || original[name] === toBase(current)
}

type Save<Current, Saved> = {
  values: Values
  /** The stored values, if already read. */
  known?: Current
  /** Called again after a concurrent write. */
  read: () => Promise<Current>
  /** The stored values as form fields. */
  toValues: (current: Current) => Values
  /** The fields that are merged by block if both changed different parts. */
  texts?: string[]
  /**
   * Writes only if the stored values are still `current`. `merged` has the texts that both changed.
   * @throws AppError changed_meanwhile otherwise
   */
  write: (current: Current, merged: Values) => Promise<Saved>
}

type Conflicting = { conflicts: Conflict[]; result?: never; errors?: never }

/** Writes the changed fields, or returns the conflicts. */
export async function saveMerged<Current, Saved extends object>({
  values,
  known,
  read,
  toValues,
  texts = [],
  write,
}: Save<Current, Saved>): Promise<(Saved & { conflicts?: never }) | Conflicting> {
  for (let tried = 1; ; tried++) {
    const current = tried === 1 && known !== undefined ? known : await read()
    const { conflicts, merged } = merge(values, toValues(current), texts)
    if (conflicts.length > 0) return { conflicts }
    try {
      return await write(current, merged)
    } catch (error) {
      const isOvertaken = error instanceof AppError && error.code === 'changed_meanwhile'
      if (!isOvertaken || tried === TRIES) throw error
    }
  }
}

/** Ignores unknown names: anyone can post them. */
function merge(values: Values, current: Values, texts: string[]): { conflicts: Conflict[]; merged: Values } {
  const original = parseOriginal(values) ?? {}
  const conflicts: Conflict[] = []
  const merged: Values = {}
  for (const [name, theirs] of Object.entries(current)) {
    const mine = values[name] ?? ''
    const hasOriginal = Object.hasOwn(original, name)
    const both = hasOriginal && toBase(mine) !== original[name] && toBase(theirs) !== original[name]
    if (!both || toLines(mine) === toLines(theirs)) continue
    const blocks = texts.includes(name) ? blocksIn(String(original[name])) : null
    const text = blocks && mergeTexts(blocks, toLines(mine), toLines(theirs), fingerprint)
    if (text && text.mine === text.theirs) merged[name] = text.mine
    else conflicts.push({ name, mine, theirs, ...text, stored: theirs })
  }
  return { conflicts, merged }
}

/** The original values after the conflicts were shown. */
export function withSeenConflicts(values: Values, conflicts: Conflict[]): string {
  const seen = conflicts.map(({ name, theirs, stored = theirs }) => [name, toBase(stored)])
  return JSON.stringify({ ...parseOriginal(values), ...Object.fromEntries(seen) })
}

/** Null if missing or malformed. */
function parseOriginal({ [ORIGINAL_VALUES]: text }: Values): Values | null {
  try {
    const original: unknown = JSON.parse(text ?? 'null')
    return original !== null && typeof original === 'object' ? (original as Values) : null
  } catch {
    return null
  }
}

/** Browsers turn line breaks into LF, and send CRLF. */
export const toLines = (text: string) => text.replace(/\r\n?/g, '\n')

function toBase(text = ''): string {
  const lines = toLines(text)
  if (lines.length <= MAX_WHOLE_LENGTH) return lines
  const whole = `${lines.length}:${fingerprint(lines)}`
  const blocks = blockTexts(lines)
  return blocks.length > MAX_BLOCKS ? whole : [whole, ...blocks.map(fingerprint)].join(' ')
}

/** The fingerprints of its blocks. */
function blocksIn(base: string): string[] {
  const isWhole = !/^\d+:\w+-\w+( \w+-\w+)+$/.test(base)
  return isWhole ? blockTexts(base).map(fingerprint) : base.split(' ').slice(1)
}

/** Two 32-bit hashes, the first FNV-1a: no adversary chooses these texts. Web Crypto would make all callers async. */
function fingerprint(text: string): string {
  let [one, other] = [0x811c9dc5, 0x01000193]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b) ^ (other >>> 15)
  }
  return [one, other].map((hash) => (hash >>> 0).toString(36)).join('-')
}
