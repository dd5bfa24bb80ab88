/**
 * Compares a WordPress from Debian's packages, filled by PHP and read in three ways, with SQL.
 * `RECORD=1 npm run test:deep test/cli/wordpress/real.test.ts` records it for `recorded.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { depthOf } from '../../support/depth.ts'
import { record } from './real/record.ts'
import { expectAll, lossesOf, WAYS } from './real/ways.ts'
import { startWordPress, whyNoWordPress } from './real/wordpress.ts'

const isTaken = depthOf('wordpress') > 0
const reason = isTaken ? await whyNoWordPress() : 'only in test:deep'

describe.skipIf(reason !== null)(`a real WordPress${reason ? ` (not here: ${reason})` : ''}`, () => {
  let site: Awaited<ReturnType<typeof startWordPress>>
  beforeAll(async () => {
    site = await startWordPress()
    if (process.env.RECORD) await record(site)
  }, 600_000)
  afterAll(() => site?.[Symbol.asyncDispose]())

  it.each(['WXR', 'REST', 'REST, signed in'] as const)(
    'read by %s matches SQL, or differences are named',
    async (way) => {
      const table = expectAll(await site.rows(), await WAYS[way](site), way)
      process.stderr.write(`${way}\n  ${table.join('\n  ')}\n`)
    },
  )

  it('has the same posts named by its export and for a user who may edit it', async () => {
    const [file, live] = [await WAYS.WXR(site), await WAYS['REST, signed in'](site)]
    for (const { title } of await site.rows())
      expect(lossesOf(live, title), title).toEqual(lossesOf(file, title))
  })
})
