import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import { decrypt, encrypt } from '../../../src/crypto/encryption.ts'
import { alertsOf, alertWorld, deliver, siteWith } from '../../support/alerts.ts'
import { callsOf } from '../../support/calls.ts'
import { errorBeside, signIn, visit, wordsOf } from '../../support/console.ts'
import { testContext } from '../../support/context.ts'
import { hand, lostEvent, rewind, runCron, stateOf } from '../../support/outbox.ts'
import { call, it, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook, deliveries, received, setWebhook } from '../../support/webhook.ts'

const UNKNOWN_KEY = (secret: string) => secret.replace(/^[^.]+/, 'gone')

async function breakSecret(site: TestSite) {
  const [row] = await runSql('select secret from webhook_endpoints where id = $1', [site.id])
  const stored = UNKNOWN_KEY(String(row!.secret))
  await runSql('update webhook_endpoints set secret = $2 where id = $1', [site.id, stored])
}

it.each<[name: string, stored: (secret: string) => string, bytes?: Uint8Array<ArrayBuffer>]>([
  ['an unknown key', UNKNOWN_KEY],
  ['another key with the same id', (secret) => secret, crypto.getRandomValues(new Uint8Array(32))],
  ['a truncated ciphertext', (secret) => secret.slice(0, -8)],
  ['no ciphertext', (secret) => secret.split('.').slice(0, 2).join('.')],
  ['an altered ciphertext', (secret) => secret.replace(/..$/, secret.endsWith('AA') ? 'BB' : 'AA')],
  ['invalid base64', (secret) => `${secret}!`],
  ['a missing secret', () => ''],
])('a secret cannot be decrypted with %s', async (_, stored, bytes) => {
  const { config } = testContext()
  const encrypted = await encrypt(config, 'endpoint', 'whsec_x')
  expect(await decrypt(config, 'endpoint', encrypted)).toBe('whsec_x')
  await expect(decrypt(config, 'another endpoint', encrypted)).rejects.toThrow()
  const [key] = config.WEBHOOK_KEYS
  const other = { ...config, WEBHOOK_KEYS: [{ ...key!, ...(bytes && { bytes }) }] }
  await expect(decrypt(other, 'endpoint', stored(encrypted))).rejects.toThrow()
})

it('an event whose secret cannot be decrypted fails once, with the reason', async () => {
  const { site, eventId } = await lostEvent()
  await breakSecret(site)
  expect(await hand([{ kind: 'event', eventId }])).toMatchObject({ explicitAcks: ['0'], retryMessages: [] })
  expect(await deliveries(site)).toMatchObject([{ error: 'secret_undecryptable', status: null }])
  expect(await stateOf(site)).toBe('failed')
  expect(await received(site)).toEqual([])
  await rewind(eventId, 'created_at', '1 hour')
  await runCron()
  expect(await deliveries(site)).toHaveLength(1)
})

it('it costs as many calls as a sent one, and none later', async () => {
  const { site, eventId } = await lostEvent()
  await breakSecret(site)
  const handed = async () => {
    await hand([{ kind: 'event', eventId }])
    return new Response()
  }
  expect(await callsOf(handed)).toMatchObject({ postgres: 3 })
  expect(await callsOf(handed)).toMatchObject({ postgres: 1 })
})

it('a test of the webhook answers 200 and reports that nothing was delivered', async ({ site }) => {
  await setWebhook(site, 'ok')
  await breakSecret(site)
  const response = await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ ok: false, status: 0, delivered: false })
})

it('the other webhooks of the site get their events', async () => {
  const site = await siteWith('ok')
  const other = await addWebhook(site, 'ok')
  await breakSecret(site)
  const world = await alertWorld({})
  await deliver(world, site, 1)
  await deliver(world, site, 1, other.id)
  expect((await deliveries(site)).map(({ error }) => error).sort()).toEqual([null, 'secret_undecryptable'])
  expect(await received(site)).toHaveLength(1)
})

it('the event fails the same way when it is resent, and arrives once the secret is rotated', async () => {
  const { site, eventId } = await lostEvent()
  await breakSecret(site)
  await hand([{ kind: 'event', eventId }])
  const again = await site.manage('POST', `/events/${eventId}/resends`)
  expect(again).toMatchObject({ error: 'secret_undecryptable', status: null })
  const { secret } = await site.manage('POST', '/webhook/secret-rotations')
  expect(await site.manage('POST', `/events/${eventId}/resends`)).toMatchObject({ status: 200, error: null })
  const [arrived] = await received(site)
  expect(new Webhook(secret).verify(arrived!.body, arrived!.headers)).toBeTruthy()
})

it('the operator gets an alert with instructions at the first event, whatever failed before', async () => {
  const world = await alertWorld()
  const site = await siteWith('status/500')
  await deliver(world, site, 1)
  await breakSecret(site)
  await deliver(world, site, 2)
  await world.drain()
  const [message, ...more] = await world.received()
  expect(more).toEqual([])
  expect(message!.json.text).toContain('most recently with secret_undecryptable')
  expect(message!.json.text).toContain('WEBHOOK_KEYS, or rotate the secret')
  expect(await alertsOf(site)).toMatchObject([{ kind: 'webhook_failing' }])
})

it('the console shows instructions on the page of the delivery, and at the signature check', async () => {
  const { site, eventId } = await lostEvent()
  await breakSecret(site)
  await hand([{ kind: 'event', eventId }])
  const [delivery] = await deliveries(site)
  const cookie = await signIn()
  const integrations = `/console/sites/${site.id}/integrations`
  const page = await visit(`${integrations}/deliveries/${delivery!.id}`, { cookie })
  expect(wordsOf(page)).toContain('Secret cannot be decrypted')
  expect(wordsOf(page)).toContain('Rotate the secret of the webhook')
  const tested = wordsOf(
    await visit(`${integrations}/webhooks/${site.id}?tested=${delivery!.id}`, { cookie }),
  )
  expect(tested).toContain('Secret cannot be decrypted')
  const form = { timestamp: '1700000000', body: '{}', signature: 'a'.repeat(64), id: '' }
  const check = await visit(`${integrations}/signature-check`, { cookie, form })
  expect(check.status).toBe(400)
  expect(errorBeside('signature', check)).toContain('the secret of the webhook cannot be decrypted')
})
