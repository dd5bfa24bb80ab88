/** The same Worker with another environment, in which a part is missing. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { loaders } from '../../functions/api/bodies.ts'
import { type BodyProps, makeBody } from '../../functions/http/bodies.ts'
import type { Bindings } from '../../functions/http/env.ts'
import worker from '../../functions/worker.ts'
import { throughCache, withPurge } from '../../src/local/workers-cache.ts'
import { bindings } from './context.ts'
import { inspected } from './guard.ts'
import { ORIGIN, type TestSite } from './site.ts'

type Call = {
  key: string
  headers?: Record<string, string>
  method?: string
  /** What the cache keeps in place of a body, without a purge. */
  cut?: Cut
}
type Cut = (body: string) => string

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
    fetch(url: string, init: RequestInit) {
      const inner = {
        ...withPurge({ waitUntil } as ExecutionContext),
        props,
        ...(cut && { cache: undefined }),
      }
      return throughCache('Bodies', new Request(url, init), inner, async (request) => {
        const made = await makeBody(loaders, request, env, inner)
        return cut && request.method === 'GET' ? cutBody(made, cut) : made
      })
    },
  })
  return { waitUntil, exports: { Bodies } } as unknown as ExecutionContext
}

async function cutBody(made: Response, cut: Cut): Promise<Response> {
  const response = new Response(cut(await made.text()), made)
  response.headers.delete('Content-Length')
  return response
}

/** A Worker with variables of its own that keeps what it has cached between requests. */
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
