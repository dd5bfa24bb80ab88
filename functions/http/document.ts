/** Generates the OpenAPI documents at build time. The Worker bundle excludes this file. */
import * as z from 'zod/mini'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Header = { description: string; schema: object; example: string | number; 'x-addition'?: true }
type Security = Record<string, string[]>[]
type SecurityScheme = { description: string } & (
  | { type: 'http'; scheme: 'bearer' }
  | { type: 'apiKey'; in: 'query'; name: string }
)

/** Only the generator calls functions of this type, so the bundler drops them from the Worker. */
export type Operation = {
  /** In Hono's syntax: `GET /sites/:siteId`. */
  route: `${Method} /${string}`
  operationId: string
  summary: string
  description: string
  /** Marks an operation beyond the contract. Parameters, properties and headers have their own `x-addition`. */
  addition?: true
  security?: Security
  headers?: RequestHeader[]
  query?: z.ZodMiniObject
  body?: z.core.$ZodType
  responses: Record<number, ResponseDescription>
}

export type RequestHeader = { name: string; description: string; schema: object; deprecated?: true }

export type ResponseDescription = {
  description: string
  headers?: Record<string, Header>
  /** By content type. With several types, all but the first bring their own examples. */
  content?: Record<
    string,
    {
      schema: z.core.$ZodType
      /** For requests with `fields`. Client generators ignore it. */
      withFields?: z.core.$ZodType
      example?: unknown
    }
  >
}

export type Tag = { name: string; description: string; operations: Operation[] }

export type EventDescription = {
  event: string
  operationId: string
  summary: string
  description: string
  tag: string
  headers: RequestHeader[]
  body: z.core.$ZodType
  responses: Record<string, { description: string }>
}

export type ApiDescription = {
  root: string
  title: string
  description: string
  /** By name. Operations use the first scheme unless they name another. */
  schemes: Record<string, SecurityScheme>
  headers?: Record<string, Header>
  readErrors?: Record<number, ResponseDescription>
  writeErrors?: Record<number, ResponseDescription>
  /** Schemas that only prose refers to. */
  schemas?: z.core.$ZodType[]
  events?: EventDescription[]
}

export type Examples = Record<
  string,
  { request?: unknown; headers?: Record<string, string>; responses?: Record<string, unknown> }
>

type Schemas = Record<string, object>

/** HEAD operations would duplicate every read in generated clients. */
const HEAD = 'Every GET path also supports HEAD, with the same status and headers but without a body.'

const PATH_PARAMETERS: Record<string, { description: string; format?: 'uuid' }> = {
  siteId: { description: 'The id of the site', format: 'uuid' },
  slug: { description: 'The slug of the post or guide' },
  keyId: { description: 'The id of the key', format: 'uuid' },
  eventId: { description: 'The id of the event', format: 'uuid' },
  endpointId: { description: 'The id of the webhook', format: 'uuid' },
  deliveryId: { description: 'The id of the delivery attempt', format: 'uuid' },
  resendId: { description: 'The id of the resend', format: 'uuid' },
  operatorId: { description: 'The id of the operator', format: 'uuid' },
  tokenId: { description: 'The id of the token', format: 'uuid' },
  linkId: { description: 'The id of the link', format: 'uuid' },
  sessionId: { description: 'The id of the session', format: 'uuid' },
  rowId: { description: 'The id of the training row', format: 'uuid' },
}

const CONTACT = { name: 'The operator of this service' }
const LICENSE = { name: 'MIT', identifier: 'MIT' }

/** @throws Error when a route has no description, or a description has no route */
export function makeDocument(api: ApiDescription, routes: string[], tags: Tag[], examples: Examples): object {
  refuseDifference(routes, tags)
  const { title, description, root, events = [] } = api
  const schemas: Schemas = {}
  for (const schema of api.schemas ?? []) toJsonSchema(schema, schemas)
  const paths: Record<string, Record<string, object>> = {}
  for (const { name, operations } of tags) {
    for (const operation of operations) {
      const [method, path] = operation.route.split(' ') as [string, string]
      const template = path.replaceAll(/:(\w+)/g, '{$1}')
      const described = toOperationObject(operation, api, schemas, examples[operation.operationId] ?? {})
      paths[template] = { ...paths[template], [method.toLowerCase()]: { tags: [name], ...described } }
    }
  }
  const webhooks = events.map((each) => [
    each.event,
    { post: toEventObject(each, schemas, examples[each.operationId] ?? {}) },
  ])
  return {
    openapi: '3.1.0',
    info: {
      title,
      description: `${description} ${HEAD}`,
      version: '1.0.0',
      contact: CONTACT,
      license: LICENSE,
    },
    servers: [{ url: root }],
    security: [{ [Object.keys(api.schemes)[0]!]: [] }],
    tags: tags.map(({ operations: _, ...tag }) => tag),
    components: { securitySchemes: api.schemes, schemas },
    paths,
    ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhooks) }),
  }
}

