import { expect, vi } from 'vitest'
import { loadTrainingRows } from '../../functions/api/training.ts'
import { requireKey } from '../../functions/http/api-key.ts'
import { readAtVersion } from '../../functions/http/bodies.ts'
import type { Http } from '../../functions/http/env.ts'
import { confirmKey, lookUp } from '../../src/access/admission.ts'
import { keyCredential } from '../../src/access/keys.ts'
import { createCaches } from '../../src/caches.ts'
import { sendTestEvent } from '../../src/webhooks/test-event.ts'
import { testContext } from '../support/context.ts'
import { it, makeSite } from '../support/site.ts'

const KEY = 'hca_live_'
const LOADER = loadTrainingRows(null)

/** Never called: `npm run types` fails where one of these lines compiles. */
async function openWithoutAdmission(c: Http) {
  const ctx = c.get('ctx')
  const presented = (await lookUp(ctx, await keyCredential(KEY, null)))!
  // @ts-expect-error what a request presents has no site
  await sendTestEvent(ctx, presented.site)
  // @ts-expect-error nor is it what a body is loaded for
  await readAtVersion(ctx, presented, 1, LOADER)
  const cached = ctx.caches.auths.get(KEY)!
  // @ts-expect-error and what was cached has not been confirmed
  await readAtVersion(ctx, cached.auth, 1, LOADER)
  // @ts-expect-error nor is it so in other words
  await readAtVersion(ctx, { keyId: null, access: 'full', site: cached.auth.site }, 1, LOADER)
  return readAtVersion(ctx, await requireKey(c), 1, LOADER)
}

it('only bodies for keys that were confirmed can be loaded, which the compiler checks', () => {
  expect(openWithoutAdmission).toBeTypeOf('function')
})

it('a key that has changed is confirmed with one count in Redis, where nothing is counted', async () => {
  const site = await makeSite()
  const ctx = testContext({ caches: createCaches() })
  const present = async () => (await lookUp(ctx, await keyCredential(site.key, null)))!
  await present()
  await site.manage('PATCH', '', { dailyQuota: 7 })
  const counts = vi.spyOn(ctx.redis, 'evalsha')
  const { site: confirmed } = await confirmKey(ctx, await present())
  expect(confirmed.dailyQuota).toBe(7)
  expect(counts).toHaveBeenCalledOnce()
  vi.restoreAllMocks()
})
