import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { bindings } from '../../support/context.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { received } from '../../support/webhook.ts'

it('with a new key first in WEBHOOK_KEYS, secrets encrypted with the old one can still sign', async () => {
  const { site, secret, eventId } = await lostEvent()
  const anotherKey = `another:${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`
  await hand([{ kind: 'event', eventId }], {
    ...bindings,
    WEBHOOK_KEYS: `${anotherKey},${bindings.WEBHOOK_KEYS}`,
  })
  const [arrived] = await received(site)
  expect(new Webhook(secret).verify(arrived!.body, arrived!.headers)).toBeTruthy()
})
