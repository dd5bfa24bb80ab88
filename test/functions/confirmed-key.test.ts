import { expect, it } from 'vitest'
import { trainingExport } from '../../functions/api/training.ts'
import { requireKey } from '../../functions/http/api-key.ts'
import { fetchBody } from '../../functions/http/bodies.ts'
import type { Http } from '../../functions/http/env.ts'
import { lookUp } from '../../src/access/admission.ts'
import { keyCredential } from '../../src/access/keys.ts'
import { sendTestEvent } from '../../src/webhooks/test-event.ts'

const KEY = 'hca_live_'
const INPUT = { version: 1, input: { after: null } }

/** Never called: `npm run types` fails where one of these lines compiles. */
async function openWithoutAdmission(c: Http) {
  const ctx = c.get('ctx')
  const presented = (await lookUp(ctx, await keyCredential(KEY, null)))!
  // @ts-expect-error what a request presents has no site
  await sendTestEvent(ctx, presented.site)
  // @ts-expect-error nor is it what a body is fetched for
  await fetchBody(c, trainingExport, presented, INPUT, 1)
  const cached = ctx.caches.auths.get(KEY)!
  // @ts-expect-error and what was cached has not been confirmed
  await fetchBody(c, trainingExport, cached.auth, INPUT, 1)
  // @ts-expect-error nor is it so in other words
  await fetchBody(c, trainingExport, { keyId: null, access: 'full', site: cached.auth.site }, INPUT, 1)
  return fetchBody(c, trainingExport, await requireKey(c), INPUT, 1)
}

it('fetches bodies for keys that were confirmed, which the compiler sees to', () => {
  expect(openWithoutAdmission).toBeTypeOf('function')
})
