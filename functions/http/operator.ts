import { createMiddleware } from 'hono/factory'
import { countLocalAttempt, countSharedAttempt, settleAttempt } from '../../src/access/attempts.ts'
import type { Context } from '../../src/context.ts'
import { type Actor, isReachable } from '../../src/core/actor.ts'
import { AppError } from '../../src/core/errors.ts'
import { UUID, uuidOf } from '../../src/core/ids.ts'
import { logRefusal } from '../../src/people/audit-log.ts'
import { mayBeLive } from '../../src/people/live-tokens.ts'
import { findByToken, type Identity, isTokenOfOperator } from '../../src/people/operator-tokens.ts'
import type { Env, Http } from './env.ts'
import { identityOfOwn, isMcpRequest } from './own-requests.ts'
import { addressOf, bearerToken, siteIdOf, VARY } from './request.ts'

const CLI = /^headless-content-api-cli\b/

/** Clients send one UUID with all requests of a command. Their audit log entries form one changeset. */
const CHANGESET_ID = 'X-Changeset-Id'

type OperatorChannel = 'cli' | 'console' | 'management' | 'mcp'

export const requireOperator = createMiddleware<Env>(async function operator(c, next) {
  const own = identityOfOwn(c)
  if (own) {
    setActor(c, own.actor)
    c.get('ctx').changesetId = own.changesetId
    return next()
  }
  await identifyOperator(
    c,
    isMcpRequest(c) ? 'mcp' : CLI.test(c.req.header('User-Agent') ?? '') ? 'cli' : 'management',
  )
  const changesetId = c.req.header(CHANGESET_ID)
  if (changesetId && UUID.test(changesetId)) await continueChangeset(c.get('ctx'), changesetId)
  return next()
})

/** If the operator reaches all sites, the route validates the id, after method and body. @throws AppError site_not_found */
export const requireSite = createMiddleware<Env>(async function requireSite(c, next) {
  const actor = c.get('ctx').actor!
  if (actor.sites && !isReachable(actor, siteIdOf(c))) throw new AppError('site_not_found')
  return next()
})

/** Scoped to the operator and the hour, so that nobody can add today's write to a changeset of last year. */
async function continueChangeset(ctx: Context, id: string): Promise<void> {
  const hour = new Date().toISOString().slice(0, 13)
  ctx.changesetId = await uuidOf([ctx.actor?.id ?? ctx.actor?.name, id, hour].join(' '))
}

/** A valid token older than 10 s bypasses the address limit, so that nobody can lock a script out. @throws AppError */
export async function identifyOperator(c: Http, channel: OperatorChannel): Promise<void> {
  c.header('Cache-Control', 'no-store')
  c.header('Vary', VARY)
  const token = bearerToken(c)
  if (!token) throw new AppError('operator_refused')
  const ctx = c.get('ctx')
  const attempt = countLocalAttempt(c.get('ctx'), 'management', addressOf(c))
  if (attempt.exceeded && !(await mayBeLive(ctx, token, attempt.isOpen ? 'now' : 'lately'))) {
    refuseAttempt(c, attempt)
  }
  const found = await settleAttempt(attempt, findByToken(ctx, token))
  if (found) return setActorOf(c, found, channel)
  const shared = await countSharedAttempt(ctx, 'management', addressOf(c), attempt)
  if (shared.exceeded) refuseAttempt(c, shared)
  // Skip the log for tokens that we don't recognise.
  if (isTokenOfOperator(token)) logFailedSignIn(c, channel)
  throw new AppError('operator_refused')
}

/** @throws AppError too_many_attempts */
export function refuseAttempt(c: Http, { retryAfterSeconds }: { retryAfterSeconds: number }): never {
  c.header('Retry-After', String(retryAfterSeconds))
  throw new AppError('too_many_attempts')
}

/** An unknown token, or a Cloudflare Access user who is no operator. */
export function logFailedSignIn(c: Http, channel: OperatorChannel, name: string | null = null): void {
  const ctx = c.get('ctx')
  const actor: Actor = {
    id: null,
    name,
    role: 'viewer',
    sites: [],
    token: null,
    channel,
    address: addressOf(c),
  }
  ctx.defer(logRefusal({ ...ctx, actor }, 'operator.sign_in_failed', null, null))
}

export function setActorOf(c: Http, { id, name, role, sites, token }: Identity, channel: OperatorChannel) {
  setActor(c, { id, name, role, sites, token, channel, address: addressOf(c) })
}

function setActor(c: Http, actor: Actor): void {
  const ctx = c.get('ctx')
  ctx.actor = actor
  ctx.logFields.operatorId = actor.id ?? actor.name
}
