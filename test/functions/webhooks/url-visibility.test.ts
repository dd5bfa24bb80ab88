import { describe, expect } from 'vitest'
import { maskWebhookUrl } from '../../../src/people/webhook-url.ts'
import { cookieOf, trySignIn, visit } from '../../support/console.ts'
import { makeOperator } from '../../support/mcp.ts'
import { call, it, operatorToken } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook, eventually, received, setWebhook } from '../../support/webhook.ts'

describe('the URL of a webhook', () => {
  it.each([
    ['https://hooks.zapier.com/hooks/catch/1/secret/', 'https://hooks.zapier.com/...'],
    ['https://n8n.example:8443/?token=secret', 'https://n8n.example:8443/...'],
    ['https://user:secret@hook.example/a#b', 'https://hook.example/...'],
    ['https://hook.example/', 'https://hook.example/'],
    ['https://hook.example', 'https://hook.example/'],
    ['/secret', '...'],
    ['', ''],
  ])('%s is masked as %s', (url, masked) => {
    expect(maskWebhookUrl(url)).toBe(masked)
  })

  it('is found in the audit log by any part by editors, and by no part by viewers', async ({ site }) => {
    const secret = `secret-${site.id}`
    await setWebhook(site, `ok/${secret}`)
    const foundBy = async (role: 'viewer' | 'editor', subject: string) => {
      const { token } = await makeOperator(role)
      const path = `/manage/v1/sites/${site.id}/audit-log?${new URLSearchParams({ subject })}`
      const { items } = (await (await call(path, { key: token })).json()) as { items: { action: string }[] }
      return items.filter(({ action }) => action.startsWith('webhook.')).length
    }
    for (const subject of [secret, secret.slice(0, -1)]) {
      expect(await foundBy('editor', subject)).toBe(1)
      expect(await foundBy('viewer', subject)).toBe(0)
    }
  })

  it('is complete for editors, and only the host for viewers, wherever it is shown', async ({ site }) => {
    // As n8n responds.
    const secret = `secret-${site.id}`
    const answer = JSON.stringify({ status: 404, body: `The requested webhook ${secret} is not registered` })
    const script = `answer/${encodeURIComponent(answer)}/${secret}`
    await setWebhook(site, script)
    await addWebhook(site, script)
    const secrets = await site
      .manage('GET', '/webhooks')
      .then(({ items }) => [...items.map(({ url }) => new URL(url).pathname), secret])
    await site.put('draft', { qualityBand: 'review' })
    await site.manage('PUT', '/posts/draft/readiness')
    await eventually(async () => ((await received(site)).length >= 2 ? true : undefined))
    const delivery = await eventually(async () => (await site.manage('GET', '/deliveries?limit=1')).items[0])
    await runSql(
      `insert into alerts (id, site_id, kind, endpoint_id, details) values (gen_random_uuid(), $1, 'webhook_failing', $1,
       jsonb_build_object('url', 'https://hook.example${secrets[0]}', 'failures', 3, 'since', now()))`,
      [site.id],
    )
    const paths = [
      '/webhook',
      '/webhooks',
      '/deliveries',
      `/deliveries/${delivery.id}`,
      '/audit-log',
      '/events',
    ]
    const pages = [
      ...['', '/webhook', `/webhooks/${site.id}`, '/deliveries', `/deliveries/${delivery.id}`].map(
        (path) => `/integrations${path}`,
      ),
      '/audit-log',
    ]
    const seenBy = async (token: string) => {
      const cookie = cookieOf(await trySignIn(token, { address: crypto.randomUUID() }))
      const texts = [
        ...paths.map(async (path) =>
          (await call(`/manage/v1/sites/${site.id}${path}`, { key: token })).text(),
        ),
        ...pages.map(async (path) => (await visit(`/console/sites/${site.id}${path}`, { cookie })).text),
      ]
      // A masked URL is of no use to copy.
      const copies = /data-copy="[^"]*\/\.\.\."/
      return (await Promise.all(texts)).map(
        (text) => copies.test(text) || secrets.some((secret) => text.includes(secret)),
      )
    }
    const isSeen = [...paths, ...pages].map((path) => !/events$/.test(path))
    for (const role of ['viewer', 'editor'] as const) {
      const seen = await seenBy((await makeOperator(role)).token)
      expect(seen, role).toEqual(role === 'viewer' ? isSeen.map(() => false) : expect.arrayContaining([true]))
      if (role === 'editor') expect(seen[0]).toBe(true)
    }
    const alerts = await call(`/manage/v1/sites/${site.id}/alerts`, { key: operatorToken })
    expect(await alerts.json()).toMatchObject({ items: [{ webhook: { url: 'https://hook.example/...' } }] })
  })
})
