/** The management API as a function, whatever brings a request there. */
import type { Issue } from '../core/errors.ts'
import { Failure } from './failure.ts'
import { type Answer, placeOf, type Route } from './routes.ts'

/** What became of a write that was answered with 500. */
const COMMITTED: Record<string, string> = {
  no: '. Nothing was saved',
  yes: '. It was saved all the same, at least in part',
  unknown: '. The database did not answer, so it may have been saved: look before you repeat it',
}

export type Query = Record<string, string | number | null | undefined>
type Sent = { query?: Query; body?: unknown }
/** Calls an operation; `values` are the parameters of its path, in order. Of a query, null and undefined are not sent. */
export type Api = <R extends Route>(route: R, values?: readonly string[], sent?: Sent) => Promise<Answer<R>>

/** `said` is added to what an answer that is none says. */
type Send = (path: string, request: RequestInit) => Promise<{ response: Response; said?: string | undefined }>

/** @param name what answers, for an answer that is none of the API */
export function apiThrough(send: Send, name: string): Api {
  return async <R extends Route>(
    route: R,
    values: readonly string[] = [],
    { query = {}, body }: Sent = {},
  ) => {
    const { method, path } = placeOf(route, values)
    const { response, said = '' } = await send(path + searchOf(query), {
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
    throw new Failure(problem + committed + said, response.status, issuesIn(answer))
  }
}

function searchOf(query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) given.set(name, String(value))
  }
  return given.size > 0 ? `?${given}` : ''
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
