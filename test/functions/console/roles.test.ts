/**
 * The console shows no button that would be refused. `test/functions/manage/roles.test.ts` has the role that each verb requires,
 * and `test/functions/reachable-sites.test.ts` the pages of other sites.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { workspaceConsole } from '../../../functions/console/console.tsx'
import { cookieOf, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { manage } from '../../support/site.ts'
import { addWebhook, deliveries } from '../../support/webhook.ts'

type World = Awaited<ReturnType<typeof makeWorld>>

/** A site with a resource of each kind, and a person with the role. */
async function makeWorld(role: 'viewer' | 'editor' | 'admin') {
  const { site, eventId } = await lostEvent('ok')
  await hand([{ kind: 'event', eventId }])
  await site.put('linked')
  await site.put('held')
  await site.manage('PUT', '/posts/held/change-request', { note: 'Shorter' })
  await putGuide(site, 'draft')
  const link = await site.manage('POST', '/posts/linked/preview-links', {})
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
  await site.manage('PUT', '/sitemap')
  const rows = await site.manage('GET', '/training-rows')
  const add = (as: string) => manage('POST', '/operators', { name: `${as}-${crypto.randomUUID()}`, role: as })
  const [self, other] = [await add(role), await add('viewer')]
  const { token } = await manage('POST', `/operators/${self.id}/tokens`, {})
  const otherToken = await manage('POST', `/operators/${other.id}/tokens`, {})
  const [delivery] = await deliveries(site)
  return {
    site: `/console/sites/${site.id}`,
    cookie: cookieOf(await trySignIn(token)),
    self,
    ids: {
      siteId: site.id,
      endpointId: (await addWebhook(site, 'ok')).id,
      keyId: site.keyId,
      deliveryId: delivery!.id,
      resendId: (await site.manage('POST', '/resends', {})).id,
      operatorId: other.id,
      tokenId: otherToken.id,
      sessionId: crypto.randomUUID(),
      slug: 'draft',
      linkId: link.id,
      rowId: String(rows.items[0]!.id),
    } as Record<string, string>,
  }
}

/** The routes of the console with this method that require a session. */
const routesOf = (method: string) => [
  ...new Set(
    workspaceConsole.routes
      .filter((route) => route.method === method)
      .map(({ path }) => `/console${path.replace(/^\/console/, '')}`)
      .filter((path) => !/\/(sign-in|sign-out)/.test(path)),
  ),
]
const fill = (route: string, ids: Record<string, string>) =>
  route.replaceAll(/:(\w+)(\{.*?\})?(?=\/|$)/g, (_, name: string) => ids[name]!).replace('}', '')

let viewer: World
beforeAll(async () => {
  viewer = await makeWorld('viewer')
})

