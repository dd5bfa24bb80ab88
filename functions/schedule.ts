/** The cron, every minute. Jobs are independent: one that fails does not stop the others. */
import { pruneTombstones } from '../src/changes.ts'
import type { Context } from '../src/context.ts'
import { describeError } from '../src/log.ts'
import { pruneSessions } from '../src/sessions.ts'
import { publishStaleVersions } from '../src/site-versions.ts'
import { rollUpUsage } from '../src/usage.ts'
import { closeInterruptedAttempts } from '../src/webhooks/attempt.ts'
import { reencryptSecrets } from '../src/webhooks/endpoint.ts'
import { pruneEvents, requeueOverdueEvents } from '../src/webhooks/event.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

const jobs: Record<string, (ctx: Context, now: Date) => Promise<number>> = {
  // Before events are requeued: a receiver must see the post that its event is about.
  publishStaleVersions,
  closeInterruptedAttempts,
  requeueOverdueEvents,
  rollUpUsage,
  pruneEvents,
  reencryptSecrets,
  pruneTombstones,
  pruneSessions,
}

export async function scheduled(controller: ScheduledController, env: Bindings, execution: ExecutionContext) {
  const ctx = createContext(env, (work) => execution.waitUntil(work), { writes: true })
  const now = new Date(controller.scheduledTime)
  const results: Record<string, number | string> = {}
  for (const [name, job] of Object.entries(jobs)) {
    results[name] = await job(ctx, now).catch((error) => `failed: ${describeError(error).message}`)
  }
  ctx.log('scheduled', results)
}
