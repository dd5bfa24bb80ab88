/** The part of an OpenAPI document that the reference reads. */

export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  description?: string
  deprecated?: boolean
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  'x-since'?: string
}

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  deprecated?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }

export type Response = {
  description: string
  headers?: Record<string, { description: string; schema: Schema; example?: unknown }>
  content?: Record<string, Media>
}

type Described = {
  tags: string[]
  operationId: string
  summary: string
  description?: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Response>
  security?: Record<string, string[]>[]
}

export type Document = {
  info: { description: string }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Described>>
  webhooks?: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

/** For webhooks, `method` is `event` and `path` is the event's name. Other paths include the server's. */
export type Operation = Described & { method: string; path: string }

export function operationsOf({ servers, paths, webhooks = {} }: Document): Operation[] {
  const called = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method,
      path: (servers[0]?.url ?? '') + path,
    })),
  )
  const sent = Object.entries(webhooks).flatMap(([path, { post }]) =>
    post ? { ...post, method: 'event', path } : [],
  )
  return [...called, ...sent]
}
