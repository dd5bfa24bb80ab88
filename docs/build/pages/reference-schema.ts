/** JSON Schema in words: the type of a value, and the properties of an object, including nested ones. */
import { escapeHtml } from './page.ts'
import type { Schema } from './reference-document.ts'

/** HTML, such as `string or null, at most 200 characters`. */
export function typeText(schema: Schema): string {
  const { $ref, anyOf, items, type, format } = schema
  if ($ref) {
    const name = $ref.split('/').at(-1)!
    return `<a href="#${name}">${name}</a>`
  }
  if (anyOf) return anyOf.map(typeText).join(' or ')
  if (schema.const !== undefined) return codeOf(schema.const)
  if (schema.enum) return schema.enum.map(codeOf).join(' or ')
  const types = [type ?? 'any'].flat().map((each) => {
    if (each === 'array') return items ? `array of ${typeText(items)}` : 'array'
    if (each === 'string' && format) return `string (${FORMATS[format] ?? format})`
    return each
  })
  return [types.join(' or '), ...limitsOf(schema)].join(', ')
}

const FORMATS: Record<string, string> = {
  'date-time': 'RFC 3339 time',
  date: 'date',
  uuid: 'UUID',
  uri: 'URL',
}

const codeOf = (value: unknown) => (value === null ? 'null' : `<code>${escapeHtml(String(value))}</code>`)

function limitsOf({ minLength, maxLength, minimum, maximum, minItems, maxItems, pattern }: Schema): string[] {
  return [
    rangeText(minLength, maxLength, ' characters'),
    rangeText(minimum, maximum, ''),
    rangeText(minItems, maxItems, ' items'),
    pattern ? `matching <code>${escapeHtml(pattern)}</code>` : '',
  ].filter((text) => text !== '')
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string {
  const [from, to] = [least, most].map((limit) => limit?.toLocaleString('en'))
  if (from !== undefined && to !== undefined)
    return from === to ? `${from}${unit}` : `${from} to ${to}${unit}`
  if (to !== undefined) return `at most ${to}${unit}`
  return from === undefined ? '' : `at least ${from}${unit}`
}

export type Row = { name: string; type: string; isRequired: boolean; description: string | undefined }

/** The properties of an object, nested ones as `seo.keywords`, those of arrays as `items[].slug`. */
export function schemaRows(schema: Schema, before = ''): Row[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = before + name
    const since = property['x-since'] ? `Since ${property['x-since']}.` : ''
    const deprecated = property.deprecated ? 'Deprecated.' : ''
    const row = {
      name: path,
      type: typeText(property),
      isRequired: schema.required?.includes(name) ?? false,
      description: [property.description, deprecated, since].filter(Boolean).join('. ').replaceAll('..', '.'),
    }
    return [row, ...schemaRows(property, `${path}.`), ...schemaRows(property.items ?? {}, `${path}[].`)]
  })
}
