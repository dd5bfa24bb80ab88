import { app } from './app.ts'
import type { Bindings } from './http/env.ts'
import { queue } from './queue.ts'
import { scheduled } from './schedule.ts'

export default { fetch: app.fetch, queue, scheduled } satisfies ExportedHandler<Bindings, unknown>
