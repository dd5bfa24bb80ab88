/** The operations of the management API, by method and path, and what they take and answer: from its OpenAPI document. */
import { Failure } from './failure.ts'
import type { components, paths } from './openapi.ts'

type Methods = { GET: 'get'; POST: 'post'; PUT: 'put'; PATCH: 'patch'; DELETE: 'delete' }
type Method = keyof Methods

/** Such as `PUT /sites/{siteId}/sitemap`. */
export type Route = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path] extends Record<Methods[M], { responses: unknown }> ? `${M} ${Path}` : never
  }[Method]
}[keyof paths]

type Operation<R extends Route> = R extends `${infer M extends Method} ${infer Path extends keyof paths}`
  ? paths[Path][Methods[M]]
  : never

type Json<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : null

/** The JSON of a 2xx answer; null for 204. */
export type Answer<R extends Route> =
  Operation<R> extends infer One
    ? One extends { responses: infer Responses }
      ? Json<Responses[keyof Responses]>
      : never
    : never

/** An item of a list. */
export type Item<R extends Route> = Answer<R> extends { items: (infer One)[] } ? One : never

/** The shapes of the API, by their names in the document. */
export type Schemas = components['schemas']

/** The method and the path of `route`, whose parameters are `values`, each encoded as one segment. */
export function placeOf(route: Route, values: readonly string[]): { method: string; path: string } {
  const [method = '', template = ''] = route.split(' ')
  const left = [...values]
  const path = template.replace(/\{\w+\}/g, () => {
    const value = left.shift() ?? ''
    if (value === '' || value === '.' || value === '..')
      throw new Failure(`${JSON.stringify(value)} is not an id or slug`)
    return encodeURIComponent(value)
  })
  return { method, path }
}
