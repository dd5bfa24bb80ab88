/** Validates a value against a schema of an OpenAPI 3.1 document. Supports only the keywords in our documents. */
export type Schema = { [keyword: string]: unknown }
type Components = { schemas: Record<string, Schema> }

const FORMATS: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uri: /^[a-z][a-z0-9+.-]*:[!-~]+$/,
}
const SILENT = [
  'description',
  'title',
  'default',
  'deprecated',
  'contentMediaType',
  'contentSchema',
  'x-addition',
  'x-since',
]

/** The faults of the value, a phrase each. An unknown field is a fault too, unless the schema has `additionalProperties`. */
export function faultsOf(value: unknown, schema: Schema, components: Components, path = '$'): string[] {
  const check = (child: unknown, childSchema: unknown, step: string) =>
    faultsOf(child, childSchema as Schema, components, path + step)
  if (typeof schema.$ref === 'string') {
    const named = components.schemas[schema.$ref.replace('#/components/schemas/', '')]
    return named ? check(value, named, '') : [`${path}: ${schema.$ref} is not described`]
  }
  return Object.entries(schema).flatMap(([keyword, rule]): string[] => {
    switch (keyword) {
      case 'type':
        return [rule].flat().some((type) => isOf(type as string, value)) ? [] : [`${path} is not ${rule}`]
      case 'enum':
        return (rule as unknown[]).includes(value) ? [] : [`${path} is none of ${rule}`]
      case 'format':
        if (typeof value !== 'string') return []
        return FORMATS[rule as string]?.test(value) ? [] : [`${path} is no ${rule}`]
      case 'anyOf':
      case 'oneOf': {
        const faults = (rule as Schema[]).map((option) => check(value, option, ''))
        return faults.some((each) => each.length === 0) ? [] : faults.flat()
      }
      case 'const':
        return value === rule ? [] : [`${path} is not ${rule}`]
      case 'pattern':
        return typeof value !== 'string' || new RegExp(rule as string).test(value)
          ? []
          : [`${path} does not match ${rule}`]
      case 'minimum':
        return typeof value === 'number' && value < (rule as number) ? [`${path} is below ${rule}`] : []
      case 'maximum':
        return typeof value === 'number' && value > (rule as number) ? [`${path} is above ${rule}`] : []
      case 'minItems':
      case 'minLength':
        return lengthOf(value) < (rule as number) ? [`${path} is shorter than ${rule}`] : []
      case 'maxItems':
      case 'maxLength':
        return lengthOf(value) > (rule as number) ? [`${path} is longer than ${rule}`] : []
      case 'allOf':
        return (rule as Schema[]).flatMap((each) => check(value, each, ''))
      case 'items':
        return Array.isArray(value) ? value.flatMap((item, at) => check(item, rule, `[${at}]`)) : []
      case 'required':
        if (!isObject(value)) return []
        return (rule as string[]).filter((name) => !(name in value)).map((name) => `${path} lacks ${name}`)
      case 'properties':
        if (!isObject(value)) return []
        return Object.entries(value).flatMap(([name, child]) => {
          const property = (rule as Record<string, Schema>)[name]
          if (property) return check(child, property, `.${name}`)
          return (schema.additionalProperties ?? false) === false ? [`${path}.${name} is not described`] : []
        })
      case 'additionalProperties':
      case 'propertyNames':
        return []
      default:
        return SILENT.includes(keyword) ? [] : [`${path}: unknown keyword ${keyword}`]
    }
  })
}

/** Characters of a text, or items of a list. Otherwise NaN, which is neither too long nor too short. */
function lengthOf(value: unknown): number {
  return typeof value === 'string' || Array.isArray(value) ? [...value].length : Number.NaN
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
