/** Request bodies: valid, slightly wrong, and not JSON. */
import fc from 'fast-check'
import { jsonValues, storable, words } from './values.ts'

export type Body = string | Uint8Array
type Tree = Record<string, unknown>
type Change = { at: number; kind: 'set' | 'drop' | 'add' | 'twice'; name: string; value: unknown }

const changes: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('set', 'set', 'set', 'drop', 'add', 'twice'),
  name: fc.oneof(storable, fc.constantFrom('id', 'updatedAt', '__proto__', 'siteId', 'status')),
  value: jsonValues,
})

/** Bodies for a schema with the given allowed values; about half of them are valid. */
export function bodies(values: fc.Arbitrary<unknown>): fc.Arbitrary<Body | undefined> {
  const text = values.map((value) => JSON.stringify(value))
  const changed = fc
    .tuple(values, fc.array(changes, { minLength: 1, maxLength: 3 }))
    .map(([value, all]) => JSON.stringify(all.reduce(change, value)))
  return fc.oneof(
    { weight: 60, arbitrary: text },
    { weight: 30, arbitrary: changed },
    { weight: 10, arbitrary: broken(text) },
    { weight: 5, arbitrary: anyBody },
  )
}

const SHORT = ['', ' ', ...words(`{ {} [] null 0 - 01 1e999 {"a":NaN} {'a':1} {"a":1,}`)]
const LONG = ['['.repeat(100_000), '{"a":'.repeat(100_000), `[${'0,'.repeat(10_001)}0]`]

/** Bodies for an operation without one. */
export const anyBody: fc.Arbitrary<Body | undefined> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(undefined) },
  { weight: 10, arbitrary: jsonValues.map((value) => JSON.stringify(value)) },
  { weight: 5, arbitrary: fc.constantFrom(...SHORT) },
  { weight: 5, arbitrary: fc.uint8Array({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
)

/** Damaged JSON. */
function broken(text: fc.Arbitrary<string>): fc.Arbitrary<Body> {
  return fc.oneof(
    fc.tuple(text, fc.nat()).map(([json, at]) => json.slice(0, at % json.length)),
    fc
      .tuple(text, fc.constantFrom('\ufeff', '\0', ' ', 'x', '[', ")]}',"), fc.boolean())
      .map(([json, more, before]) => (before ? more + json : json + more)),
    fc.tuple(text, fc.nat(), fc.constantFrom(0x00, 0x80, 0xc0, 0xed, 0xff)).map(([json, at, byte]) => {
      const bytes = new TextEncoder().encode(json)
      bytes[at % bytes.length] = byte
      return bytes
    }),
  )
}

/** The value with one change. */
function change(value: unknown, { at, kind, name, value: other }: Change): unknown {
  const copy = structuredClone(value)
  const places = placesOf(copy)
  const place = places[at % (places.length + 1)]
  if (!place) return other
  const [parent, key] = place
  if (kind === 'set') set(parent, key, other)
  else if (kind === 'drop') delete parent[key]
  else if (kind === 'add') set(parent, name, other)
  else set(parent, name, parent[key])
  return copy
}

function set(parent: Tree, key: string, value: unknown): void {
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true })
}

function placesOf(value: unknown): [Tree, string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => [
    [value as Tree, key] as [Tree, string],
    ...placesOf(child),
  ])
}
