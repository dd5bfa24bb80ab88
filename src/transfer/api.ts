/** The management API as a function, independent of the transport. */
import type { Issue } from '../core/errors.ts'
import { Failure } from './failure.ts'
import { type Answer, placeOf, type Route } from './routes.ts'

/** Added to the error text of a write that failed with 500. */
const COMMITTED: Record<string, string> = {
  no: '. Nothing was saved',
  yes: '. It was saved nevertheless, at least in part',
  unknown: '. The database did not answer, so it may have been saved: check before you send it again',
}

export type Query = Record<string, string | number | null | undefined>
type Sent = { query?: Query; body?: unknown }
/** Calls an operation. `values` are its path parameters, in order; null and undefined are left out of the query. */
export type Api = <R extends Route>(route: R, values?: readonly string[], sent?: Sent) => Promise<Answer<R>>

/** `note` is appended to the error when the response is not the API's JSON. */
type Send = (path: string, request: RequestInit) => Promise<{ response: Response; note?: string | undefined }>

export function apiThrough(send: Send, name: string): Api {
  return async <R extends Route>(
    route: R,
    values: readonly string[] = [],
    { query = {}, body }: Sent = {},
  ) => {
    const { method, path } = placeOf(route, values)
    const { response, note = '' } = await send(path + searchOf(query), {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status === 204) return null as Answer<R>
    const answer = parse(text)
    if (response.ok && answer !== undefined) return answer as Answer<R>
    const committed = COMMITTED[response.headers.get('X-Committed') ?? ''] ?? ''
    const problem = errorText(answer) ?? `${name} answered ${response.status} without the API's JSON`
    throw new Failure(problem + committed + note, response.status, issuesIn(answer))
  }
}

function searchOf(query: Query): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) params.set(name, String(value))
  }
  return params.size > 0 ? `?${params}` : ''
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function issuesIn(answer: unknown): Issue[] {
  const issues = (answer as { issues?: unknown } | null | undefined)?.issues
  return Array.isArray(issues) ? issues : []
}

function errorText(answer: unknown): string | undefined {
  const error = (answer as { error?: unknown } | null | undefined)?.error
  return typeof error === 'string' ? error : undefined
}
