/** Each parameter and each body field with each extreme once, and everything else valid. */
import type { Schema } from '../../support/json-schema.ts'
import type { Document, Operation } from '../../support/openapi.ts'
import type { Caller } from './headers.ts'
import type { FuzzRequest } from './request.ts'
import { words } from './values.ts'

type Components = Document['components']
type Json = Record<string, unknown>

/** As they appear in a URL or a header. */
const TEXTS = [
  ...words(
    '%00 %ED%A0%80 %F0%9F%99%82 % %zz %25_%5C %27%20or%201=1-- %0D%0A -1 0 1e999 .. %2F %EF%BF%BF %E2%80%AE',
  ),
  ...['', '9'.repeat(400), 'x'.repeat(64 * 1024), '%F0%9F%99%82'.repeat(6_000)],
]
const VALUES = [
  '\0',
  '\ud800',
  '',
  "' or 1=1 --",
  'x'.repeat(64 * 1024),
  -1,
  1e308,
  0.5,
  true,
  null,
  [],
  {},
  [[['']]],
]

/** The smallest value of each required field. */
const LEAST: Record<string, unknown> = {
  slug: 'kept',
  domain: 'a.example.com',
  url: 'https://a.example.org/',
}

/** Larger than the limit of 8 MiB. */
const TOO_LARGE = JSON.stringify({ title: 'x'.repeat(9 * 1024 * 1024) })

export function extremesOf(
  operation: Operation,
  root: string,
  caller: Caller,
  components: Components,
): FuzzRequest[] {
  const schema = operation.requestBody?.content['application/json']?.schema
  const path = root + fill(operation.path, caller)
  const headers: [string, string][] = [
    ['Authorization', `Bearer ${caller.secret}`],
    ['Content-Type', 'application/json'],
  ]
  const bodies = schema
    ? [...variants(schema, '', components).map((value) => JSON.stringify(value)), TOO_LARGE]
    : []
  return [
    ...parameterExtremes(operation, root, caller),
    ...bodies.map((body) => ({ method: operation.method, path, headers, body })),
  ]
}

function parameterExtremes(operation: Operation, root: string, caller: Caller): FuzzRequest[] {
  const { method, path, parameters = [] } = operation
  return parameters.flatMap(({ name, in: place }) =>
    TEXTS.map((text): FuzzRequest => {
      const headers: [string, string][] = [['Authorization', `Bearer ${caller.secret}`]]
      if (place === 'header') headers.push([name, text])
      const filled = fill(place === 'path' ? path.replace(`{${name}}`, () => text) : path, caller)
      return { method, path: root + filled + (place === 'query' ? `?${name}=${text}` : ''), headers }
    }),
  )
}

function fill(path: string, { known }: Caller): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(known[name]![0]!))
}

/** Values of the schema with one change. */
function variants(schema: Schema, name: string, components: Components): unknown[] {
  const { type, properties, items } = resolve(schema, components)
  if (items) return [...VALUES, ...variants(items as Schema, name, components).map((value) => [value])]
  if (!properties || ![type].flat().includes('object')) return VALUES
  const rest = least(schema, name, components) as Json
  return Object.entries(properties).flatMap(([field, each]) =>
    variants(each as Schema, field, components).map((value) => ({ ...rest, [field]: value })),
  )
}

function least(schema: Schema, name: string, components: Components): unknown {
  const { type, properties, items, required = [] } = resolve(schema, components)
  if (items) return [least(items as Schema, name, components)]
  if (!properties) return type === 'object' ? {} : (LEAST[name] ?? 'x')
  const fields = (required as string[]).map((field) => [
    field,
    least((properties as Record<string, Schema>)[field]!, field, components),
  ])
  return Object.fromEntries(fields)
}

function resolve(schema: Schema, { schemas }: Components): Schema {
  return typeof schema.$ref === 'string' ? schemas[schema.$ref.replace('#/components/schemas/', '')]! : schema
}
