/** Operations of the management API with their types, from its OpenAPI document. */
import { Failure } from './failure.ts'
import type { components, paths } from './openapi.ts'

type Methods = { GET: 'get'; POST: 'post'; PUT: 'put'; PATCH: 'patch'; DELETE: 'delete' }
type Method = keyof Methods

export type Route = {
  [Path in keyof paths]: {
    [M in Method]: paths[Path] extends Record<Methods[M], { responses: unknown }> ? `${M} ${Path}` : never
  }[Method]
}[keyof paths]

type Operation<R extends Route> = R extends `${infer M extends Method} ${infer Path extends keyof paths}`
  ? paths[Path][Methods[M]]
  : never

type Json<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : null

export type Answer<R extends Route> =
  Operation<R> extends infer One
    ? One extends { responses: infer Responses }
      ? Json<Responses[keyof Responses]>
      : never
    : never

export type Item<R extends Route> = Answer<R> extends { items: (infer One)[] } ? One : never

export type Schemas = components['schemas']

/** Encodes each of `values` as one path segment. @throws Failure for an empty value, `.` or `..` */
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
