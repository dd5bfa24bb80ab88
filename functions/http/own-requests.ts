/** Requests that the Worker makes to its own routes. No client can make one. */
import type { Hono } from 'hono'
import type { Env, Http } from './env.ts'

const ofMcp = new WeakSet<Request>()

/** Answers a request on behalf of the one of `c`, whose id and client address it has. */
export async function askForMcp(c: Http, app: Hono<Env>, request: Request): Promise<Response> {
  request.headers.set('X-Request-Id', c.get('requestId'))
  const address = c.req.header('CF-Connecting-IP')
  if (address) request.headers.set('CF-Connecting-IP', address)
  ofMcp.add(request)
  return app.fetch(request, c.env, c.executionCtx)
}

export const isOfMcp = (c: Http) => ofMcp.has(c.req.raw)
