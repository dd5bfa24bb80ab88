/** Query parameters: each may be given once, and its error names the rule. */
import * as z from 'zod/mini'
import { parseInstant, toInstant } from '../../src/time.ts'
import { oneOf } from '../../src/zod-messages.ts'

const MAX_SEARCH_LENGTH = 200

/** Hono gives an array for a parameter that is given twice. */
const GIVEN_ONCE = 'must be given once'
const singleValue = z.string(GIVEN_ONCE)

/** A parameter that may be left out, with what the OpenAPI document says of it. */
function param<Schema extends z.core.$ZodType>(schema: Schema, meta: z.core.GlobalMeta) {
  const optional = z.optional(schema)
  z.globalRegistry.add(optional, meta)
  return optional
}

/** Digits only: no sign, fraction or exponent. */
export function integerParam(options: {
  minimum: number
  maximum?: number
  fallback?: number
  description: string
}) {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER, fallback, description } = options
  const rule =
    options.maximum === undefined
      ? `must be an integer of at least ${minimum}`
      : `must be an integer from ${minimum} to ${maximum}`
  const inRange = z.refine<string>(
    (text) => /^\d{1,16}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum,
    rule,
  )
  return param(z.pipe(singleValue.check(inRange), z.transform(Number)), {
    type: 'integer',
    minimum,
    ...(options.maximum && { maximum }),
    default: fallback,
    description,
  })
}

export function oneOfParam<const Values extends readonly string[]>(
  values: Values,
  { fallback, description }: { fallback?: Values[number]; description: string },
) {
  const rule = `must be ${oneOf(values)}`
  const error = ({ input }: { input?: unknown }) => (typeof input === 'string' ? rule : GIVEN_ONCE)
  return param(z.enum(values, { error }), { enum: [...values], default: fallback, description })
}

export const statusParam = oneOfParam(['draft', 'published', 'all'], {
  fallback: 'all',
  description: 'Status; `all` gives both',
})

/** A substring to search for. Blank means none. */
export const searchParam = param(
  z.pipe(
    singleValue.check(
      z.maxLength(MAX_SEARCH_LENGTH, `must be at most ${MAX_SEARCH_LENGTH} characters`),
      z.refine((text) => !text.includes('\0'), 'must not contain NUL'),
    ),
    z.transform((text) => (text.trim() === '' ? null : text)),
  ),
  { description: 'Case-insensitive substring of the title' },
)

export const languageParam = param(
  z.pipe(
    singleValue.check(z.regex(/^[A-Za-z0-9-]*$/, 'must consist of letters, digits and "-"')),
    z.transform((text) => (text === '' ? null : text)),
  ),
  { description: "Case-insensitive prefix of the post's language" },
)

/** An unencoded `+` in an offset arrives as a space. */
export const updatedAfterParam = param(
  z.pipe(
    singleValue,
    toInstant((text) => parseInstant(text.replace(' ', '+'))),
  ),
  {
    format: 'date-time',
    description: 'Only posts updated strictly after this time, oldest update first',
  },
)

export const textParam = (description: string, rule?: z.core.$ZodCheck<string>) =>
  param(rule ? singleValue.check(rule) : singleValue, { description })

/** `?include=a,b`: whether the one expansion that there is has been asked for. */
export const includeParam = (name: string, effect = '') =>
  param(
    z.pipe(
      singleValue,
      z.transform((list) => list.split(',').some((each) => each.trim() === name)),
    ),
    { description: `Comma-separated expansions: \`${name}\`${effect}` },
  )
