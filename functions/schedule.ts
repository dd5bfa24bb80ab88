import { isUnderMaintenance } from '../src/core/config.ts'
import { createLog } from '../src/core/log.ts'
import { isComplete } from '../src/freshness/sweep.ts'
import { sendHeartbeat } from '../src/health.ts'
import { sweep } from '../src/jobs.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

export async function scheduled(controller: ScheduledController, env: Bindings, execution: ExecutionContext) {
  if (isUnderMaintenance(env)) return createLog({})('scheduled', { maintenance: true })
  const ctx = createContext(env, execution, { writes: true, background: true })
  const swept = await sweep(ctx, new Date(controller.scheduledTime))
  ctx.log('scheduled', swept)
  if (isComplete(swept)) await sendHeartbeat(ctx)
}
