/** Generates OpenAPI documents from routes and their descriptions, before a deployment. The Worker has none of this. */
import * as z from 'zod/mini'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Header = { description: string; schema: object; example: string | number }
type Security = Record<string, string[]>[]

/**
 * What a route does, for the document. Descriptions are functions next to their routes, which the bundler leaves out of
 * the Worker, since only the generator calls them.
 */
export type Operation = {
  /** As Hono has it: `GET /sites/:siteId`. */
  route: `${Method} /${string}`
  operationId: string
  summary: string
  description?: string
  security?: Security
  /** Headers of the request. */
  headers?: { name: string; description: string; schema: object }[]
  query?: z.ZodMiniObject
  body?: z.core.$ZodType
  responses: Record<number, ResponseDescription>
}

export type ResponseDescription = {
  description: string
  headers?: Record<string, Header>
  content?: Record<string, { schema: z.core.$ZodType; example?: string }>
}

export type ApiDescription = {
  /** Where the app is mounted. */
  root: string
  title: string
  description: string
  /** The name of the security scheme: the Bearer token that every operation needs, unless it says otherwise. */
  scheme: string
  /** Headers of every response. */
  headers?: Record<string, Header>
  /** Schemas that only a text refers to. */
  schemas?: z.core.$ZodType[]
}

type Schemas = Record<string, object>

/** Not described as operations, or generated clients would have every read twice. */
const HEAD =
  'Every path that answers GET answers HEAD too: with the same status and headers, and without a body.'

const PATH_PARAMETERS: Record<string, { description: string; format?: 'uuid' }> = {
  siteId: { description: 'The site', format: 'uuid' },
  slug: { description: 'The slug' },
  keyId: { description: 'The key', format: 'uuid' },
  eventId: { description: 'The event', format: 'uuid' },
  deliveryId: { description: 'The delivery', format: 'uuid' },
}

/**
 * The document of the routes, in their order.
 *
 * @throws Error when a route has no description, or a description no route
 */
export function makeDocument(door: ApiDescription, routes: string[], operations: Operation[]): object {
  const undescribed = new Set(routes).difference(new Set(operations.map(({ route }) => route)))
  const unrouted = new Set(operations.map(({ route }) => route)).difference(new Set<string>(routes))
  const wrong = [...undescribed, ...unrouted]
  if (wrong.length > 0) throw new Error(`Either route or description is missing: ${wrong.join(', ')}`)

  const schemas: Schemas = {}
  for (const schema of door.schemas ?? []) toJsonSchema(schema, schemas)
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const [method, path] = operation.route.split(' ') as [string, string]
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: toOperationObject(operation, door, schemas),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: door.title, description: `${door.description} ${HEAD}`, version: '1.0.0' },
    servers: [{ url: door.root }],
    security: [{ [door.scheme]: [] }],
    components: { securitySchemes: { [door.scheme]: { type: 'http', scheme: 'bearer' } }, schemas },
    paths,
  }
}

function toOperationObject(operation: Operation, door: ApiDescription, schemas: Schemas): object {
  const { operationId, summary, description, security, body } = operation
  const responses = Object.entries(operation.responses).map(([status, answer]) => [
    status,
    { ...answer, headers: { ...answer.headers, ...door.headers }, content: contentOf(answer, schemas) },
  ])
  return {
    operationId,
    summary,
    description,
    security,
    parameters: parametersOf(operation, schemas),
    requestBody: body && {
      required: true,
      content: { 'application/json': { schema: toJsonSchema(body, schemas) } },
    },
    responses: Object.fromEntries(responses),
  }
}

function parametersOf({ route, headers = [], query }: Operation, schemas: Schemas): object[] {
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name]) => {
    const { description, ...format } = PATH_PARAMETERS[name!]!
    return { name, in: 'path', required: true, description, schema: { type: 'string', ...format } }
  })
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    // Zod leaves out the default of what it transforms.
    const { description, ...json } = {
      ...toJsonSchema(schema, schemas),
      ...z.globalRegistry.get(schema),
    }
    return { name, in: 'query', required: false, description, schema: json }
  })
  return [...inPath, ...inQuery, ...headers.map((header) => ({ ...header, in: 'header' }))]
}

function contentOf({ content }: ResponseDescription, schemas: Schemas): object | undefined {
  if (!content) return undefined
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, ...rest }]) => [
      type,
      { schema: toJsonSchema(schema, schemas), ...rest },
    ]),
  )
}

/** The schema as input, which allows unknown fields: later versions may add some. Named schemas go to `schemas`. */
function toJsonSchema(schema: z.core.$ZodType, schemas: Schemas): z.core.JSONSchema.BaseSchema {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io: 'input', override: simplify })
  const text = JSON.stringify({ json, $defs }).replaceAll('#/$defs/', '#/components/schemas/')
  const located = JSON.parse(text)
  Object.assign(schemas, located.$defs)
  return located.json
}

type Override = { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }

/** Writes "or null" as a type, and leaves out what a reader does not need. */
function simplify({ zodSchema, jsonSchema }: Override): void {
  const inner = zodSchema._zod.def.type === 'nullable' ? jsonSchema.anyOf?.[0] : undefined
  if (inner?.type) {
    delete jsonSchema.anyOf
    Object.assign(jsonSchema, inner, { type: [inner.type, 'null'] })
    if (inner.enum) jsonSchema.enum = [...inner.enum, null]
  }
  delete jsonSchema.propertyNames
  if (jsonSchema.format) delete jsonSchema.pattern
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