describe('a viewer', () => {
  it('changes nothing by any form', async () => {
    const { cookie, ids, self } = viewer
    const forms = routesOf('POST')
    expect(forms.length).toBeGreaterThan(50)
    // The preview and the check of an import store nothing, and a verb is called only with valid input.
    const form = {
      status: 'published',
      change: 'publish',
      do: 'import',
      file: '{}',
      name: 'Test',
      role: 'admin',
    }
    for (const route of forms) {
      const { status } = await visit(fill(route, ids), { cookie, form })
      expect([400, 403, 404], route).toContain(status)
    }
    const { items } = await manage('GET', `/audit-log?actorId=${self.id}&limit=500`)
    expect(items.filter(({ action }) => !/^operator\.(signed_in|refused)$/.test(action))).toEqual([])
  })

  it.each([
    ['/content/selection', { change: 'publish', slug: 'draft' }],
    ['/content/training-rows/selection', { optIn: 'out', row: crypto.randomUUID() }],
    ['/content/undo', { undo: '' }],
    ['/content/posts/draft/preview', { contentHtml: '<p>Typed</p>' }],
    ['/content/posts/draft/publication', { status: 'published' }],
    ['/content/posts/draft/edit', { excerpt: 'Edited' }],
    ['/integrations/tests', {}],
    ['/settings/transfer', { file: '{}', do: 'import' }],
    ['/settings/deletion', { name: 'Test' }],
    ['/console/people', { name: 'ada', role: 'viewer' }],
  ])('is refused by the form %s, and the page says so', async (path, form) => {
    const { cookie, site } = viewer
    const page = await visit(path.startsWith('/console') ? path : site + path, { cookie, form })
    expect([page.status, wordsOf(page)]).toEqual([403, expect.stringContaining('Not allowed')])
  })

  it('sees no button that would be refused', async () => {
    for (const page of [
      '/api',
      '/integrations',
      '/integrations/deliveries',
      `/integrations/webhooks/${viewer.ids.endpointId}`,
      '/content',
      '/content/posts/draft',
      '/content/posts/linked',
      '/content/posts/held',
      '/content/guides/draft',
      '/content/redirects',
      '/content/training',
      '/settings',
      '/settings/publishing',
      '/settings/sitemap',
      '/settings/transfer',
    ]) {
      const { text, status } = await visit(viewer.site + page, { cookie: viewer.cookie })
      const actions = [...text.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action)
      expect([page, status, actions]).toEqual([page, 200, ['/console/sign-out']])
      expect(text).not.toMatch(/Send test event|aria-disabled/)
      for (const link of ['/keys/new', '/webhook"', '/deletion"', '/slug"', '/edit"', '/renewal"'])
        expect(text).not.toContain(link)
    }
    for (const page of [
      '/content/posts/draft/edit',
      '/content/guides/draft/edit',
      '/settings/deletion',
      '/keys/new',
    ])
      expect(await visit(viewer.site + page, viewer)).toMatchObject({ status: 403 })
    expect(await visit('/console/sites/new', viewer)).toMatchObject({ status: 403 })
  })

  it('sees on the page of a confirmation which role it requires, instead of a button', async () => {
    const { site, cookie, ids } = viewer
    for (const [page, role] of [
      [`/keys/${ids.keyId}/revocation`, 'admin'],
      ['/integrations/webhook/removal', 'admin'],
      [`/integrations/webhooks/${ids.endpointId}/removal`, 'admin'],
      ['/integrations/webhook/secret-rotations', 'admin'],
      ['/content/posts/draft/deletion', 'editor'],
      ['/content/guides/draft/deletion', 'editor'],
      ['/settings/sitemap/renewal', 'admin'],
      ['/settings/sitemap/removal', 'admin'],
    ]) {
      const { text, status } = await visit(site + page, { cookie })
      expect([page, status, text.match(/<form method="post"/g)?.length]).toEqual([page, 200, 1])
      expect(wordsOf({ text })).toContain(
        `Only ${role === 'admin' ? 'admins' : 'editors and admins'} can change this.`,
      )
    }
  })

  it('does not see the signatures of a delivery and the same POST as curl, which an editor does', async () => {
    const editor = await makeWorld('editor')
    for (const { site, cookie, ids } of [viewer, editor]) {
      const { text } = await visit(`${site}/integrations/deliveries/${ids.deliveryId}`, { cookie })
      expect(text).toContain('webhook-timestamp')
      const parts = [/[0-9a-f]{64}/, /v1,[A-Za-z0-9+/]/, /curl/].map((part) => part.test(text))
      expect(parts).toEqual(Array(3).fill(cookie === editor.cookie))
      const check = await visit(`${site}/integrations/signature-check?delivery=${ids.deliveryId}`, { cookie })
      expect(/[0-9a-f]{64}/.test(check.text)).toBe(cookie === editor.cookie)
    }
  })
})

it('nobody gets what belongs to another site or does not exist: every page and form is an error', async () => {
  const { cookie, ids, site } = await makeWorld('admin')
  /** Pages that lead to those of the article, and forms that change nothing. */
  const leadsOn = {
    GET: /\/(publication|publication-schedule|change-request\/resolution)(\/|$)/,
    POST: /\/(preview|undo|tests)$/,
  }
  const routes = (['GET', 'POST'] as const).flatMap((method) =>
    routesOf(method)
      .filter((route) => /:(?!siteId|file|link\b)/.test(route) && !leadsOn[method].test(route))
      .map((route) => ({ method, route })),
  )
  expect(routes.length).toBeGreaterThan(40)
  const found: string[] = []
  const ask = async ({ method, route }: (typeof routes)[number]) => {
    const malformed = route.endsWith('/posts/:slug') ? ['%00', '%E0%A4'] : []
    for (const slug of ['none', 'x', ...malformed]) {
      const unknown = Object.fromEntries(Object.keys(ids).map((name) => [name, slug]))
      const elsewhere = slug === 'none' && route.includes(':siteId') ? viewer.ids : unknown
      const path = fill(route, { ...elsewhere, siteId: ids.siteId!, slug })
      const { status } = await visit(path, { cookie, ...(method === 'POST' && { form: {} }) })
      // A form without its fields may be refused before its resource is looked up.
      if (status !== 404 && !(method === 'POST' && status === 400))
        found.push(`${method} ${path.replace(site, '')}: ${status}`)
    }
  }
  for (let at = 0; at < routes.length; at += 8) await Promise.all(routes.slice(at, at + 8).map(ask))
  expect(found).toEqual([])
})