function refuseDifference(routes: string[], tags: Tag[]): void {
  const described = new Set<string>(tags.flatMap(({ operations }) => operations.map(({ route }) => route)))
  const wrong = new Set(routes).symmetricDifference(described)
  if (wrong.size > 0) throw new Error(`Either route or description is missing: ${[...wrong].join(', ')}`)
}

type Example = Examples[string]

function toOperationObject(operation: Operation, api: ApiDescription, schemas: Schemas, example: Example) {
  const { operationId, summary, description, addition, security, body } = operation
  const refusals = operation.route.startsWith('GET') ? api.readErrors : api.writeErrors
  const responses = Object.entries({ ...operation.responses, ...refusals }).map(([status, answer]) => [
    status,
    {
      ...answer,
      headers: { ...answer.headers, ...api.headers },
      content: contentOf(answer, schemas, example.responses?.[status]),
    },
  ])
  return {
    operationId,
    summary,
    description,
    'x-addition': addition,
    security,
    parameters: parametersOf(operation, schemas),
    requestBody: body && jsonBody(body, schemas, example.request),
    responses: Object.fromEntries(responses),
  }
}

function toEventObject(
  { event: _, tag, headers, body, ...rest }: EventDescription,
  schemas: Schemas,
  example: Example,
): object {
  return {
    tags: [tag],
    ...rest,
    // Receivers verify the signature instead.
    security: [],
    parameters: headers.map((header) => ({
      ...header,
      in: 'header',
      required: true,
      example: example.headers?.[header.name],
    })),
    requestBody: jsonBody(body, schemas, example.request),
  }
}

function jsonBody(body: z.core.$ZodType, schemas: Schemas, example: unknown): object {
  return { required: true, content: { 'application/json': { schema: toJsonSchema(body, schemas), example } } }
}

function parametersOf({ route, headers = [], query }: Operation, schemas: Schemas): object[] {
  const inPath = [...route.matchAll(/:(\w+)/g)].map(([, name]) => {
    const { description, ...format } = PATH_PARAMETERS[name!]!
    return { name, in: 'path', required: true, description, schema: { type: 'string', ...format } }
  })
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => {
    // Zod omits the default of a transformed schema.
    const {
      description,
      required = false,
      'x-addition': addition,
      ...json
    } = {
      ...toJsonSchema(schema, schemas),
      ...z.globalRegistry.get(schema),
    }
    return { name, in: 'query', required, description, 'x-addition': addition, schema: json }
  })
  return [...inPath, ...inQuery, ...headers.map((header) => ({ ...header, in: 'header' }))]
}

function contentOf({ content }: ResponseDescription, schemas: Schemas, example: unknown): object | undefined {
  if (!content) return undefined
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema, withFields, example: own = example }]) => [
      type,
      {
        schema: toJsonSchema(schema, schemas),
        'x-with-fields': withFields && toJsonSchema(withFields, schemas),
        example: own,
      },
    ]),
  )
}

/** The input schema allows unknown fields, which later versions may add. Collects named schemas in `schemas`. */
function toJsonSchema(schema: z.core.$ZodType, schemas: Schemas): z.core.JSONSchema.BaseSchema {
  const { $schema: _, $defs, ...json } = z.toJSONSchema(schema, { io: 'input', override: simplify })
  const text = JSON.stringify({ json, $defs }).replaceAll('#/$defs/', '#/components/schemas/')
  const located = JSON.parse(text)
  Object.assign(schemas, located.$defs)
  return located.json
}

type Override = { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }

/** Writes "or null" as a type and drops keywords that readers don't need. */
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
