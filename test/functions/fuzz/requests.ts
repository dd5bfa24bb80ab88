/** Requests of an operation with one or two faults, so that most of them pass authentication. */
import { exports } from 'cloudflare:workers'
import fc from 'fast-check'
import type { Document, Operation } from '../../support/openapi.ts'
import { ORIGIN } from '../../support/site.ts'
import { allowed, edges } from './schema.ts'
import { headerTexts, hostile, jsonValues, mostly, storable, words } from './values.ts'
import type { Caller, World } from './world.ts'

/** Headers may repeat. `path` includes the query, encoded. */
export type FuzzRequest = {
  method: string
  path: string
  headers: [string, string][]
  body?: string | Uint8Array | undefined
}

type Headers = fc.Arbitrary<[string, string][]>
type Components = Document['components']

const METHODS = words('GET HEAD POST PUT PATCH DELETE OPTIONS PURGE PROPFIND TRACE LOCK get')
const STRAY_ENDS = words('/ // /. /.. /x %00 %2F .json ;a=1 #')
const HEADERS = words(
  'Accept Accept-Encoding Range Cookie Origin Prefer If-Match If-None-Match TE Expect X-Request-Id Content-Encoding ' +
    'Transfer-Encoding Access-Control-Request-Method X-HTTP-Method-Override X-Forwarded-Proto CF-Connecting-IP',
)
const ODD_VALUES = words('chunked gzip bytes=0-0 0 -1 100-continue DELETE text/html * W/"a" " ,')
const TYPES = words('APPLICATION/JSON text/plain application/x-www-form-urlencoded multipart/form-data')
const BROKEN = ['', ' ', '['.repeat(100_000), ...words(`{ {} [] null 0 01 1e999 {"a":NaN} {'a':1} {"a":1,}`)]

/** Without the fragment, which clients do not send. */
export function urlOf({ path }: Pick<FuzzRequest, 'path'>): URL {
  const url = new URL(ORIGIN + path)
  url.hash = ''
  return url
}

export function send(request: FuzzRequest): Promise<Response> {
  const { method, body = null } = request
  // A different address each time, so that attempts are rarely throttled.
  const isGiven = /cf-connecting-ip/i.test(String(request.headers))
  const headers = new Headers(isGiven ? {} : { 'CF-Connecting-IP': crypto.randomUUID() })
  for (const [name, value] of request.headers) headers.append(name, value)
  const sent = /^(get|head)$/i.test(method) ? null : body
  return exports.default.fetch(
    new Request(urlOf(request), { method, headers, redirect: 'manual', body: sent }),
  )
}

/** Well-formed in a URL, whatever the text. */
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())
/** Plain or encoded. */
const anyText = fc.oneof(hostile.map(encoded), hostile)
const named = (name: string, values: fc.Arbitrary<string>) =>
  values.map((value): [string, string] => [name, value])

const NONE: Headers = fc.constant([])
const anyHeaders: Headers = fc.array(
  fc.tuple(fc.constantFrom(...HEADERS), fc.oneof(headerTexts, fc.constantFrom(...ODD_VALUES))),
  { minLength: 1, maxLength: 4 },
)

/** Mostly with the valid key. */
function authorizations({ secret, refused }: Caller): Headers {
  const valid = fc.constantFrom('Bearer ', 'bearer ', 'BEARER   ').map((scheme) => scheme + secret)
  const wrong = fc.oneof(
    fc.constantFrom(...refused).map((key) => `Bearer ${key}`),
    fc.constantFrom('', 'Bearer', 'Basic ', 'Token ', 'Bearer\t').map((scheme) => scheme + secret),
    fc.constantFrom('x', ' x', ',', '"', '%00', '=').map((end) => `Bearer ${secret}${end}`),
    fc.constantFrom('', 'Bearer', `Basic ${btoa(`:${secret}`)}`, `Bearer "${secret}"`, secret.slice(1)),
    headerTexts.map((text) => `Bearer ${text}`),
  )
  return fc.oneof(
    { weight: 40, arbitrary: fc.tuple(named('authorization', valid)) },
    { weight: 1, arbitrary: NONE },
    { weight: 3, arbitrary: fc.tuple(named('Authorization', wrong)) },
    { weight: 1, arbitrary: fc.tuple(named('Authorization', valid), named('Authorization', wrong)) },
  )
}

/** Requests of the operation below `root`, by any caller of the world. */
export function requestsOf(operation: Operation, root: string, world: World, components: Components) {
  const { callers } = world
  return fc.oneof(
    ...callers.map(({ weight, caller }) => ({
      weight,
      arbitrary: requestsBy(caller, operation, root, components),
    })),
  )
}

