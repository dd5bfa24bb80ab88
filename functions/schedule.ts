/** The cron, every minute. */
import { sweep } from '../src/jobs.ts'
import { createContext } from './http/context.ts'
import type { Bindings } from './http/env.ts'

export async function scheduled(controller: ScheduledController, env: Bindings, execution: ExecutionContext) {
  const ctx = createContext(env, execution, { writes: true, background: true })
  ctx.log('scheduled', await sweep(ctx, new Date(controller.scheduledTime)))
}
