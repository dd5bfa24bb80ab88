import { beforeAll, describe, expect, it } from 'vitest'
import { workspaceConsole } from '../../../functions/console/console.tsx'
import { DAY_MS } from '../../../src/core/time.ts'
import { cookieOf, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { manage } from '../../support/site.ts'
import { addWebhook, deliveries } from '../../support/webhook.ts'

const ROLES = ['viewer', 'editor', 'admin'] as const
type Role = (typeof ROLES)[number]
type World = Awaited<ReturnType<typeof makeWorld>>
/** `ids` replace those of the world: each is the name of another one, or a slug. */
type Form = [role: Role, form?: Record<string, string>, ids?: Record<string, string>]

const SITE = '/console/sites/:siteId{[0-9A-Fa-f-]{36}}'
const NAME = 'Test'
/** Routes for people who are not signed in, or sign out. */
const OPEN = ['/console/sign-in', '/console/sign-in/links/:link', '/console/sign-out']

const OF_WORKSPACE: Record<string, Form> = {
  '/console/sites': ['admin', { name: 'N', domain: 'n.example.com', plan: 'free' }],
  '/console/people': ['admin', { name: `p-${crypto.randomUUID()}`, role: 'viewer' }],
  '/console/people/:operatorId': ['admin', { name: `q-${crypto.randomUUID()}`, role: 'viewer' }],
  '/console/people/:operatorId/tokens': ['admin'],
  '/console/people/:operatorId/tokens/:tokenId/revocation': ['admin'],
  '/console/people/:operatorId/links': ['admin'],
  '/console/people/:operatorId/links/:linkId/revocation': ['admin', {}, { linkId: 'signInLinkId' }],
  '/console/people/:operatorId/sessions/:sessionId/removal': ['admin'],
  '/console/people/:operatorId/sessions/removal': ['admin'],
  '/console/people/:operatorId/deletion': ['admin'],
}

const SETTINGS = {
  name: NAME,
  domain: 'd.example.com',
  defaultLanguage: 'en',
  postPath: '/blog/{slug}',
  guidePath: '/guides/{slug}',
  plan: 'free',
  dailyQuota: '',
}
const LINKED = { slug: 'linked' }
const OLD = { slug: 'old' }
const URL_FIELD = { url: 'https://hooks.example.com/' }
const PUBLISH_AT = { publishAt: new Date(Date.now() + DAY_MS).toISOString() }

const OF_SITE: Record<string, Form> = {
  '/keys': ['admin', { name: 'K', access: 'full' }],
  '/keys/:keyId/revocation': ['admin'],
  '/integrations/tests': ['editor'],
  '/integrations/deliveries/:deliveryId/resends': ['editor'],
  '/integrations/resends/:resendId/stop': ['editor'],
  '/integrations/resends': ['editor'],
  '/integrations/signature-check': ['viewer', { timestamp: '1', body: '{}', signature: 'x', id: '' }],
  '/integrations/webhook': ['admin', URL_FIELD],
  '/integrations/webhook/secret-rotations': ['admin', {}, { since: 'rotatedAt' }],
  '/integrations/webhook/removal': ['admin'],
  '/integrations/webhooks': ['admin', URL_FIELD],
  '/integrations/webhooks/:endpointId': ['admin', URL_FIELD],
  '/integrations/webhooks/:endpointId/tests': ['editor'],
  '/integrations/webhooks/:endpointId/secret-rotations': ['admin', {}, { since: 'furtherRotatedAt' }],
  '/integrations/webhooks/:endpointId/removal': ['admin'],
  '/content/selection': ['editor', { change: 'ready', slug: 'draft' }],
  '/content/posts/:slug/edit': ['editor', { excerpt: 'Edited' }],
  '/content/posts/:slug/preview': ['editor', { contentHtml: '<p>Typed</p>' }],
  '/content/guides/:slug/edit': ['editor', { excerpt: 'Edited' }],
  '/content/guides/:slug/preview': ['editor', { contentHtml: '<p>Typed</p>' }],
  '/content/undo': ['editor', { undo: '' }],
  '/content/posts/:slug/undo': ['editor', { undo: '' }],
  '/content/guides/:slug/undo': ['editor', { undo: '' }],
  '/content/training-rows/selection': ['editor', { optIn: 'out', row: crypto.randomUUID() }],
  '/content/posts/:slug/readiness': ['editor'],
  '/content/posts/:slug/publication-schedule': ['editor', PUBLISH_AT, LINKED],
  '/content/posts/:slug/publication-schedule/cancellation': ['editor', {}, LINKED],
  '/content/posts/:slug/change-request': ['editor', { note: 'Shorter, please' }, LINKED],
  '/content/posts/:slug/change-request/resolution': ['editor', {}, LINKED],
  '/content/posts/:slug/publication': ['editor', { status: 'published' }],
  '/content/posts/:slug/slug': ['editor', { slug: 'renamed' }],
  '/content/posts/:slug/deletion': ['editor', {}, OLD],
  '/content/posts/:slug/preview-links': ['editor', {}, LINKED],
  '/content/posts/:slug/preview-links/:linkId/revocation': ['editor', {}, LINKED],
  '/content/guides/:slug/publication': ['editor', { status: 'draft' }],
  '/content/guides/:slug/slug': ['editor', { slug: 'renamed' }],
  '/content/guides/:slug/deletion': ['editor', {}, OLD],
  '/content/redirects': ['editor', { from: '/old', to: '/new' }],
  '/content/redirects/removal': ['editor', { from: '/removed' }],
  '/content/training/:rowId/opt-in': ['editor', { optIn: 'out' }],
  '/content/training/:rowId/deletion': ['editor'],
  '/settings': ['admin', SETTINGS],
  '/settings/schema-bundles/rebuilds': ['editor'],
  '/settings/sitemap': ['admin'],
  '/settings/sitemap/renewal': ['admin'],
  '/settings/sitemap/removal': ['admin'],
  // Checks a file that is not an export.
  '/settings/transfer': ['editor', { file: '{}', do: 'check' }],
  '/settings/deletion': ['admin', { name: NAME }],
}

/** Every route that posts, in an order in which each succeeds. */
const FORMS: Record<string, Form> = {
  ...OF_WORKSPACE,
  ...Object.fromEntries(Object.entries(OF_SITE).map(([path, form]) => [SITE + path, form])),
}

const routesOf = (asked: string) => [
  ...new Set(
    workspaceConsole.routes
      .filter(({ method }) => method === asked)
      .map(({ path }) => `/console${path.replace(/^\/console/, '')}`),
  ),
]

async function makeWorld(role: Role) {
  const { site, eventId } = await lostEvent('ok')
  await hand([{ kind: 'event', eventId }])
  for (const slug of ['old', 'linked']) await site.put(slug)
  for (const slug of ['old', 'draft']) await putGuide(site, slug)
  const link = await site.manage('POST', '/posts/linked/preview-links', {})
  await site.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
  await site.manage('PUT', '/redirects', { redirects: [{ from: '/removed', to: '/new' }] })
  const rows = await site.manage('GET', '/training-rows')
  const add = (as: Role) => manage('POST', '/operators', { name: `${as}-${crypto.randomUUID()}`, role: as })
  const other = await add('viewer')
  const otherToken = await manage('POST', `/operators/${other.id}/tokens`, {})
  const signInLink = await manage('POST', `/operators/${other.id}/sign-in-links`, {})
  const self = await add(role)
  const { token } = await manage('POST', `/operators/${self.id}/tokens`, {})
  const [delivery] = await deliveries(site)
  // Already marked ready, so that it can be marked again.
  await site.put('draft', { trustScore: 92, title: 'Edited' })
  await site.manage('PUT', '/sitemap')
  const further = await addWebhook(site, 'ok')
  return {
    site: `/console/sites/${site.id}`,
    cookie: cookieOf(await trySignIn(token)),
    self,
    ids: {
      siteId: site.id,
      endpointId: further.id,
      rotatedAt: (await site.manage('GET', '/webhook')).secretRotatedAt,
      furtherRotatedAt: further.secretRotatedAt,
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

function fill(route: string, ids: Record<string, string>, others: Record<string, string> = {}) {
  const idOf = (name: string) => (others[name] ? (ids[others[name]] ?? others[name]) : ids[name])!
  const path = route.replaceAll(/:(\w+)(\{.*?\})?(?=\/|$)/g, (_, name: string) => idOf(name)).replace('}', '')
  return others.since ? `${path}?since=${idOf('since')}` : path
}

describe('the roles in the console', () => {
  let viewer: World
  beforeAll(async () => {
    viewer = await makeWorld('viewer')
  })

  it('are checked on every route that posts', () => {
    const posts = routesOf('POST').filter((path) => !OPEN.includes(path))
    expect(Object.keys(FORMS).toSorted()).toEqual(posts.toSorted())
  })

  it.each(ROLES)('let a %s do exactly what the table allows, and log it', async (role) => {
    // Nobody has written anything as the shared viewer.
    const { cookie, ids, self } = role === 'viewer' ? viewer : await makeWorld(role)
    const answers: Record<string, string> = {}
    const wanted: Record<string, string> = {}
    for (const [route, [needed, form = {}, others]] of Object.entries(FORMS)) {
      const page = await visit(fill(route, ids, others), { cookie, form })
      const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(needed)
      answers[route] = [200, 201, 303, ...(route.endsWith('/transfer') ? [400] : [])].includes(page.status)
        ? 'done'
        : `${page.status} ${wordsOf(page).includes('Not allowed')}`
      wanted[route] = isAllowed ? 'done' : '403 true'
    }
    expect(answers).toEqual(wanted)
    const query = new URLSearchParams({ actor: self.name, limit: '500' })
    const { items } = await manage('GET', `/audit-log?${query}`)
    expect(new Set(items.map(({ channel }) => channel))).toEqual(new Set(['console']))
    const done = items.map(({ action }) => action).filter((action) => action !== 'operator.refused')
    if (role === 'viewer') expect(done).toEqual(['operator.signed_in'])
  })

  it('show a viewer no button that would be refused', async () => {
    for (const page of [
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
    ]) {
      const { text, status } = await visit(viewer.site + page, { cookie: viewer.cookie })
      const actions = [...text.matchAll(/<form method="post" action="([^"]+)"/g)].map(([, action]) => action)
      expect([page, status, actions]).toEqual([page, 200, ['/console/sign-out']])
      expect(text).not.toContain('Send test event')
      for (const link of ['/keys/new', '/webhook"', '/deletion"', '/slug"', '/edit"', '/renewal"'])
        expect(text).not.toContain(link)
    }
    for (const kind of ['posts', 'guides'])
      expect(await visit(`${viewer.site}/content/${kind}/draft/edit`, viewer)).toMatchObject({ status: 403 })
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

  it('tell a viewer on the page of a confirmation which role it requires, instead of a button', async () => {
    const { site, cookie, ids } = viewer
    for (const [page, role] of [
      [`/keys/${ids.keyId}/revocation`, 'admin'],
      ['/integrations/webhook/removal', 'admin'],
      ['/integrations/webhook/secret-rotations', 'admin'],
      ['/content/posts/draft/deletion', 'editor'],
      ['/content/guides/draft/deletion', 'editor'],
      ['/settings/sitemap/renewal', 'admin'],
      ['/settings/sitemap/removal', 'admin'],
      ['/settings/deletion', 'admin'],
    ]) {
      const { text, status } = await visit(site + page, { cookie })
      expect([page, status, text.match(/<form method="post"/g)?.length]).toEqual([page, 200, 1])
      expect(wordsOf({ text })).toContain(`You need the role ${role} to make changes here.`)
    }
  })

  it('give nobody what belongs to another site or does not exist: every page and form is 404', async () => {
    const { cookie, ids, site } = await makeWorld('admin')
    /** Pages that lead to those of the article, and forms that change nothing. */
    const leadsOn = {
      GET: /\/(publication|publication-schedule|change-request)(\/|$)/,
      POST: /\/(preview|undo|tests)$/,
    }
    const routes = (['GET', 'POST'] as const).flatMap((method) =>
      routesOf(method)
        .filter((route) => /:(?!siteId|file|link\b)/.test(route) && !leadsOn[method].test(route))
        .map((route) => ({ method, route })),
    )
    expect(routes.length).toBeGreaterThan(40)
    const found: string[] = []
    for (const { method, route } of routes) {
      const [, form = {}, others] = FORMS[route] ?? []
      const malformed = route.endsWith('/posts/:slug') ? ['%00', '%E0%A4'] : []
      for (const slug of ['none', 'x', ...malformed]) {
        const unknown = Object.fromEntries(Object.keys(ids).map((name) => [name, slug]))
        const elsewhere = slug === 'none' && route.startsWith(SITE) ? viewer.ids : unknown
        const path = fill(route, { ...elsewhere, siteId: ids.siteId!, slug }, { ...others, slug })
        const { status } = await visit(path, { cookie, ...(method === 'POST' && { form }) })
        if (status !== 404) found.push(`${method} ${path.replace(site, '')}: ${status}`)
      }
    }
    expect(found).toEqual([])
  })
})
