/** Limits guesses. Operator tokens: by address, in Redis. Sitemap ids: by address. Keys and preview tokens: all together. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { secondsUntil } from '../core/time.ts'
import { createLimiter, Ratelimit } from './rate-limiter.ts'

const ATTEMPTS = { console: 5, management: 5, sitemaps: 20, keys: 20, drafts: 20 }
const WINDOW_MS = 60_000
const IPV4_MAPPED = '0:0:0:0:0:ffff'

export type CredentialKind = keyof typeof ATTEMPTS

export type Attempt = {
  exceeded: boolean
  retryAfterSeconds: number
  refund: () => Promise<unknown>
}

/** `isOpen`: the limit is reached only by attempts whose result is still unknown. Report every attempt as right or wrong. */
export type LocalAttempt = Omit<Attempt, 'refund'> & { isOpen: boolean; right: () => void; wrong: () => void }

/** Counts before judging, so that simultaneous attempts don't all see the same count. */
export async function countAttempt(ctx: Context, kind: CredentialKind, address: string): Promise<Attempt> {
  const local = countLocalAttempt(ctx, kind, address)
  local.wrong()
  return countSharedAttempt(ctx, kind, address, local)
}

export function countLocalAttempt({ caches }: Context, kind: CredentialKind, address: string): LocalAttempt {
  const { attempts } = caches
  const client = clientOf(kind, address)
  const kept = attempts.get(client)
  const counts =
    kept && kept.reset > Date.now() ? kept : { wrong: 0, unjudged: 0, reset: Date.now() + WINDOW_MS }
  const nothing = () => {}
  if (counts.wrong + counts.unjudged >= ATTEMPTS[kind]) {
    const isOpen = counts.wrong < ATTEMPTS[kind]
    return {
      exceeded: true,
      retryAfterSeconds: secondsUntil(counts.reset),
      isOpen,
      right: nothing,
      wrong: nothing,
    }
  }
  counts.unjudged += 1
  attempts.set(client, counts)
  let countedAs: 'wrong' | 'unjudged' = 'unjudged'
  return {
    exceeded: false,
    retryAfterSeconds: 0,
    isOpen: false,
    right: () => {
      counts[countedAs] -= 1
    },
    wrong: () => {
      counts.unjudged -= 1
      counts.wrong += 1
      countedAs = 'wrong'
    },
  }
}

/** A failed lookup doesn't count. */
export async function settleAttempt<Found>(
  attempt: LocalAttempt,
  work: Promise<Found | null>,
): Promise<Found | null> {
  let isWrong = false
  try {
    const found = await work
    isWrong = found === null
    return found
  } finally {
    if (isWrong) attempt.wrong()
    else attempt.right()
  }
}

/** While Redis is down, only this isolate counts. */
export async function countSharedAttempt(
  ctx: Context,
  kind: CredentialKind,
  address: string,
  { exceeded, retryAfterSeconds, right }: LocalAttempt,
): Promise<Attempt> {
  const local = { exceeded, retryAfterSeconds, refund: async () => right() }
  if (exceeded) return local
  const client = clientOf(kind, address)
  // Refills at once, a minute after the first attempt, so that the window starts with the client and not the clock.
  const bucket = Ratelimit.tokenBucket(ATTEMPTS[kind], `${WINDOW_MS} ms`, ATTEMPTS[kind])
  const limiter = createLimiter(ctx, 'attempts', bucket)
  try {
    const { success, reset } = await limiter.limit(client)
    const refund = () => Promise.all([local.refund(), limiter.limit(client, { rate: -1 })])
    if (success) return { ...local, refund }
    ctx.caches.attempts.set(client, { wrong: ATTEMPTS[kind], unjudged: 0, reset })
    return { exceeded: true, retryAfterSeconds: secondsUntil(reset), refund: local.refund }
  } catch (error) {
    ctx.log('attempts.uncounted', { error: describeError(error) })
    return local
  }
}

const clientOf = (kind: CredentialKind, address: string) => `${kind}:${networkOf(address)}`

/** The IPv4 address, also when written as IPv6, or the /64 of an IPv6 address. Returns anything else unchanged. */
export function networkOf(address: string): string {
  const url = `http://[${address}]/`
  if (!URL.canParse(url)) return address
  const [head = '', tail] = new URL(url).hostname.slice(1, -1).split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail ? tail.split(':') : []
  while (groups.length + last.length < 8) groups.push('0')
  groups.push(...last)
  if (groups.slice(0, 6).join(':') === IPV4_MAPPED) return ipv4(groups.slice(6))
  return `${groups.slice(0, 4).join(':')}::/64`
}

function ipv4(groups: string[]): string {
  return groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((pair) => [pair >> 8, pair & 255])
    .join('.')
}
