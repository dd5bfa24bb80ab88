/** The same Worker with another environment, in which a part is missing. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { loaders } from '../../functions/bodies.ts'
import { type BodyProps, makeBody } from '../../functions/http/bodies.ts'
import type { Bindings } from '../../functions/http/env.ts'
import worker from '../../functions/worker.ts'
import { throughCache } from '../../src/local/workers-cache.ts'
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
  const env = { ...bindings, ...changes }
  const response = await worker.fetch(request, env, withBodiesOf(env, execution))
  await waitOnExecutionContext(execution)
  return inspected(request, response)
}

/** Bodies are made in the same environment. They share the cache of all isolates. */
function withBodiesOf(env: Bindings, execution: ExecutionContext): ExecutionContext {
  const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work)
  const Bodies = ({ props }: { props: BodyProps }) => ({
    fetch: (url: string, init: RequestInit) =>
      throughCache('Bodies', new Request(url, init), { props, waitUntil }, (request) =>
        makeBody(loaders, request, env, { props, waitUntil }),
      ),
  })
  return { waitUntil, exports: { Bodies } } as unknown as ExecutionContext
}

/** A database that refuses every call. */
export const BROKEN_DATABASE = { DATABASE_URL: 'postgresql://local:wrong@127.0.0.1/local' }
