import { faultsOf, type Schema } from './json-schema.ts'
import { xmlFaults } from './xml.ts'

export type Answer = {
  description: string
  headers?: Record<string, { schema: Schema }>
  content?: Record<string, { schema: Schema; 'x-with-fields'?: Schema; example?: unknown }>
}
type Parameter = {
  name: string
  in: string
  required?: boolean
  deprecated?: boolean
  schema: Schema
  example?: unknown
}
export type Operation = {
  method: string
  path: string
  operationId: string
  tags?: string[]
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> }
  responses: Record<string, Answer>
}
export type Document = {
  openapi: string
  info: { version: string; description: string; contact: unknown; license: unknown }
  tags: { name: string; description: string }[]
  servers: { url: string }[]
  security?: Record<string, string[]>[]
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, unknown> }
  paths: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
  webhooks?: Record<string, Record<string, Omit<Operation, 'method' | 'path'>>>
}

export function operationsOf(document: Document): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      ...operation,
    })),
  )
}

/** The query may have a key, including sitemap-only keys. */
export function takesToken({ parameters = [] }: Operation): boolean {
  return parameters.some((each) => each.in === 'query' && each.name === 'token')
}

/** The operation's path for a site, with any value for its other parameters. */
export function pathOf({ path }: Operation, siteId: string): string {
  return path.replace('{siteId}', siteId).replaceAll(/\{\w+\}/g, 'a')
}

/** A query that is refused with 400 if there are parameters, since each is given twice. */
export function brokenQuery({ parameters = [] }: Operation): string {
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name)
  return `?${names.map((name) => `${name}=x&${name}=x`).join('&')}`
}

/** The description of the answer to a request with `fields`. */
export function withFields({ content, ...rest }: Answer): Answer {
  const contents = Object.entries(content ?? {}).map(
    ([type, { schema, 'x-with-fields': partial = schema }]) => [type, { schema: partial }],
  )
  return { ...rest, ...(content && { content: Object.fromEntries(contents) }) }
}

/** The faults of an answer's body against its description. Reads it to the end. */
export async function bodyFaults(
  response: Response,
  described: Answer,
  components: Document['components'],
): Promise<string[]> {
  const text = new TextDecoder().decode(await response.arrayBuffer())
  if (!described.content) return text === '' ? [] : ['has a body']
  const type = response.headers.get('Content-Type')?.split(';')[0] ?? ''
  const { schema } = described.content[type] ?? {}
  if (!schema) return [`is no ${Object.keys(described.content).join(' or ')}`]
  if (type === 'text/plain') return faultsOf(text, schema, components)
  if (type === 'application/xml') return xmlFaults(text)
  const line = /^Each line is a (\w+) in JSON/.exec(String(schema.description))?.[1]
  if (!line) return faultsOf(JSON.parse(text), schema, components)
  const lines = text.split('\n').slice(0, -1)
  return [
    ...faultsOf(text, schema, components),
    ...lines.flatMap((each) => faultsOf(JSON.parse(each), components.schemas[line]!, components)),
  ]
}