function requestsBy(
  caller: Caller,
  operation: Operation,
  root: string,
  components: Components,
): fc.Arbitrary<FuzzRequest> {
  const { parameters = [] } = operation
  const described = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
  const read = described.map((name) =>
    mostly(
      6,
      NONE,
      fc.tuple(named(name, fc.oneof(fc.constantFrom(...(caller.known[name] ?? ['x'])), headerTexts))),
    ),
  )
  return fc
    .record({
      method: mostly(40, fc.constant(operation.method), fc.constantFrom(...METHODS)),
      path: pathsOf(operation, caller),
      query: queriesOf(operation, caller, components),
      authorization: authorizations(caller),
      headers: fc.tuple(...read, mostly(3, NONE, anyHeaders)).map((all) => all.flat()),
      type: mostly(12, fc.constant('application/json'), fc.oneof(fc.constantFrom(...TYPES), headerTexts)),
      body: bodiesOf(operation, caller, components),
    })
    .map(({ method, path, query, authorization, headers, type, body }) => ({
      method,
      path: root + path + query,
      headers: [...authorization, ...headers, ...(body === undefined ? [] : [['Content-Type', type]])] as [
        string,
        string,
      ][],
      body,
    }))
}

/** Paths and methods without an operation, except by chance. */
export function strayRequests(root: string, paths: string[], { callers }: World): fc.Arbitrary<FuzzRequest> {
  const segments = fc.oneof(fc.constantFrom(...paths.flatMap((path) => path.slice(1).split('/'))), anyText)
  const below = fc.oneof(
    fc.array(segments, { maxLength: 6 }).map((all) => `/${all.join('/')}`),
    fc.constantFrom(...paths),
  )
  return fc
    .record({
      method: fc.constantFrom(...METHODS),
      // `/` redirects to the console, however it is spelt.
      path: fc
        .tuple(mostly(9, fc.constant(root), fc.constant('')), below)
        .map((parts) => parts.join(''))
        .filter((path) => urlOf({ path }).pathname !== '/'),
      authorization: authorizations(callers[0]!.caller),
      headers: anyHeaders,
    })
    .map(({ authorization, headers, ...request }) => ({
      ...request,
      headers: [...authorization, ...headers],
    }))
}

function pathsOf(operation: Operation, { known }: Caller): fc.Arbitrary<string> {
  const segments = operation.path.split('/').map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (!name) return fc.constant(segment)
    return mostly(14, fc.constantFrom(...known[name]!).map(encoded), anyText)
  })
  const ends = mostly(60, fc.constant(''), fc.constantFrom(...STRAY_ENDS))
  return fc.tuple(fc.tuple(...segments), ends).map(([all, end]) => all.join('/') + end)
}

function queriesOf(
  { parameters = [] }: Operation,
  { known }: Caller,
  components: Components,
): fc.Arbitrary<string> {
  const none = fc.constant<string[]>([])
  const described = parameters.filter((parameter) => parameter.in === 'query')
  const each = described.map(({ name, schema }) => {
    const values = fc.oneof(
      { weight: 16, arbitrary: allowed(schema, name, { components, known }).map(String).map(encoded) },
      { weight: 1, arbitrary: edges(schema).map(encoded) },
      { weight: 2, arbitrary: anyText },
    )
    return mostly(2, none, fc.tuple(values.map((value) => `${name}=${value}`)))
  })
  const names = fc.oneof(anyText, fc.constantFrom('', 'page[]', ...described.map(({ name }) => name)))
  const pairs = fc.tuple(names, anyText).map((pair) => pair.join('='))
  return fc
    .tuple(...each, mostly(6, none, fc.array(pairs, { minLength: 1, maxLength: 3 })))
    .map((all) => all.flat().join('&'))
    .map((query) => (query === '' ? '' : `?${query}`))
}

/** About half of the bodies are valid. Fields that are in the path are left out. */
function bodiesOf({ path, requestBody }: Operation, { known }: Caller, components: Components) {
  const schema = requestBody?.content['application/json']?.schema
  const broken = fc.oneof(
    jsonValues.map((value) => JSON.stringify(value)),
    fc.constantFrom(...BROKEN),
    fc.uint8Array({ maxLength: 20 }),
  )
  if (!schema) return mostly(12, fc.constant(undefined), broken)
  const unnamed = ([name]: [string, unknown]) => !path.includes(`{${name}}`)
  const values = allowed(schema, 'body', { components, known }).map((value) =>
    Object.fromEntries(Object.entries(value as object).filter(unnamed)),
  )
  const field = fc.oneof(storable, fc.constantFrom('id', 'updatedAt', '__proto__', 'siteId', 'status'))
  const changed = fc.tuple(values, fc.nat(), field, jsonValues).map(([value, at, name, other]) => {
    const names = Object.keys(value)
    return JSON.stringify({ ...value, [at % 3 > 0 ? (names[at % names.length] ?? name) : name]: other })
  })
  const cut = fc.tuple(values, fc.nat()).map(([value, at]) => {
    const json = JSON.stringify(value)
    return json.slice(0, at % json.length)
  })
  return fc.oneof(
    { weight: 60, arbitrary: values.map((value): string | Uint8Array => JSON.stringify(value)) },
    { weight: 30, arbitrary: changed },
    { weight: 5, arbitrary: cut },
    { weight: 5, arbitrary: broken },
  )
}
