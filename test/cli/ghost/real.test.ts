/**
 * Compares a Ghost from npm, filled and exported through its Admin API, with what that API returns.
 * `RECORD=1 npm run test:deep test/cli/ghost/real.test.ts` records it for `recorded.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { depthOf } from '../../support/depth.ts'
import { type Site, startGhost } from './real/ghost.ts'
import { record } from './real/record.ts'
import { expectAll, WAYS } from './real/ways.ts'

const INSTALL_TIMEOUT_MS = 2_400_000

const isTaken = depthOf('ghost') > 0

describe.skipIf(!isTaken)(`a real Ghost${isTaken ? '' : ' (not here: only in test:deep)'}`, () => {
  let site: Site & AsyncDisposable
  beforeAll(async () => {
    site = await startGhost()
    if (process.env.RECORD) await record(site)
  }, INSTALL_TIMEOUT_MS)
  afterAll(() => site?.[Symbol.asyncDispose]())

  it.each(WAYS)(
    'whose bodies are read from %s matches its Admin API, or differences are named',
    async (way) => {
      const table = await expectAll(site, way)
      process.stderr.write(`${way}\n  ${table.join('\n  ')}\n`)
      expect(table).toContain(`html: ${(await site.rows()).length} of ${(await site.rows()).length}`)
    },
  )
})
