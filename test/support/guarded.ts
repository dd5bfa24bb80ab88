/**
 * Installs the guard and patience with Redis in each file of the Worker's tests, and ends the spies and fake timers of each
 * test. Separate, since files share the guard but not their hooks.
 */
import { afterAll, afterEach, aroundEach, vi } from 'vitest'
import { expectNoLeaks, reportShown } from './guard.ts'
import { inRequest } from './own-calls.ts'
import './patience.ts'
import './source-lines.ts'
// Loading the Worker here takes no time from the first test.
import './cached-worker.ts'

aroundEach((run) => inRequest(run))

afterEach(({ task }) => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  return expectNoLeaks(task.result?.state === 'fail')
})

afterAll(async () => {
  await expectNoLeaks(false)
  await reportShown()
})
