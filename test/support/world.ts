/** The same Worker with another environment, in which a part is missing. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import worker from '../../functions/worker.ts'
import { bindings } from './context.ts'
import { inspected } from './guard.ts'
import { ORIGIN } from './site.ts'

/** A request to a Worker with changed variables. */
export async function callIn(
  changes: Record<string, unknown>,
  path: string,
  { key, headers, method = 'GET' }: { key: string; headers?: Record<string, string>; method?: string },
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

/** A database that refuses every call. */
export const BROKEN_DATABASE = { DATABASE_URL: 'postgresql://local:wrong@127.0.0.1/local' }
