/** Headers of requests: the described ones, keys in every spelling, and others. */
import fc from 'fast-check'
import type { Operation } from '../../support/openapi.ts'
import type { Known } from './schema.ts'
import { headerTexts, mostly, words } from './values.ts'

/** A caller: its valid and refused credentials, and the resources that exist for it. */
export type Caller = { secret: string; refused: string[]; known: Known }

type Headers = fc.Arbitrary<[string, string][]>

const NONE = fc.constant<[string, string][]>([])
const NAMES = [
  ...words(
    'Accept Accept-Language Accept-Encoding Range Cookie Origin Host Prefer If-Match TE Expect Connection',
  ),
  ...words('Content-Length Content-Encoding Transfer-Encoding Access-Control-Request-Method Forwarded'),
  ...words('X-HTTP-Method-Override X-Forwarded-Proto CF-Connecting-IP'),
]
const ODD_VALUES = words('chunked gzip bytes=0-0 0 -1 99999999 100-continue DELETE text/html')
const JSON_TYPES = ['application/json; charset=utf-8', 'application/json;charset="x"', 'APPLICATION/JSON']
const OTHER_TYPES = words(
  'application/jsonx text/plain application/x-www-form-urlencoded multipart/form-data',
)

/** Mostly with the valid key. */
export function authorizations({ secret, refused }: Caller): Headers {
  const schemes = fc.constantFrom('Bearer ', 'bearer ', 'BEARER   ')
  const valid = schemes.map((scheme) => scheme + secret)
  const wrong = fc.oneof(
    fc.constantFrom(...refused).map((key) => `Bearer ${key}`),
    fc.constantFrom('', 'Bearer', 'Bearer ', 'Basic ', 'Token ', 'Bearer\t').map((scheme) => scheme + secret),
    fc.constantFrom('x', ' x', ',', '"', '%00', '=').map((end) => `Bearer ${secret}${end}`),
    fc.constantFrom('', 'Bearer', `Basic ${btoa(`:${secret}`)}`, `Bearer "${secret}"`, secret.slice(1)),
    fc.tuple(fc.constantFrom('', 'Bearer ', 'Bearer hca_live_'), headerTexts).map((parts) => parts.join('')),
  )
  return fc.oneof(
    { weight: 40, arbitrary: fc.tuple(named('authorization', valid)) },
    { weight: 1, arbitrary: NONE },
    { weight: 3, arbitrary: fc.tuple(named('Authorization', wrong)) },
    { weight: 1, arbitrary: fc.tuple(named('Authorization', valid), named('Authorization', wrong)) },
  )
}

/** The described headers of the operation, and others. */
export function otherHeaders({ parameters = [] }: Operation, known: Known): Headers {
  const described = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
  const read = described.map((name) =>
    mostly(6, NONE, fc.tuple(named(name, fc.oneof(fc.constantFrom(...known[name]!), headerTexts)))),
  )
  return fc.tuple(...read, mostly(3, NONE, anyHeaders)).map((headers) => headers.flat())
}

export const anyHeaders: Headers = fc.array(
  fc.oneof(
    named('If-None-Match', fc.oneof(fc.constantFrom('*', '"a", *', 'W/"a"', '"', ','), headerTexts)),
    named('X-Request-Id', fc.oneof(fc.uuid(), headerTexts)),
    fc.tuple(fc.constantFrom(...NAMES), fc.oneof(headerTexts, fc.constantFrom(...ODD_VALUES))),
  ),
  { minLength: 1, maxLength: 4 },
)

/** The content type of a body, mostly JSON. */
export const contentTypes: Headers = fc
  .oneof(
    { weight: 30, arbitrary: fc.constant(['application/json']) },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...JSON_TYPES)) },
    { weight: 2, arbitrary: fc.tuple(fc.oneof(fc.constantFrom(...OTHER_TYPES), headerTexts)) },
    { weight: 1, arbitrary: fc.constantFrom([], ['application/json', 'text/plain']) },
  )
  .map((types) => types.map((type): [string, string] => ['Content-Type', type]))

function named(name: string, values: fc.Arbitrary<string>): fc.Arbitrary<[string, string]> {
  return values.map((value): [string, string] => [name, value])
}
