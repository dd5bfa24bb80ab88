import { beforeAll, describe, expect, it } from 'vitest'
import { workspaceConsole } from '../../../functions/console/console.tsx'
import { cookieOf, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { manage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook, deliveries } from '../../support/webhook.ts'

const ROLES = ['viewer', 'editor', 'admin'] as const
type Role = (typeof ROLES)[number]
type World = Awaited<ReturnType<typeof makeWorld>>
type Form = [role: Role, form: Record<string, string>, path?: (world: World) => string]

const SITE = '/console/sites/:siteId{[0-9A-Fa-f-]{36}}'
const NAME = 'Test'
/** Routes for people who are not signed in, or sign out. */
const OPEN = ['/console/sign-in', '/console/sign-in/links/:link', '/console/sign-out']

/** Every route that posts, in an order in which each succeeds: the minimum role, and the form. */
const FORMS: Record<string, Form> = {
  '/console/sites': ['admin', { name: 'N', domain: 'n.example.com', plan: 'free' }],
  '/console/people': ['admin', { name: `p-${crypto.randomUUID()}`, role: 'viewer' }],
  '/console/people/:operatorId': ['admin', { name: `q-${crypto.randomUUID()}`, role: 'viewer' }],
  '/console/people/:operatorId/tokens': ['admin', {}],
  '/console/people/:operatorId/tokens/:tokenId/revocation': ['admin', {}],
  '/console/people/:operatorId/links': ['admin', {}],
  '/console/people/:operatorId/links/:linkId/revocation': [
    'admin',
    {},
    ({ ids }) => `/console/people/${ids.operatorId}/links/${ids.signInLinkId}/revocation`,
  ],
  '/console/people/:operatorId/sessions/:sessionId/removal': ['admin', {}],
  '/console/people/:operatorId/sessions/removal': ['admin', {}],
  '/console/people/:operatorId/deletion': ['admin', {}],
  [`${SITE}/keys`]: ['admin', { name: 'K', access: 'full' }],
  [`${SITE}/keys/:keyId/revocation`]: ['admin', {}],
  [`${SITE}/integrations/tests`]: ['editor', {}],
  [`${SITE}/integrations/deliveries/:deliveryId/resends`]: ['editor', {}],
  [`${SITE}/integrations/resends/:resendId/stop`]: ['editor', {}],
  [`${SITE}/integrations/resends`]: ['editor', {}],
  [`${SITE}/integrations/signature-check`]: [
    'viewer',
    { timestamp: '1', body: '{}', signature: 'x', id: '' },
  ],
  [`${SITE}/integrations/webhook`]: ['admin', { url: 'https://hooks.example.com/' }],
  [`${SITE}/integrations/webhook/secret-rotations`]: [
    'admin',
    {},
    (world) => `${world.site}/integrations/webhook/secret-rotations?since=${world.secretRotatedAt}`,
  ],
  [`${SITE}/integrations/webhook/removal`]: ['admin', {}],
  [`${SITE}/integrations/webhooks`]: ['admin', { url: 'https://hooks.example.com/' }],
  [`${SITE}/integrations/webhooks/:endpointId`]: ['admin', { url: 'https://hooks.example.com/' }],
  [`${SITE}/integrations/webhooks/:endpointId/tests`]: ['editor', {}],
  [`${SITE}/integrations/webhooks/:endpointId/secret-rotations`]: [
    'admin',
    {},
    (world) =>
      `${world.site}/integrations/webhooks/${world.ids.endpointId}/secret-rotations?since=${world.furtherRotatedAt}`,
  ],
  [`${SITE}/integrations/webhooks/:endpointId/removal`]: ['admin', {}],
  [`${SITE}/content/selection`]: ['editor', { change: 'ready', slug: 'draft' }],
  [`${SITE}/content/posts/:slug/edit`]: ['editor', { excerpt: 'Edited' }],
  [`${SITE}/content/posts/:slug/preview`]: ['editor', { contentHtml: '<p>Typed</p>' }],
  [`${SITE}/content/guides/:slug/edit`]: ['editor', { excerpt: 'Edited' }],
  [`${SITE}/content/guides/:slug/preview`]: ['editor', { contentHtml: '<p>Typed</p>' }],
  [`${SITE}/content/undo`]: ['editor', { undo: '' }],
  [`${SITE}/content/posts/:slug/undo`]: ['editor', { undo: '' }],
  [`${SITE}/content/guides/:slug/undo`]: ['editor', { undo: '' }],
  [`${SITE}/content/training-rows/selection`]: ['editor', { optIn: 'out', row: crypto.randomUUID() }],
  [`${SITE}/content/posts/:slug/readiness`]: ['editor', {}],
  [`${SITE}/content/posts/:slug/publication-schedule`]: [
    'editor',
    { publishAt: new Date(Date.now() + 86_400_000).toISOString() },
    (world) => `${world.site}/content/posts/linked/publication-schedule`,
  ],
  [`${SITE}/content/posts/:slug/publication-schedule/cancellation`]: [
    'editor',
    {},
    (world) => `${world.site}/content/posts/linked/publication-schedule/cancellation`,
  ],
  [`${SITE}/content/posts/:slug/change-request`]: [
    'editor',
    { note: 'Shorter, please' },
    (world) => `${world.site}/content/posts/linked/change-request`,
  ],
  [`${SITE}/content/posts/:slug/change-request/resolution`]: [
    'editor',
    {},
    (world) => `${world.site}/content/posts/linked/change-request/resolution`,
  ],
  [`${SITE}/content/posts/:slug/publication`]: ['editor', { status: 'published' }],
  [`${SITE}/content/posts/:slug/slug`]: ['editor', { slug: 'renamed' }],
  [`${SITE}/content/posts/:slug/deletion`]: [
    'editor',
    {},
    (world) => `${world.site}/content/posts/old/deletion`,
  ],
  [`${SITE}/content/posts/:slug/preview-links`]: [
    'editor',
    {},
    (world) => `${world.site}/content/posts/linked/preview-links`,
  ],
  [`${SITE}/content/posts/:slug/preview-links/:linkId/revocation`]: [
    'editor',
    {},
    (world) => `${world.site}/content/posts/linked/preview-links/${world.ids.linkId}/revocation`,
  ],
  [`${SITE}/content/guides/:slug/publication`]: ['editor', { status: 'draft' }],
  [`${SITE}/content/guides/:slug/slug`]: ['editor', { slug: 'renamed' }],
  [`${SITE}/content/guides/:slug/deletion`]: [
    'editor',
    {},
    (world) => `${world.site}/content/guides/old/deletion`,
  ],
  [`${SITE}/content/redirects`]: ['editor', { from: '/old', to: '/new' }],
  [`${SITE}/content/redirects/removal`]: ['editor', { from: '/removed' }],
  [`${SITE}/content/training/:rowId/opt-in`]: ['editor', { optIn: 'out' }],
  [`${SITE}/content/training/:rowId/deletion`]: ['editor', {}],
  [`${SITE}/settings`]: [
    'admin',
    {
      name: NAME,
      domain: 'd.example.com',
      defaultLanguage: 'en',
      postPath: '/blog/{slug}',
      guidePath: '/guides/{slug}',
      plan: 'free',
      dailyQuota: '',
    },
  ],
  [`${SITE}/settings/schema-bundles/rebuilds`]: ['editor', {}],
  [`${SITE}/settings/sitemap`]: ['admin', {}],
  [`${SITE}/settings/sitemap/renewal`]: ['admin', {}],
  [`${SITE}/settings/sitemap/removal`]: ['admin', {}],
  // Checks a file that is not an export.
  [`${SITE}/settings/transfer`]: ['editor', { file: '{}', do: 'check' }],
  [`${SITE}/settings/deletion`]: ['admin', { name: NAME }],
}

const posts = [
  ...new Set(
    workspaceConsole.routes.filter(({ method }) => method === 'POST').map(({ path }) => `/console${path}`),
  ),
].filter((path) => !OPEN.includes(path))

async function makeWorld(role: Role) {
  const { site, eventId } = await lostEvent('ok')
  await hand([{ kind: 'event', eventId }])
  await site.put('old')
  await site.put('linked')
  const link = await site.manage('POST', '/posts/linked/preview-links', {})
  await putGuide(site, 'draft')
  await putGuide(site, 'old')
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
  await site.manage('PUT', '/redirects', { redirects: [{ from: '/removed', to: '/new' }] })
  const rows = await site.manage('GET', '/training-rows')
  const add = (as: Role) =>
    manage('POST', '/operators', {
      name: `${as}-${crypto.randomUUID()}`,
      role: as,
    })
  const other = await add('viewer')
  const otherToken = await manage('POST', `/operators/${other.id}/tokens`, {})
  const signInLink = await manage('POST', `/operators/${other.id}/sign-in-links`, {})
  const self = await add(role)
  const { token } = await manage('POST', `/operators/${self.id}/tokens`, {})
  const [delivery] = await deliveries(site)
  // Already marked ready, so that it can be marked again.
  await site.put('draft', { trustScore: 92, title: 'Edited' })
  await site.manage('PUT', '/sitemap')
  const webhook = await site.manage('GET', '/webhook')
  const further = await addWebhook(site, 'ok')
  return {
    secretRotatedAt: webhook.secretRotatedAt,
    furtherRotatedAt: further.secretRotatedAt,
    site: `/console/sites/${site.id}`,
    cookie: cookieOf(await trySignIn(token)),
    self,
    ids: {
      siteId: site.id,
      endpointId: further.id,
      keyId: site.keyId,
      deliveryId: delivery!.id,
      resendId: (await site.manage('POST', '/resends', {})).id,
      operatorId: other.id,
      tokenId: otherToken.id,
      signInLinkId: signInLink.id,
      sessionId: crypto.randomUUID(),
      slug: 'draft',
      linkId: link.id,
      rowId: String(rows.items[0]!.id),
    } as Record<string, string>,
  }
}

const fill = (path: string, ids: Record<string, string>) =>
  path.replaceAll(/:(\w+)(\{.*?\})?(?=\/|$)/g, (_, name: string) => ids[name]!).replace('}', '')

describe('the roles in the console', () => {
  let viewer: World
  beforeAll(async () => {
    viewer = await makeWorld('viewer')
  })

  it('are checked on every route that posts', () => {
    expect(Object.keys(FORMS).toSorted()).toEqual(posts.toSorted())
  })

  it.each(ROLES)('let a %s do exactly what the table allows, and log it', async (role) => {
    const world = await makeWorld(role)
    const answers: Record<string, string> = {}
    const wanted: Record<string, string> = {}
    for (const [route, [needed, form, pathOf]] of Object.entries(FORMS)) {
      const path = pathOf?.(world) ?? fill(route, world.ids)
      const page = await visit(path, {
        cookie: world.cookie,
        form,
      })
      const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(needed)
      answers[route] = [200, 201, 303, ...(route.endsWith('/transfer') ? [400] : [])].includes(page.status)
        ? 'done'
        : `${page.status} ${wordsOf(page).includes('Not allowed')}`
      wanted[route] = isAllowed ? 'done' : '403 true'
    }
    expect(answers).toEqual(wanted)
    const query = new URLSearchParams({ actor: world.self.name, limit: '500' })
    const { items } = await manage('GET', `/audit-log?${query}`)
    expect(new Set(items.map(({ channel }) => channel))).toEqual(new Set(['console']))
    const done = items.map(({ action }) => action).filter((action) => action !== 'operator.refused')
    if (role === 'viewer') expect(done).toEqual(['operator.signed_in'])
  })

  it.each([
    '/api',
    '/integrations',
    '/integrations/deliveries',
    '/content',
    '/content/posts/draft',
    '/content/posts/linked',
    '/content/guides/draft',
    '/content/redirects',
    '/content/training',
    '/settings',
  ])('show a viewer no button on %s that would be refused', async (page) => {
    const { text, status } = await visit(viewer.site + page, { cookie: viewer.cookie })
    expect(status).toBe(200)
    const actions = [...text.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action)
    expect(actions.filter((action) => action !== '/console/sign-out')).toEqual([])
    expect(text).not.toContain('Send test event')
    for (const link of ['/keys/new', '/webhook"', '/deletion"', '/slug"', '/renewal"'])
      expect(text).not.toContain(link)
  })

  it('show the signatures of a delivery, and the same POST as curl, to editors only', async () => {
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

  it.each([
    ['/keys/KEY/revocation', 'admin'],
    ['/integrations/webhook/removal', 'admin'],
    ['/integrations/webhook/secret-rotations', 'admin'],
    ['/content/posts/draft/deletion', 'editor'],
    ['/content/guides/draft/deletion', 'editor'],
    ['/settings/sitemap/renewal', 'admin'],
    ['/settings/sitemap/removal', 'admin'],
    ['/settings/deletion', 'admin'],
  ])('tell a viewer on %s that it requires an %s, instead of a button', async (page, role) => {
    const { site, cookie, ids } = viewer
    await runSql("update webhook_events set state = 'failed', finished_at = now() where site_id = $1", [
      ids.siteId,
    ])
    const { text, status } = await visit(site + page.replace('KEY', ids.keyId!), { cookie })
    expect(status).toBe(200)
    expect(text.match(/<form method="post"/g)).toHaveLength(1)
    expect(wordsOf({ text })).toContain(`You need the role ${role} to make changes here.`)
  })
})
