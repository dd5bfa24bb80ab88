/** Requests from the Worker to its own routes. Clients cannot make them. */
import type { Hono } from 'hono'
import type { Actor } from '../../src/core/actor.ts'
import type { Bindings, Env, Http } from './env.ts'

const mcpRequests = new WeakSet<Request>()

/** Keeps the request id and client address of `c`. */
export async function requestForMcp(c: Http, request: Request): Promise<Response> {
  request.headers.set('X-Request-Id', c.get('requestId'))
  const address = c.req.header('CF-Connecting-IP')
  if (address) request.headers.set('CF-Connecting-IP', address)
  mcpRequests.add(request)
  return c.get('app').fetch(request, c.env, c.executionCtx)
}

/** The running request or queue message. */
export type Running = { app: Hono<Env>; env: Bindings; execution: ExecutionContext }

/** All writes with one `changesetId` are one changeset in the audit log. */
type As = { actor: Actor; changesetId: string }

const identities = new WeakMap<Request, As>()

export async function requestAs(
  { app, env, execution }: Running,
  as: As,
  request: Request,
): Promise<Response> {
  identities.set(request, as)
  return app.fetch(request, env, execution)
}

export const identityOfOwn = (c: Http): As | undefined => identities.get(c.req.raw)

export const isMcpRequest = (c: Http) => mcpRequests.has(c.req.raw)
