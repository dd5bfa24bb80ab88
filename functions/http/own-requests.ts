/** Requests from the Worker to its own routes. Clients cannot make them. */
import type { Actor } from '../../src/core/actor.ts'
import type { Http } from './env.ts'

const mcpRequests = new WeakSet<Request>()

/** Keeps the request id and client address of `c`. */
export async function requestForMcp(c: Http, request: Request): Promise<Response> {
  request.headers.set('X-Request-Id', c.get('requestId'))
  const address = c.req.header('CF-Connecting-IP')
  if (address) request.headers.set('CF-Connecting-IP', address)
  mcpRequests.add(request)
  return c.get('app').fetch(request, c.env, c.executionCtx)
}

const actors = new WeakMap<Request, Actor>()

export async function requestAs(c: Http, actor: Actor, request: Request): Promise<Response> {
  request.headers.set('X-Request-Id', c.get('requestId'))
  actors.set(request, actor)
  return c.get('app').fetch(request, c.env, c.executionCtx)
}

export const actorOfOwn = (c: Http): Actor | undefined => actors.get(c.req.raw)

export const isMcpRequest = (c: Http) => mcpRequests.has(c.req.raw)
