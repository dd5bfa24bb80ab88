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

type Call = {
  key: string
  headers?: Record<string, string>
  method?: string
  /** What comes out of the cache in place of the body of a URL. */
  cut?: Cut
}
type Cut = (url: string, body: string) => string

/** A request to a Worker with changed variables. */
export async function callIn(
  changes: Record<string, unknown>,
  path: string,
  { key, headers, method = 'GET', cut }: Call,
): Promise<Response> {
  const request = new Request(ORIGIN + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...headers },
  })
  const execution = createExecutionContext()
  const env = { ...bindings, ...changes }
  const response = await worker.fetch(request, env, withBodiesOf(env, execution, cut))
  await waitOnExecutionContext(execution)
  return cut ? response : inspected(request, response)
}

/** Bodies are made in the same environment. They share the cache of all isolates. */
function withBodiesOf(env: Bindings, execution: ExecutionContext, cut?: Cut): ExecutionContext {
  const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work)
  const Bodies = ({ props }: { props: BodyProps }) => ({
    async fetch(url: string, init: RequestInit) {
      const response = await throughCache('Bodies', new Request(url, init), { props, waitUntil }, (request) =>
        makeBody(loaders, request, env, { props, waitUntil }),
      )
      return cut ? new Response(cut(url, await response.text()), response) : response
    },
  })
  return { waitUntil, exports: { Bodies } } as unknown as ExecutionContext
}

/** A database that refuses every call. */
export const BROKEN_DATABASE = { DATABASE_URL: 'postgresql://local:wrong@127.0.0.1/local' }
