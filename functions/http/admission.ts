/**
 * Letting a request in: one call to Redis counts it and says whether what this isolate remembers still holds. Only
 * where it does not, Postgres is asked again.
 */
import { AppError } from '../../src/errors.ts'
import { authenticateKey } from '../../src/keys.ts'
import { consumeQuota, counterName, limitOf, type Quota, type QuotaMode, refund } from '../../src/quota.ts'
import { isKnown, tagAnswer } from './conditional.ts'
import type { Http } from './env.ts'

const SPENT_BYTES = 8

export type Asked = {
  /** What the answer depends on besides the site's content; see `tagAnswer`. */
  question: unknown
  cacheControl: string
  /** Whether `If-None-Match: *` is met by this content version, whatever it holds; else it is met by an answer. */
  star: boolean
  /** Counted against the quota, unless the answer is a 304 that nothing had to be built for. */
  counted: boolean
}

/** What an answer's ETag is, and whether `If-None-Match` names it. */
export type Tag = { etag: string; known: boolean }

/** `counted` rejects with quota_exceeded; it must be waited for before the answer. */
export type Admission = Tag & { counted: Promise<void> }

/**
 * Admits a request whose question is valid, and sets the headers of its tag and its quota. `guess` is the tag as of what
 * this isolate remembers.
 *
 * @throws AppError api_key_refused when the key holds no longer; quota_exceeded
 */
export async function admit(c: Http, asked: Asked, guess: Tag): Promise<Admission> {
  const costOf = (known: boolean): QuotaMode => (asked.counted ? (known ? 'look' : 'unit') : 'nothing')
  const { quota, changed } = await passGate(c, costOf(guess.known))
  const { etag, known } = changed ? await tag(c, asked) : guess
  // Before the body is read, so that a refused request reads nothing more.
  noteQuota(c, quota)
  if (known === guess.known || !asked.counted) return { etag, known, counted: Promise.resolve() }
  if (known) return { etag, known, counted: returnUnit(c) }
  // The content is fetched meanwhile.
  const counted = consumeQuota(c.get('ctx'), c.get('grant'), 'unit').then((passage) =>
    noteQuota(c, passage.quota),
  )
  counted.catch(() => {})
  return { etag, known, counted }
}

/**
 * Asks the gate once for each request whose grant is remembered; afterwards the grant is as good as one of Postgres.
 *
 * @returns the quota of that cost, and whether the grant has changed
 * @throws AppError api_key_refused when the key holds no longer
 */
export async function passGate(c: Http, cost: QuotaMode): Promise<{ quota: Quota | null; changed: boolean }> {
  const ctx = c.get('ctx')
  const held = c.get('grant')
  const { site } = held
  const { quota, versions } = await consumeQuota(ctx, held, cost)
  const recalled = c.get('recalled')
  if (!recalled) return { quota, changed: false }
  c.set('recalled', null)
  if (versions?.gateVersion === site.gateVersion && versions.contentVersion >= site.contentVersion) {
    if (versions.contentVersion === site.contentVersion) return { quota, changed: false }
    const grant = { ...held, site: { ...site, ...versions } }
    recalled.memory.grant = grant
    c.set('grant', grant)
    return { quota, changed: true }
  }
  const grant = await authenticateKey(ctx, recalled.key)
  const spent = quota !== null && !quota.exceeded && cost === 'unit'
  if (!grant || grant.access !== held.access || grant.site.id !== site.id) {
    if (spent) ctx.defer(refund(ctx, held, quota))
    throw new AppError('api_key_refused')
  }
  c.set('grant', grant)
  if (limitOf(grant) === limitOf(held)) return { quota, changed: true }
  if (spent) await refund(ctx, held, quota)
  return { quota: (await consumeQuota(ctx, grant, cost)).quota, changed: true }
}

/** For a request that turns out to be a 304 after all; one that was not counted, with Redis away, has nothing to return. */
export async function returnUnit(c: Http): Promise<void> {
  const counted = c.get('quota')
  const quota = counted && (await refund(c.get('ctx'), c.get('grant'), counted))
  if (quota) setHeaders(c, quota)
}

/** The tag of what is asked, as of the version in the grant. */
export async function tag(c: Http, { question, cacheControl, star }: Asked): Promise<Tag> {
  const etag = await tagAnswer(c, question, cacheControl)
  return { etag, known: isKnown(c, etag, { star }) }
}

/** Whether there was nothing left when a request like this was last counted here: the next may well be refused. */
export function isSpent(c: Http): boolean {
  const reset = c.get('ctx').memory.get(spentName(c)) as number | undefined
  return reset !== undefined && Date.now() / 1_000 < reset
}

const spentName = (c: Http) => `spent:${counterName(c.get('grant'))}`

/** @throws AppError quota_exceeded, with Retry-After set */
function noteQuota(c: Http, quota: Quota | null): void {
  if (!quota) return
  c.set('quota', quota)
  setHeaders(c, quota)
  const { memory } = c.get('ctx')
  if (quota.remaining > 0) memory.delete(spentName(c))
  else memory.set(spentName(c), quota.reset, SPENT_BYTES)
  if (!quota.exceeded) return
  c.header('Retry-After', String(Math.max(1, Math.ceil(quota.reset - Date.now() / 1_000))))
  throw new AppError('quota_exceeded')
}

function setHeaders(c: Http, quota: Quota): void {
  c.header('X-RateLimit-Limit', String(quota.limit))
  c.header('X-RateLimit-Remaining', String(quota.remaining))
  c.header('X-RateLimit-Reset', String(quota.reset))
}
