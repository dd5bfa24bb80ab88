/** Values for a schema: valid ones, and ones at its limits. */
import fc from 'fast-check'
import type { Schema } from '../../support/json-schema.ts'
import type { Document } from '../../support/openapi.ts'
import { mostly, numerals, storable, words } from './values.ts'

/** Existing values by the name of the parameter or field. */
export type Known = Record<string, readonly string[]>
type Around = { components: Document['components']; known: Known }

const instants = fc.oneof(
  fc
    .date({ min: new Date('0100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  fc.constantFrom(
    ...['2026-11-21T03:28:00.123456789Z', '2026-12-31t23:59:60z', '9999-12-31T23:59:59.999Z'],
    ...['0100-01-01T00:00:00+00:00', '2024-02-29T00:00:00-23:59'],
  ),
)
const languages = fc.constantFrom(...words('en de EN-gb pt-BR zh-Hant-TW und xxxxxxxx'))
const paths = fc.constantFrom(
  ...words("/{slug} /blog/{slug} /a&b'(c)/{slug};x=1 //{slug} /$&/{slug}/ /{slug}@:,"),
)
const urls = [
  ...[
    'https://hooks.acme.dev:8443/?a=%00#b',
    'HTTPS://ACME.DEV./',
    'https://é.example/Käse "x"?<y>',
    'urn:a b',
  ],
  ...[' https://a.example/\t', 'http://127.0.0.1:9', 'https://[::1]', 'https://a:b@c.example', 'data:,a b'],
]
const hosts = fc.oneof(
  fc.domain(),
  fc.constantFrom('xn--bcher-kva.example', 'EXAMPLE.COM', `${'a.'.repeat(120)}com`),
)

/** Fields whose schema is laxer than the service. */
const NAMED: Record<string, fc.Arbitrary<string>> = {
  slug: fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aB9-_.~éष字'), minLength: 1, maxLength: 20 }),
    fc.constantFrom('...', '~', 'constructor', '字'.repeat(133)),
  ),
  title: storable.map((text) => `T${text}`.slice(0, 250).toWellFormed()),
  name: storable.map((text) => `N${text}`.slice(0, 200).toWellFormed()),
  domain: hosts,
  language: languages,
  defaultLanguage: languages,
  postPath: paths,
  guidePath: paths,
  publishedAt: instants,
  modifiedAt: instants,
  canonicalUrl: fc.webUrl(),
  expiresAt: instants,
  updatedAfter: instants,
  url: fc.oneof(fc.webUrl({ validSchemes: ['https'] }), fc.constantFrom(...urls)),
}

/** A value that the schema allows, and also the service's known rules. */
export function allowed(schema: Schema, name: string, around: Around): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') {
    return allowed(around.components.schemas[schema.$ref.replace('#/components/schemas/', '')]!, name, around)
  }
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const [type, nullable] = [schema.type].flat() as (string | undefined)[]
  const values = ofType(type, schema, name, around)
  return nullable === 'null' ? mostly(5, values, fc.constant(null)) : values
}

function ofType(
  type: string | undefined,
  schema: Schema,
  name: string,
  around: Around,
): fc.Arbitrary<unknown> {
  switch (type) {
    case 'string':
      return textOf(schema, name, around)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.oneof(
        fc.constantFrom(...bounds(schema)),
        fc.integer({ min: bounds(schema)[0]!, max: bounds(schema)[1]! }),
      )
    case 'number':
      return fc.integer({ min: bounds(schema)[0]! * 4, max: bounds(schema)[1]! * 4 }).map((n) => n / 4)
    case 'array':
      return fc.array(allowed(schema.items as Schema, name.replace(/s$/, ''), around), {
        minLength: (schema.minItems as number) ?? 0,
        maxLength: 3,
      })
    case 'object':
      return schema.properties
        ? recordOf(schema, around)
        : fc.dictionary(storable, storableJson, { maxKeys: 3 })
    default:
      return storableJson
  }
}

const storableJson = fc.oneof(
  storable,
  fc.integer(),
  fc.constantFrom(null, true, [], {}),
  fc.array(storable, { maxLength: 2 }),
)

function recordOf(schema: Schema, around: Around): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties as Record<string, Schema>)
  return fc.record(Object.fromEntries(fields.map(([name, field]) => [name, allowed(field, name, around)])), {
    requiredKeys: (schema.required as string[]) ?? [],
    noNullPrototype: true,
  })
}

function textOf(schema: Schema, name: string, { known }: Around): fc.Arbitrary<string> {
  const { minLength = 0, maxLength = Number.MAX_SAFE_INTEGER } = schema as {
    minLength?: number
    maxLength?: number
  }
  const own = NAMED[name] ?? (schema.format === 'uuid' ? fc.uuid() : storable)
  // Fields with values of their own, such as a slug, use them more often than existing ones.
  const rarity = NAMED[name] ? 3 : 12
  const values = known[name] ? mostly(rarity, fc.constantFrom(...known[name]), own) : own
  return values.map((text) => text.slice(0, maxLength).toWellFormed().padEnd(minLength, 'x'))
}

function bounds(schema: Schema): [number, number] {
  return [(schema.minimum as number) ?? 0, (schema.maximum as number) ?? 1_000]
}

/** Texts just within and just beyond the limits of a parameter. */
export function edges(schema: Schema): fc.Arbitrary<string> {
  if (schema.type === 'integer') {
    const near = bounds(schema).flatMap((bound) => [bound - 1, bound, bound + 1].map(String))
    return fc.oneof(fc.constantFrom(...near), numerals)
  }
  const length = (schema.maxLength as number) ?? 255
  const full = ['x', '👩', '%'].map((unit) => unit.repeat(length / unit.length))
  return fc.constantFrom('', ' ', 'x'.repeat(length + 1), ...full)
}
