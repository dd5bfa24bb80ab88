/**
 * Installs the guard, and patience with Redis, in each file of the Worker's tests. Separate, since files share the guard
 * but not their hooks.
 */
import { afterAll, afterEach, aroundEach } from 'vitest'
import { expectNoLeaks, reportShown } from './guard.ts'
import { inRequest } from './own-calls.ts'
import './patience.ts'
import './source-lines.ts'
// Loading the Worker here takes no time from the first test.
import './cached-worker.ts'

aroundEach((run) => inRequest(run))

afterEach(({ task }) => expectNoLeaks(task.result?.state === 'fail'))

afterAll(async () => {
  await expectNoLeaks(false)
  await reportShown()
})
