/** Compares the body that a receiver got with the one that was sent. */

/** The changes that leave a body's meaning alone, each with what it leaves equal. The first that explains a difference names it. */
const BODY_CHANGES = { trimmed: trim, line_ends: unifyLineEnds, reserialised: sortKeys }

export type BodyChange = keyof typeof BODY_CHANGES

/** Names the change from the body that was sent. */
export function compareBodies(sent: string, body: string): BodyChange | 'right' | 'differs' {
  if (sent === body) return 'right'
  const changes = Object.entries(BODY_CHANGES) as [BodyChange, (text: string) => string][]
  return changes.find(([, equalise]) => equalise(sent) === equalise(body))?.[0] ?? 'differs'
}

/** Lists the bodies that may have been sent, the body itself first. */
export function originalsOf(body: string): string[] {
  const lines = unifyLineEnds(body)
  const inLines = [body, body.trim(), `${body}\n`, lines, lines.replaceAll('\n', '\r\n')]
  try {
    const value = JSON.parse(body)
    return [...inLines, JSON.stringify(value), postgresJson(value), JSON.stringify(value, null, 2)]
  } catch {
    // It is not JSON, or so deep that writing it exhausts the stack.
    return inLines
  }
}

/** In characters, on each side. */
const CONTEXT = 12

export type Difference = {
  /** The position of the first byte that differs, counted from 0 in UTF-8. */
  byte: number
  /** The text before it, which both have. */
  before: string
  /** The text of each from there on, which begins with a whole character; empty at its end. */
  sent: string
  here: string
}

/** Finds where two bodies part. */
export function firstDifference(sent: string, body: string): Difference | null {
  if (sent === body) return null
  const [a, b] = [[...sent], [...body]]
  const at = countEqual(a, b)
  return {
    byte: countEqual(utf8(sent), utf8(body)),
    before: a.slice(Math.max(0, at - CONTEXT), at).join(''),
    sent: a.slice(at, at + CONTEXT).join(''),
    here: b.slice(at, at + CONTEXT).join(''),
  }
}

function countEqual(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function trim(text: string): string {
  return text.trim()
}

function unifyLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** Writes JSON with the keys of each object sorted, and leaves other text as it is. */
function sortKeys(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, each) =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    )
  } catch {
    return text
  }
}

/** Writes JSON like `json_build_object`, which builds the payloads: ` : ` and `, ` as separators. */
function postgresJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)} : ${postgresJson(each)}`)
  return `{${entries.join(', ')}}`
}
