/** Each test creates its own site, with a key, through the public APIs. */
import { env, exports } from 'cloudflare:workers'
import { test } from 'vitest'
import type { Answer, Route } from '../../src/transfer/routes.ts'
import { inspected } from './guard.ts'

type Json = Record<string, unknown>
type Call = { method?: string; body?: unknown; headers?: Record<string, string>; key?: string | null }

export const ORIGIN = 'https://api.test'
export const operatorToken = (env as unknown as { OPERATOR_TOKEN: string }).OPERATOR_TOKEN

/** A request to the Worker from outside. */
export async function call(
  path: string,
  { method = 'GET', body, headers = {}, key }: Call = {},
): Promise<Response> {
  const request = new Request(`${ORIGIN}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      // A random address, so that attempts of one test do not count against another.
      'CF-Connecting-IP': crypto.randomUUID(),
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return inspected(request, await exports.default.fetch(request))
}

type Split<Path extends string> = Path extends `${infer One}/${infer Rest}` ? [One, ...Split<Rest>] : [Path]
/** `['', 'sites', string]` for `/sites/${id}?limit=1`. */
type Segments<Path extends string> = Path extends `${infer Before}?${string}` ? Split<Before> : Split<Path>
type Filled<Template> = { [At in keyof Template]: Template[At] extends `{${string}}` ? string : Template[At] }
type Matching<R extends Route, Method extends string, Given> = R extends `${Method} ${infer Template}`
  ? Given extends Filled<Split<Template>>
    ? R
    : never
  : never
type RouteOf<Method extends string, Path extends string> = Matching<Route, Method, Segments<Path>>

/** The described answer. JSON where the route is known only at run time. */
type Managed<Method extends string, Path extends string> = [RouteOf<Method, Path>] extends [never]
  ? Json
  : Answer<RouteOf<Method, Path>>

/**
 * A request to the management API.
 * @throws with its error text unless it succeeds
 */
export async function manage<const M extends string, const P extends string>(
  method: M,
  path: P,
  body?: unknown,
): Promise<Managed<M, P>> {
  const response = await call(`/manage/v1${path}`, { method, body, key: operatorToken })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text === '' ? null : JSON.parse(text)) as Managed<M, P>
}

/** A request to the management API that may be refused. */
export async function tryManage(method: string, path: string, body?: unknown) {
  const response = await call(`/manage/v1${path}`, { method, body, key: operatorToken })
  return { status: response.status, body: response.status === 204 ? null : await response.json<Json>() }
}

export type TestSite = Awaited<ReturnType<typeof makeSite>>

export async function makeSite(fields: Json = {}) {
  const site = await manage('POST', '/sites', {
    name: 'Test',
    domain: 'site.example.com',
    ...fields,
  })
  const { key, id: keyId } = await manage('POST', `/sites/${site.id}/keys`, {
    name: 'test',
  })
  const path = `/sites/${site.id}` as const
  return {
    id: site.id,
    key,
    keyId,
    path,
    /** A request to the API in the scope of the site, with its key. */
    get: (below: string, options: Call = {}) => call(`/api/v1${path}${below}`, { key, ...options }),
    /** The same, parsed as JSON. */
    async json<Answer = Json>(below: string): Promise<Answer> {
      const response = await call(`/api/v1${path}${below}`, { key })
      if (!response.ok) throw new Error(`${below}: ${response.status} ${await response.text()}`)
      return response.json<Answer>()
    },
    put: (slug: string, fields: Json = {}) => manage('PUT', `${path}/posts/${slug}`, post(fields)),
    manage: <const M extends string, const P extends string>(method: M, below: P, body?: unknown) =>
      manage<M, string extends P ? string : `/sites/${string}${P}`>(method, (path + below) as never, body),
    tryManage: (method: string, below: string, body?: unknown) => tryManage(method, path + below, body),
  }
}

/** `it` that makes a site for a test that asks for one: `async ({ site }) => …`. */
export const it = test.extend('site', () => makeSite())

export type PutResult = { slug: string; id: string; outcome: string; status: string; updatedAt: string }
export type Page = { items: Json[]; page: number; pageSize: number; total: number; totalPages: number }

/** The required fields of a post. */
export function post(fields: Json = {}): Json {
  return { title: 'A title', contentHtml: '<p>Some words to read.</p>', ...fields }
}

/** The error text of a response with this status. */
export async function errorOf(response: Response, status: number): Promise<string> {
  const body = await response.json<{ error: string }>()
  if (response.status !== status) throw new Error(`${response.status} instead of ${status}: ${body.error}`)
  return body.error
}
