/** Harmless changes to a body, each with a function that undoes it. The first that makes both bodies equal is the cause. */
const BODY_CHANGES = { trimmed: trim, line_ends: unifyLineEnds, reserialised: sortKeys }

export type BodyChange = keyof typeof BODY_CHANGES

export function compareBodies(sent: string, body: string): BodyChange | 'right' | 'differs' {
  if (sent === body) return 'right'
  const changes = Object.entries(BODY_CHANGES) as [BodyChange, (text: string) => string][]
  return changes.find(([, equalise]) => equalise(sent) === equalise(body))?.[0] ?? 'differs'
}

/** The bodies that may have been sent, the given one first. */
export function originalsOf(body: string): string[] {
  const lines = unifyLineEnds(body)
  const inLines = [body, body.trim(), `${body}\n`, lines, lines.replaceAll('\n', '\r\n')]
  try {
    const value = JSON.parse(body)
    return [...inLines, JSON.stringify(value), postgresJson(value), JSON.stringify(value, null, 2)]
  } catch {
    // Not JSON, or so deep that writing it exhausts the stack.
    return inLines
  }
}

/** In characters, on each side. */
const CONTEXT = 12

export type Difference = {
  /** Index of the first different UTF-8 byte. */
  byte: number
  before: string
  /** The text from there on, starting at a whole character. */
  sent: string
  here: string
}

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

/** Leaves text that is not JSON unchanged. */
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

/** Like `json_build_object`, which builds the payloads: ` : ` and `, ` as separators. */
function postgresJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)} : ${postgresJson(each)}`)
  return `{${entries.join(', ')}}`
}
