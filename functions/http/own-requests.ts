/** Requests that the Worker makes to its own routes. No client can make one. */
import type { Hono } from 'hono'
import type { Actor } from '../../src/core/actor.ts'
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

const actors = new WeakMap<Request, Actor>()

/** Answers a request as if its actor had sent it, who needs no token for it. */
export async function askAs(c: Http, actor: Actor, request: Request): Promise<Response> {
  request.headers.set('X-Request-Id', c.get('requestId'))
  actors.set(request, actor)
  return c.get('app').fetch(request, c.env, c.executionCtx)
}

export const actorOfOwn = (c: Http): Actor | undefined => actors.get(c.req.raw)

export const isOfMcp = (c: Http) => ofMcp.has(c.req.raw)
