/** The cron, every minute: each duty on its own, so that one that fails keeps none of the others from being done. */
import { pruneTombstones } from '../src/changes.ts'
import { describeError } from '../src/log.ts'
import { pruneSessions } from '../src/sessions.ts'
import { publishStaleVersions } from '../src/site-versions.ts'
import { rollUpUsage } from '../src/usage.ts'
import { resealSecrets } from '../src/webhooks/endpoint.ts'
import { pruneEvents, wakeOverdue } from '../src/webhooks/event.ts'
import { closeInterrupted } from '../src/webhooks/log.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

export async function scheduled(controller: ScheduledController, env: Bindings, execution: ExecutionContext) {
  const ctx = createContext(env, (work) => execution.waitUntil(work), { writes: true })
  const now = new Date(controller.scheduledTime)
  const duties: Record<string, () => Promise<number>> = {
    // Before any event is woken: who hears of a post must find it.
    publishStaleVersions: () => publishStaleVersions(ctx),
    closeInterrupted: () => closeInterrupted(ctx),
    wakeOverdue: () => wakeOverdue(ctx),
    rollUpUsage: () => rollUpUsage(ctx, now),
    pruneEvents: () => pruneEvents(ctx),
    resealSecrets: () => resealSecrets(ctx),
    pruneTombstones: () => pruneTombstones(ctx, now),
    pruneSessions: () => pruneSessions(ctx),
  }
  const done: Record<string, number | string> = {}
  for (const [name, duty] of Object.entries(duties)) {
    done[name] = await duty().catch((error) => `failed: ${describeError(error).message}`)
  }
  ctx.log('scheduled', done)
}
