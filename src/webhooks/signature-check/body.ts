/** How a body can change between the sender and the check. */

const MAX_DEPTH = 100

export type BodyChange = 'trimmed' | 'line_ends' | 'reserialised'

/** What the body may have been before it was changed, the body itself first. */
export function originalsOf(body: string): [original: string, change: BodyChange | 'right'][] {
  const lines = body.replaceAll('\r\n', '\n')
  return [
    [body, 'right'],
    [body.trim(), 'trimmed'],
    [`${body}\n`, 'trimmed'],
    [lines, 'line_ends'],
    [lines.replaceAll('\n', '\r\n'), 'line_ends'],
    ...serialisationsOf(body).map((json): [string, BodyChange] => [json, 'reserialised']),
  ]
}

/** How the body differs from the one that was sent. */
export function compareBodies(sent: string, body: string): BodyChange | 'right' | 'differs' {
  if (sent === body) return 'right'
  if (sent.trim() === body.trim()) return 'trimmed'
  const value = parseJson(body)
  return value !== undefined && sortedJson(value) === sortedJson(parseJson(sent)) ? 'reserialised' : 'differs'
}

/** In characters, on each side. */
const CONTEXT = 12

export type Difference = {
  /** The position of the first byte that differs, counted from 0 in UTF-8. */
  byte: number
  /** What both have before it. */
  before: string
  /** What each has from there on, beginning with a whole character; empty at its end. */
  sent: string
  here: string
}

/** Where two bodies part. */
export function firstDifference(sent: string, body: string): Difference | null {
  if (sent === body) return null
  const [a, b] = [[...sent], [...body]]
  const parts = a.findIndex((character, index) => character !== b[index])
  const at = parts < 0 ? a.length : parts
  // Two characters may share their first bytes.
  const [c, d] = [utf8(a[at] ?? ''), utf8(b[at] ?? '')]
  const shared = c.findIndex((byte, index) => byte !== d[index])
  const from = (characters: string[]) => characters.slice(at, at + CONTEXT).join('')
  return {
    byte: utf8(a.slice(0, at).join('')).length + Math.max(0, shared),
    before: a.slice(Math.max(0, at - CONTEXT), at).join(''),
    sent: from(a),
    here: from(b),
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function serialisationsOf(body: string): string[] {
  const value = parseJson(body)
  if (value === undefined) return []
  return [JSON.stringify(value), postgresJson(value), JSON.stringify(value, null, 2)]
}

/** As `json_build_object` writes it, which builds the payloads: ` : ` and `, ` as separators. */
function postgresJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)} : ${postgresJson(each)}`)
  return `{${entries.join(', ')}}`
}

/** Undefined for what is no JSON, or nested deeper than any payload: writing it again would exhaust the stack. */
function parseJson(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function depthOf(json: string): number {
  let [depth, deepest, isInString] = [0, 0, false]
  for (let at = 0; at < json.length; at++) {
    const mark = json[at]!
    if (mark === '"') isInString = !isInString
    else if (isInString) at += mark === '\\' ? 1 : 0
    else if ('[{'.includes(mark)) deepest = Math.max(deepest, ++depth)
    else if (']}'.includes(mark)) depth -= 1
  }
  return deepest
}

/** Canonical JSON: the keys of every object sorted. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}
