import { expect, it } from 'vitest'
import { loadTrainingRows } from '../../functions/api/training.ts'
import { requireKey } from '../../functions/http/api-key.ts'
import { readAtVersion } from '../../functions/http/bodies.ts'
import type { Http } from '../../functions/http/env.ts'

import { lookUp } from '../../src/access/admission.ts'
import { keyCredential } from '../../src/access/keys.ts'
import { sendTestEvent } from '../../src/webhooks/test-event.ts'

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
