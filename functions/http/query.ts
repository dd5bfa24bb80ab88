import * as z from 'zod/mini'
import { apiNames } from '../../src/content/articles/field-table.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { withoutInvisible } from '../../src/core/fold.ts'
import { UUID } from '../../src/core/ids.ts'
import { parseInstant } from '../../src/core/instant.ts'
import { toInstant } from '../../src/core/time.ts'
import { oneOf } from '../../src/core/zod.ts'
import { actionsOf, auditNouns, isAuditAction } from '../../src/people/audit-actions.ts'

const MAX_SEARCH_LENGTH = 200
export const MAX_NAME_LENGTH = 40

/** Hono passes an array when a parameter is repeated. */
const GIVEN_ONCE = 'must be given once'
const singleValue = z.string(GIVEN_ONCE)

/** Adds OpenAPI metadata. The bundler drops `@__PURE__` calls from the Worker. */
function describe(schema: z.core.$ZodType, meta: z.core.GlobalMeta): void {
  z.globalRegistry.add(schema, meta)
}

function param<Schema extends z.core.$ZodType>(schema: Schema, meta: z.core.GlobalMeta) {
  const optional = z.optional(schema)
  describe(optional, meta)
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
  { fallback, ...meta }: { fallback?: Values[number]; description: string; 'x-addition'?: true },
) {
  const rule = `must be ${oneOf(values)}`
  const error = ({ input }: { input?: unknown }) => (typeof input === 'string' ? rule : GIVEN_ONCE)
  return param(z.enum(values, { error }), { enum: [...values], default: fallback, ...meta })
}

export const sortParam = oneOfParam(['updatedAt', 'publishedAt'], {
  fallback: 'updatedAt',
  description: 'The time to sort by, newest first. Posts without `publishedAt` come last',
  'x-addition': true,
})

export const wordsParam = (description: string) =>
  param(
    z.pipe(
      singleValue.check(
        z.maxLength(MAX_SEARCH_LENGTH, `must be at most ${MAX_SEARCH_LENGTH} characters`),
        z.refine((text) => !text.includes('\0'), 'must not contain NUL'),
      ),
      z.transform((text) => (withoutInvisible(text).trim() === '' ? null : text)),
    ),
    { description },
  )

/** An action of the audit log, or a noun for all of its actions. Empty means no filter. */
export const auditActionParam = (description: string) =>
  param(
    z.pipe(
      singleValue.check(
        z.refine((text) => text === '' || isAuditAction(text), {
          error: ({ input }) => {
            const actions = actionsOf(String(input).split('.')[0]!)
            return actions.length > 0
              ? `must be ${oneOf(actions)}`
              : `must be ${oneOf(auditNouns)}, or one of its actions, such as key.revoked`
          },
        }),
      ),
      z.transform((text) => text || null),
    ),
    { description },
  )

/** Lower case, with letters, digits and "-" only. Empty means no filter. */
export const prefixParam = (description: string) =>
  param(
    z.pipe(
      singleValue.check(z.regex(/^[A-Za-z0-9-]*$/, 'must consist of letters, digits and "-"')),
      z.transform((text) => (text === '' ? null : text.toLowerCase())),
    ),
    { description },
  )

const { all: postFields, always: ALWAYS } = apiNames(POST_FIELDS)

const namesIn = (list: string) => list.split(',').map((name) => name.trim())

/** In canonical order, so that equal requests share a cache entry. */
export const fieldsParam = z.optional(
  z.pipe(
    singleValue.check(({ value, issues }) => {
      const names = namesIn(value)
      const wrong = names.find((name, at) => !postFields.includes(name) || names.indexOf(name) < at)
      if (wrong === undefined) return
      const message = `must be ${oneOf(postFields)}, each once and separated by commas, and not "${wrong.slice(0, MAX_NAME_LENGTH)}"`
      issues.push({ code: 'custom', input: value, message })
    }),
    z.transform((list) => {
      const names = [...ALWAYS, ...namesIn(list)]
      return postFields.filter((name) => names.includes(name))
    }),
  ),
)
/* @__PURE__ */ describe(fieldsParam, {
  description: `Comma-separated names of the fields to return. ${ALWAYS.map((name) => `\`${name}\``).join(', ')} are always returned. Posts are then \`PartialPost\`, guides \`PartialGuide\``,
  'x-addition': true,
})

/** Reports a missing parameter together with the other issues. */
export const requiredParam = (description: string) => param(singleValue, { description, required: true })

export const textParam = (
  description: string,
  rule?: z.core.$ZodCheck<string>,
  meta: z.core.GlobalMeta = {},
) => param(rule ? singleValue.check(rule) : singleValue, { description, ...meta })

/** In upper or lower case, as in a path. */
export const idParam = (description: string) =>
  param(
    z.pipe(
      singleValue.check(z.refine((id) => UUID.test(id.toLowerCase()), 'must be a UUID')),
      z.transform((id) => id.toLowerCase()),
    ),
    { description },
  )

export const includeParam = (names: string[], meta: z.core.GlobalMeta = {}) =>
  param(
    z.pipe(
      singleValue,
      z.transform((list) => {
        const asked = namesIn(list)
        return names.filter((name) => asked.includes(name))
      }),
    ),
    { description: `Comma-separated expansions: ${names.map((name) => `\`${name}\``).join(', ')}`, ...meta },
  )

export const flagParam = (description: string, meta: z.core.GlobalMeta) =>
  param(
    z.pipe(
      singleValue.check(z.refine((text) => text === 'true', 'must be true')),
      z.transform(() => true as const),
    ),
    { type: 'boolean', const: true, description, ...meta },
  )

/** An unencoded `+` in an offset arrives as a space. */
const instant = z.pipe(
  singleValue,
  toInstant((text) => parseInstant(text.replace(' ', '+'))),
)
const toText = z.transform((at: Date) => at.toISOString())

export const timeParam = (description: string) => param(instant, { format: 'date-time', description })

export const instantParam = (description: string) =>
  param(z.pipe(instant, toText), { format: 'date-time', description })

/** Parses a date as an instant: `time` on that day in UTC, as ISO 8601. */
export const dayParam = (time: string, description: string) =>
  param(
    z.pipe(
      z.pipe(
        singleValue,
        toInstant((day) => parseInstant(`${day}T${time}Z`), 'must be a date such as 2026-01-31'),
      ),
      toText,
    ),
    { format: 'date', description },
  )
