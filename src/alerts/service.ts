/** Alerts about the service itself, to the targets of all alerts. At most one an hour for each problem. */
import type { Context } from '../context.ts'
import { describeError } from '../core/log.ts'
import { LATE_EVENT_MS, readOldestEventMs } from '../freshness/health.ts'
import { readSweepState, type Swept } from '../freshness/sweep.ts'
import { writeServiceMessage } from './message.ts'
import { sendToAll } from './send.ts'

const HOUR_S = 3_600
/** Errors within this time raise an alert. */
const ERRORS_WITHIN_S = 300
const MAX_ERRORS = 10

const PROBLEMS = {
  errors: `${MAX_ERRORS} requests within ${ERRORS_WITHIN_S / 60} minutes were answered with 500.`,
  redis:
    'Redis does not respond, is full, or its commands are used up. Requests are served without being counted, and events wait.',
  sweep: 'Jobs of the sweep failed twice in a row:',
  queue: 'Webhook events have waited for the queue for more than ten minutes.',
}
type Problem = keyof typeof PROBLEMS

/** After a response with 500. The request that reaches the limit raises the alert. */
export async function countError(ctx: Context): Promise<void> {
  const key = `${ctx.config.REDIS_PREFIX}:errors`
  const counting = ctx.redis.pipeline()
  counting.incr(key)
  counting.expire(key, ERRORS_WITHIN_S, 'NX')
  // Redis that is away has its own alert.
  const [errors] = await counting.exec<[number, number]>().catch(() => [0])
  if (errors === MAX_ERRORS) await alertOnce(ctx, 'errors')
}

/** After each sweep. Redis remembers what was sent. If it is away or refuses writes, it alerts on the hour only. */
export async function alertAfterSweep(ctx: Context, swept: Swept, now: Date): Promise<void> {
  try {
    if (swept.readMarks === null || swept.noteState === null) {
      if (now.getUTCMinutes() === 0) await alert(ctx, 'redis')
      return
    }
    if (Object.values(swept).includes(null)) {
      const { failing } = await readSweepState(ctx)
      if (failing.length > 0) await alertOnce(ctx, 'sweep', failing.join(', '))
    }
    if (swept.requeueOverdueEvents && (await readOldestEventMs(ctx)) > LATE_EVENT_MS) {
      await alertOnce(ctx, 'queue')
    }
  } catch (error) {
    ctx.log('alert.failed', { error: describeError(error) })
  }
}

async function alertOnce(ctx: Context, problem: Problem, more?: string): Promise<void> {
  const key = `${ctx.config.REDIS_PREFIX}:alerted:${problem}`
  if (!(await ctx.redis.set(key, '1', { nx: true, ex: HOUR_S }))) return
  // If every target refused it, the next occasion tries again.
  if (!(await alert(ctx, problem, more))) await ctx.redis.del(key)
}

async function alert(ctx: Context, problem: Problem, more?: string): Promise<boolean> {
  const text = [PROBLEMS[problem], more].filter(Boolean).join(' ')
  const sent = await sendToAll(ctx, 'alert.service', writeServiceMessage(ctx.config, text))
  ctx.log('alert.service', { problem, sent })
  return sent.length === 0 || sent.some(({ error }) => error === null)
}
