/** Installs the guard, and patience with Redis, in each file of the Worker's tests. Separate, since files share the guard but not their hooks. */
import { afterAll, afterEach } from 'vitest'
import { expectNoLeaks, reportShown } from './guard.ts'
import './patience.ts'
import './source-lines.ts'
// Loaded here, the Worker takes no time of the first test's.
import './cached-worker.ts'

afterEach(({ task }) => expectNoLeaks(task.result?.state === 'fail'))

afterAll(async () => {
  await expectNoLeaks(false)
  await reportShown()
})
