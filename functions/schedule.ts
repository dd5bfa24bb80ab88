import { alertAfterSweep } from '../src/alerts/service.ts'
import { isUnderMaintenance } from '../src/core/config.ts'
import { createLog } from '../src/core/log.ts'
import { sendHeartbeat } from '../src/freshness/health.ts'
import { isComplete } from '../src/freshness/sweep.ts'
import { sweep } from '../src/jobs.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

export async function scheduled(controller: ScheduledController, env: Bindings, execution: ExecutionContext) {
  if (isUnderMaintenance(env)) return createLog({})('scheduled', { maintenance: true })
  const ctx = createContext(env, execution, { writes: true, background: true })
  const now = new Date(controller.scheduledTime)
  const swept = await sweep(ctx, now)
  ctx.log('scheduled', swept)
  await alertAfterSweep(ctx, swept, now)
  if (isComplete(swept)) await sendHeartbeat(ctx)
}
