import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { decrypt, encrypt } from '../../src/crypto/encryption.ts'
import { webhookEndpoints } from '../../src/db/schema.ts'
import type { Stack } from '../../src/local/stack.ts'
import { createSite } from '../../src/sites/sites.ts'
import { rotateWebhookSecret, setWebhook } from '../../src/webhooks/endpoint.ts'
import { countSecretsLeft, reencryptSecrets } from '../../src/webhooks/reencryption.ts'
import { startOwnStack } from '../support/own-stack.ts'
import { contextOver, webhookKey } from '../support/verbs.ts'

const OLD = webhookKey('old')
const NEW = webhookKey('new')

let stack: Stack

beforeAll(async () => {
  stack = await startOwnStack()
})

afterAll(() => stack?.stop())

async function makeEndpoint() {
  const ctx = contextOver(stack, OLD)
  const site = await createSite(ctx, { name: 'A', domain: 'a.example.com' })
  const { secret } = await setWebhook(ctx, site, { url: 'https://hooks.acme.dev/' })
  return { site, secret: secret! }
}

async function sealed(siteId: string) {
  const { db } = contextOver(stack)
  const [row] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.siteId, siteId))
  return row!
}

it('with a new webhook key first, every secret is encrypted with it, and the old key can be removed', async () => {
  const { site, secret } = await makeEndpoint()
  const rotated = await rotateWebhookSecret(contextOver(stack, OLD), site)
  const both = contextOver(stack, `${NEW},${OLD}`)
  expect(await decrypt(both.config, site.id, (await sealed(site.id)).secret)).toBe(rotated.secret)

  expect(await reencryptSecrets(both)).toBe(1)
  expect(await reencryptSecrets(both)).toBe(0)

  const { config } = contextOver(stack, NEW)
  const row = await sealed(site.id)
  expect(await decrypt(config, site.id, row.secret)).toBe(rotated.secret)
  expect(await decrypt(config, site.id, row.previousSecret!)).toBe(secret)
})

it('a secret whose key is missing is unchanged, and the others are re-encrypted', async () => {
  const lost = await makeEndpoint()
  const other = await makeEndpoint()
  const { db } = contextOver(stack)
  await db
    .update(webhookEndpoints)
    .set({ secret: 'gone.AAAA.AAAA' })
    .where(eq(webhookEndpoints.siteId, lost.site.id))
  expect(await reencryptSecrets(contextOver(stack, `${NEW},${OLD}`))).toBe(1)
  expect((await sealed(lost.site.id)).secret).toBe('gone.AAAA.AAAA')
  const { config } = contextOver(stack, NEW)
  expect(await decrypt(config, other.site.id, (await sealed(other.site.id)).secret)).toBe(other.secret)
})

it('a previous secret that no longer signs is deleted, not re-encrypted', async () => {
  const { site } = await makeEndpoint()
  await rotateWebhookSecret(contextOver(stack, OLD), site)
  const { db } = contextOver(stack)
  await db
    .update(webhookEndpoints)
    .set({ previousSecretExpiresAt: new Date(Date.now() - 1) })
    .where(eq(webhookEndpoints.siteId, site.id))
  await reencryptSecrets(contextOver(stack, `${NEW},${OLD}`))
  expect(await sealed(site.id)).toMatchObject({ previousSecret: null })
})

it('a previous secret that cannot be decrypted is unchanged, and the current one is re-encrypted', async () => {
  const { site } = await makeEndpoint()
  const rotated = await rotateWebhookSecret(contextOver(stack, OLD), site)
  const { db } = contextOver(stack)
  await db
    .update(webhookEndpoints)
    .set({ previousSecret: 'gone.AAAA.AAAA' })
    .where(eq(webhookEndpoints.siteId, site.id))
  await reencryptSecrets(contextOver(stack, `${NEW},${OLD}`))
  const { secret, previousSecret } = await sealed(site.id)
  expect(await decrypt(contextOver(stack, NEW).config, site.id, secret)).toBe(rotated.secret)
  expect(previousSecret).toBe('gone.AAAA.AAAA')
})

it('one call re-encrypts hundreds of secrets, past those whose key is gone, which it counts as left', async () => {
  const { site } = await makeEndpoint()
  const { config, db } = contextOver(stack, OLD)
  await db.delete(webhookEndpoints)
  const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
  const rows = Array.from({ length: 1_200 }, async (_, n) => {
    const secret = n < 550 ? 'gone.AAAA.AAAA' : await encrypt(config, idOf(n), `secret ${n}`)
    return { id: idOf(n), siteId: site.id, url: `https://hooks.acme.dev/${n}`, secret }
  })
  await db.insert(webhookEndpoints).values(await Promise.all(rows))
  const both = contextOver(stack, `${NEW},${OLD}`)
  expect(await countSecretsLeft(both)).toBe(1_200)
  expect(await reencryptSecrets(both)).toBe(650)
  expect(await countSecretsLeft(both)).toBe(550)
  const [renewed] = await db
    .select()
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.id, idOf(1_199)))
  expect(await decrypt(contextOver(stack, NEW).config, renewed!.id, renewed!.secret)).toBe('secret 1199')
})
