/** Query parameters: each may be given once, and its error names the rule. */
import * as z from 'zod'
import { parseInstant } from '../../src/time.ts'

const MAX_SEARCH_LENGTH = 200

/** Hono gives an array for a parameter that is given twice. */
const singleValue = () => z.string({ error: 'must be given once' })

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
  return singleValue()
    .refine((text) => /^\d{1,16}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum, rule)
    .transform(Number)
    .optional()
    .meta({
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
  return singleValue()
    .refine(
      (text): text is Values[number] => values.includes(text),
      `must be ${values.join(', ').replace(/, (\w+)$/, ' or $1')}`,
    )
    .optional()
    .meta({ enum: [...values], default: fallback, description })
}

/** A substring to search for. Blank means none. */
export const searchParam = singleValue()
  .max(MAX_SEARCH_LENGTH, `must be at most ${MAX_SEARCH_LENGTH} characters`)
  .refine((text) => !text.includes('\0'), 'must not contain NUL')
  .transform((text) => (text.trim() === '' ? null : text))
  .optional()
  .meta({ description: 'Case-insensitive substring of the title' })

export const languageParam = singleValue()
  .regex(/^[A-Za-z0-9-]*$/, 'must consist of letters, digits and "-"')
  .transform((text) => (text === '' ? null : text))
  .optional()
  .meta({ description: "Case-insensitive prefix of the post's language" })

/** An unencoded `+` in an offset arrives as a space. */
export const instantParam = (description: string) =>
  singleValue()
    .transform((text) => parseInstant(text.replace(' ', '+')))
    .refine((at): at is Date => at !== null, 'must be an RFC 3339 date-time with offset')
    .optional()
    .meta({ format: 'date-time', description })

export const textParam = (description: string) => singleValue().optional().meta({ description })

/** `?include=a,b`: whether the one expansion that there is has been asked for. */
export const includeParam = (name: string, effect = '') =>
  singleValue()
    .transform((list) => list.split(',').some((each) => each.trim() === name))
    .optional()
    .meta({ description: `Comma-separated expansions: \`${name}\`${effect}` })
