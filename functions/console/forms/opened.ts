/**
 * The values that a form was made from, which it carries. What others have saved since then in fields that this form leaves
 * alone is kept; where both have changed one field, nothing is saved until somebody has chosen (conflict.tsx).
 */
import { AppError } from '../../../src/core/errors.ts'

/** The texts in the fields of a form, by name. */
export type Values = Record<string, string>

/** The field of a form that has them: JSON by name, with a fingerprint in place of a long text. */
export const OPENED = 'opened'

const MAX_WHOLE_LENGTH = 200
/** How often a write starts again with what another has just written. */
const TRIES = 3

/** A field that was changed in the form, and by somebody else since it was opened. */
export type Conflict = { name: string; mine: string; theirs: string }

export function openedWith({ [OPENED]: opened, ...values }: Partial<Values>): string {
  const entries = Object.entries(values).map(([name, value]) => [name, toBase(value)])
  return opened ?? JSON.stringify(Object.fromEntries(entries))
}

/** The input of those fields alone that were changed in the form; all of it of a form that carries nothing. */
export function changedOnly<Input extends object>(values: Values, input: Input): Partial<Input> {
  const opened = parseOpened(values)
  const isChanged = (name: string) => !opened || toBase(values[name]) !== (opened[name] ?? '')
  return Object.fromEntries(Object.entries(input).filter(([name]) => isChanged(name))) as Partial<Input>
}

type Save<Current, Saved> = {
  /** The posted form. */
  values: Values
  /** The stored values, if the request has read them already. */
  known?: Current
  /** Reads what is stored now. Called again when another has written meanwhile. */
  read: () => Promise<Current>
  /** The fields of the form as they would be with that. */
  toValues: (current: Current) => Values
  /** Writes only if what it overwrites is still `current`. @throws AppError changed_meanwhile otherwise */
  write: (current: Current) => Promise<Saved>
}

type Conflicting = { conflicts: Conflict[]; result?: never; errors?: never }

/** Writes what the form has changed, or returns the fields in which another was faster. */
export async function saveOpened<Current, Saved extends object>({
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

/** In the fields that there are: what a form carries may have other names. */
function findConflicts(values: Values, current: Values): Conflict[] {
  const opened = parseOpened(values) ?? {}
  return Object.entries(current).flatMap(([name, theirs]) => {
    const mine = values[name] ?? ''
    const isOpened = Object.hasOwn(opened, name)
    const both = isOpened && toBase(mine) !== opened[name] && toBase(theirs) !== opened[name]
    return both && toLines(mine) !== toLines(theirs) ? { name, mine, theirs } : []
  })
}

/** The values that the form carries once somebody has seen the conflicts. */
export function reopened(values: Values, conflicts: Conflict[]): string {
  const seen = conflicts.map(({ name, theirs }) => [name, toBase(theirs)])
  return JSON.stringify({ ...parseOpened(values), ...Object.fromEntries(seen) })
}

/** Null for a form that carries nothing, and for what is not ours. */
function parseOpened({ [OPENED]: text }: Values): Values | null {
  try {
    const opened: unknown = JSON.parse(text ?? 'null')
    return opened !== null && typeof opened === 'object' ? (opened as Values) : null
  } catch {
    return null
  }
}

/** Browsers read each line break as LF, and send it as CR LF. */
export const toLines = (text: string) => text.replace(/\r\n?/g, '\n')

function toBase(text = ''): string {
  const lines = toLines(text)
  return lines.length > MAX_WHOLE_LENGTH ? `${lines.length}:${fingerprint(lines)}` : lines
}

/**
 * Two 32-bit hashes of the UTF-16 units, the first of them FNV-1a: enough for texts that nobody has chosen to be alike. Web Crypto
 * would make all that asks for it wait.
 */
function fingerprint(text: string): string {
  let [one, other] = [0x811c9dc5, 0x01000193]
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b) ^ (other >>> 15)
  }
  return [one, other].map((hash) => (hash >>> 0).toString(36)).join('-')
}
