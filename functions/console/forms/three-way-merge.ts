/**
 * Three-way merge for forms: each form carries the values that it was opened with. Saving keeps what others saved in fields that this
 * form did not change. If both changed a field, conflict.tsx asks which value to keep.
 */
import { AppError } from '../../../src/core/errors.ts'

export type Values = Record<string, string>

/** The hidden field with the original values: JSON by name, with fingerprints for long texts. */
export const ORIGINAL_VALUES = 'opened'

const MAX_WHOLE_LENGTH = 200
/** How often to retry after a concurrent write. */
const TRIES = 3

type Texts = { mine: string; theirs: string }
/** `shown` replaces the texts on the page. */
export type Conflict = Texts & { name: string; shown?: Texts }

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

type Save<Current, Saved> = {
  values: Values
  /** The stored values, if already read. */
  known?: Current
  /** Called again after a concurrent write. */
  read: () => Promise<Current>
  /** The stored values as form fields. */
  toValues: (current: Current) => Values
  /** Writes only if the stored values are still `current`. @throws AppError changed_meanwhile otherwise */
  write: (current: Current) => Promise<Saved>
}

type Conflicting = { conflicts: Conflict[]; result?: never; errors?: never }

/** Writes the changed fields, or returns the conflicts. */
export async function saveMerged<Current, Saved extends object>({
  values,
  known,
  read,
  toValues,
  write,
}: Save<Current, Saved>): Promise<(Saved & { conflicts?: never }) | Conflicting> {
  for (let tried = 1; ; tried++) {
    const current = tried === 1 && known !== undefined ? known : await read()
    const conflicts = findConflicts(values, toValues(current))
    if (conflicts.length > 0) return { conflicts }
    try {
      return await write(current)
    } catch (error) {
      const isOvertaken = error instanceof AppError && error.code === 'changed_meanwhile'
      if (!isOvertaken || tried === TRIES) throw error
    }
  }
}

/** Ignores unknown names: anyone can post them. */
function findConflicts(values: Values, current: Values): Conflict[] {
  const original = parseOriginal(values) ?? {}
  return Object.entries(current).flatMap(([name, theirs]) => {
    const mine = values[name] ?? ''
    const hasOriginal = Object.hasOwn(original, name)
    const both = hasOriginal && toBase(mine) !== original[name] && toBase(theirs) !== original[name]
    return both && toLines(mine) !== toLines(theirs) ? { name, mine, theirs } : []
  })
}

/** The original values after the conflicts were shown. */
export function withSeenConflicts(values: Values, conflicts: Conflict[]): string {
  const seen = conflicts.map(({ name, theirs }) => [name, toBase(theirs)])
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
  return lines.length > MAX_WHOLE_LENGTH ? `${lines.length}:${fingerprint(lines)}` : lines
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
