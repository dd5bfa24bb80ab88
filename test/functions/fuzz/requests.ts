/** Requests of an operation with one or two faults, so that most of them pass authentication. */
import fc from 'fast-check'
import type { Document, Operation } from '../../support/openapi.ts'
import { anyBody, bodies } from './body.ts'
import { anyHeaders, authorizations, type Caller, contentTypes, otherHeaders } from './headers.ts'
import { type FuzzRequest, urlOf } from './request.ts'
import { allowed, edges, type Known } from './schema.ts'
import { hostile, mostly, words } from './values.ts'

const NONE = fc.constant<string[]>([])

type Around = { components: Document['components']; known: Known }

const METHODS = words('GET HEAD POST PUT PATCH DELETE OPTIONS PURGE PROPFIND TRACE LOCK get')
const STRAY_ENDS = words('/ // /. /.. /x %00 %2F .json ;a=1 #')

/** Well-formed in a URL, whatever the text. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
const eachByte = (text: string) =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** Plain or encoded. */
const anyText = fc.oneof(hostile.map(encoded), hostile)

/** Requests of the operation below `root`. */
export function requestsOf(
  operation: Operation,
  root: string,
  caller: Caller,
  components: Document['components'],
): fc.Arbitrary<FuzzRequest> {
  const around = { components, known: caller.known }
  return fc
    .record({
      method: mostly(40, fc.constant(operation.method), fc.constantFrom(...METHODS)),
      path: pathsOf(operation, caller.known),
      query: queriesOf(operation, around),
      authorization: authorizations(caller),
      headers: otherHeaders(operation, caller.known),
      type: contentTypes,
      body: bodiesOf(operation, around),
    })
    .map(({ method, path, query, authorization, headers, type, body }) => ({
      method,
      path: root + path + query,
      headers: [...authorization, ...headers, ...(body === undefined ? [] : type)],
      body,
    }))
}

/** Paths and methods without an operation, except by chance. */
export function strayRequests(root: string, paths: string[], caller: Caller): fc.Arbitrary<FuzzRequest> {
  const segments = fc.oneof(fc.constantFrom(...paths.flatMap((path) => path.split('/'))), anyText)
  const joined = fc.array(segments, { maxLength: 6 }).map((all) => all.join('/'))
  const below = fc.oneof(joined, fc.constantFrom(...paths))
  const start = mostly(9, fc.constant(`${root}/`), fc.constant('/'))
  return fc
    .record({
      method: fc.constantFrom(...METHODS),
      // `/` redirects to the console, however it is spelt.
      path: fc
        .tuple(start, below)
        .map((parts) => parts.join(''))
        .filter((path) => urlOf({ path }).pathname !== '/'),
      authorization: authorizations(caller),
      headers: anyHeaders,
      body: mostly(4, fc.constant(undefined), anyBody),
    })
    .map(({ authorization, headers, ...request }) => ({
      ...request,
      headers: [...authorization, ...headers],
    }))
}

function pathsOf(operation: Operation, known: Known): fc.Arbitrary<string> {
  const segments = operation.path.split('/').map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (!name) return fc.constant(segment)
    const existing = fc.constantFrom(...known[name]!)
    return mostly(14, existing.map(encoded), fc.oneof(anyText, existing.map(eachByte)))
  })
  const ends = mostly(60, fc.constant(''), fc.constantFrom(...STRAY_ENDS))
  return fc.tuple(fc.tuple(...segments), ends).map(([all, end]) => all.join('/') + end)
}

function queriesOf({ parameters = [] }: Operation, around: Around): fc.Arbitrary<string> {
  const described = parameters.filter((parameter) => parameter.in === 'query')
  const each = described.map(({ name, schema }) => {
    const values = fc.oneof(
      { weight: 16, arbitrary: allowed(schema, name, around).map(String).map(encoded) },
      { weight: 1, arbitrary: edges(schema).map(encoded) },
      { weight: 2, arbitrary: anyText },
    )
    return mostly(2, NONE, fc.tuple(values.map((value) => `${name}=${value}`)))
  })
  const names = described.map(({ name }) => name)
  const undescribed = fc.tuple(fc.oneof(anyText, fc.constantFrom('', 'page[]', ...names, ...names)), anyText)
  const pairs = undescribed.map((pair) => pair.join('='))
  return fc
    .tuple(...each, mostly(6, NONE, fc.array(pairs, { minLength: 1, maxLength: 3 })))
    .map((all) => all.flat().join('&'))
    .map((query) => (query === '' ? '' : `?${query}`))
}

/** Fields that are in the path are left out. */
function bodiesOf({ path, requestBody }: Operation, around: Around) {
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return mostly(12, fc.constant(undefined), anyBody)
  const unnamed = ([name]: [string, unknown]) => !path.includes(`{${name}}`)
  const without = (value: unknown) => Object.fromEntries(Object.entries(value as object).filter(unnamed))
  return bodies(allowed(schema, 'body', around).map(without))
}
