/** The same Worker in an environment with a part missing. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import worker from '../../functions/worker.ts'
import { bindings } from './context.ts'
import { inspected } from './guard.ts'
import { ORIGIN, type TestSite } from './site.ts'

type Call = { key: string; headers?: Record<string, string>; method?: string }

/** A request to a Worker with changed variables. */
export async function callIn(
  changes: Record<string, unknown>,
  path: string,
  { key, headers, method = 'GET' }: Call,
): Promise<Response> {
  const request = new Request(ORIGIN + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...headers },
  })
  const execution = createExecutionContext()
  const response = await worker.fetch(request, { ...bindings, ...changes }, execution)
  await waitOnExecutionContext(execution)
  return inspected(request, response)
}

/** A Worker with variables of its own that keeps its caches between requests. */
export function isolate(changes: Record<string, unknown> = {}) {
  const env = { ...bindings, ...changes }
  const ask = async (path: string, key: string, { headers, ...init }: RequestInit = {}) => {
    const execution = createExecutionContext()
    const request = new Request(ORIGIN + path, {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...(headers as Record<string, string>) },
    })
    const response = inspected(request, await worker.fetch(request, env, execution))
    await waitOnExecutionContext(execution)
    return response
  }
  const read = async (site: TestSite, below: string) => {
    const response = await ask(`/api/v1${site.path}${below}`, site.key)
    await response.arrayBuffer()
    return response.status
  }
  return { env, ask, read }
}

/** A database that refuses every call. */
export const BROKEN_DATABASE = { DATABASE_URL: 'postgresql://local:wrong@127.0.0.1/local' }
