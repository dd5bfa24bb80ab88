import { describe, expect, it } from 'vitest'
import { marksKey } from '../../../src/freshness/marks.ts'
import { startResend } from '../../../src/webhooks/resend.ts'
import { putGuide } from '../../support/content.ts'
import { lossyQueue, patientRedis, testContext } from '../../support/context.ts'
import { operationsOf, readDocument } from '../../support/openapi.ts'
import { call, makeSite, manage } from '../../support/site.ts'
import { addWebhook, eventually, finished, setWebhook } from '../../support/webhook.ts'

const ROLES = ['viewer', 'editor', 'admin'] as const
type Role = (typeof ROLES)[number]

type World = Awaited<ReturnType<typeof makeWorld>>
type Write = {
  role: Role
  /** The resulting entries in the audit log; null if there are none. */
  logged: string | string[] | null
  path: (world: World) => string
  body?: unknown
}

const site =
  (below: string) =>
  ({ siteId }: World) =>
    `/sites/${siteId}${below}`
const POST = { title: 'T', contentHtml: '<p>x</p>' }
const DRAFT = { ...POST, trustScore: 90 }

/** Every operation that writes, in an order in which each succeeds. */
const WRITES: Record<string, Write> = {
  createSite: {
    role: 'admin',
    logged: 'site.created',
    path: () => '/sites',
    body: { name: 'N', domain: 'n.example.com' },
  },
  updateSite: { role: 'admin', logged: 'site.updated', path: site(''), body: { plan: 'growth' } },
  createKey: { role: 'admin', logged: 'key.created', path: site('/keys'), body: { name: 'K' } },
  revokeKey: {
    role: 'admin',
    logged: 'key.revoked',
    path: ({ siteId, keyId }) => `/sites/${siteId}/keys/${keyId}/revocation`,
  },
  putPosts: {
    role: 'editor',
    logged: 'post.created',
    path: site('/posts'),
    body: { posts: [{ ...DRAFT, slug: 'many' }] },
  },
  putPost: { role: 'editor', logged: 'post.created', path: site('/posts/one'), body: DRAFT },
  rebuildSchemaBundles: {
    role: 'editor',
    logged: 'post.rebuilt',
    path: site('/schema-bundles/rebuilds'),
  },
  markPostReady: { role: 'editor', logged: 'post.marked_ready', path: site('/posts/draft/readiness') },
  schedulePost: {
    role: 'editor',
    logged: 'post.scheduled',
    path: site('/posts/draft/publication-schedule'),
    body: { publishAt: new Date(Date.now() + 86_400_000) },
  },
  cancelPublicationSchedule: {
    role: 'editor',
    logged: 'post.schedule_cancelled',
    path: site('/posts/draft/publication-schedule'),
  },
  requestChanges: {
    role: 'editor',
    logged: 'post.changes_requested',
    path: site('/posts/draft/change-request'),
    body: { note: 'Where is this from?' },
  },
  resolveChanges: {
    role: 'editor',
    logged: 'post.changes_resolved',
    path: site('/posts/draft/change-request'),
  },
  publishPost: { role: 'editor', logged: 'post.published', path: site('/posts/draft/publication') },
  unpublishPost: { role: 'editor', logged: 'post.unpublished', path: site('/posts/draft/publication') },
  renamePost: {
    role: 'editor',
    logged: 'post.renamed',
    path: site('/posts/draft/slug'),
    body: { slug: 'renamed' },
  },
  createPreviewLink: {
    role: 'editor',
    logged: 'preview_link.created',
    path: site('/posts/event/preview-links'),
    body: {},
  },
  revokePreviewLink: {
    role: 'editor',
    logged: 'preview_link.revoked',
    path: ({ siteId, linkId }) => `/sites/${siteId}/posts/event/preview-links/${linkId}/revocation`,
  },
  deletePost: { role: 'editor', logged: 'post.deleted', path: site('/posts/old') },
  putGuides: {
    role: 'editor',
    logged: 'guide.created',
    path: site('/guides'),
    body: { guides: [{ ...POST, slug: 'many' }] },
  },
  putGuide: { role: 'editor', logged: 'guide.created', path: site('/guides/one'), body: POST },
  unpublishGuide: { role: 'editor', logged: 'guide.unpublished', path: site('/guides/g/publication') },
  publishGuide: { role: 'editor', logged: 'guide.published', path: site('/guides/g/publication') },
  renameGuide: {
    role: 'editor',
    logged: 'guide.renamed',
    path: site('/guides/g/slug'),
    body: { slug: 'renamed' },
  },
  deleteGuide: { role: 'editor', logged: 'guide.deleted', path: site('/guides/old') },
  putRedirects: {
    role: 'editor',
    logged: 'redirect.created',
    path: site('/redirects'),
    body: { redirects: [{ from: '/old', to: '/new' }] },
  },
  removeRedirect: { role: 'editor', logged: 'redirect.deleted', path: site('/redirects?from=/old') },
  addTrainingRows: {
    role: 'editor',
    logged: 'training.added',
    path: site('/training-rows'),
    body: { rows: [{ prompt: 'P', completion: 'C' }] },
  },
  takeBackTrainingOptIn: {
    role: 'editor',
    logged: 'training.opted_out',
    path: ({ siteId, rowId }) => `/sites/${siteId}/training-rows/${rowId}/opt-in`,
  },
  giveTrainingOptIn: {
    role: 'editor',
    logged: 'training.opted_in',
    path: ({ siteId, rowId }) => `/sites/${siteId}/training-rows/${rowId}/opt-in`,
  },
  removeTrainingRow: {
    role: 'editor',
    logged: 'training.deleted',
    path: ({ siteId, rowId }) => `/sites/${siteId}/training-rows/${rowId}`,
  },
  publishSitemap: { role: 'admin', logged: 'sitemap.published', path: site('/sitemap') },
  renewSitemap: { role: 'admin', logged: 'sitemap.renewed', path: site('/sitemap/renewals') },
  unpublishSitemap: { role: 'admin', logged: 'sitemap.unpublished', path: site('/sitemap') },
  stopResend: {
    role: 'editor',
    logged: 'event.resend_stopped',
    path: ({ siteId, resendId }) => `/sites/${siteId}/resends/${resendId}/stop`,
  },
  startResend: {
    role: 'editor',
    logged: 'event.resend_started',
    path: site('/resends'),
    body: { failedSince: '2026-01-01T00:00:00Z' },
  },
  resendEvent: {
    role: 'editor',
    logged: 'event.resent',
    path: ({ siteId, eventId }) => `/sites/${siteId}/events/${eventId}/resends`,
  },
  setWebhook: {
    role: 'admin',
    logged: 'webhook.updated',
    path: site('/webhook'),
    body: { url: 'https://hooks.example.com/x?secret=1' },
  },
  rotateWebhookSecret: {
    role: 'admin',
    logged: 'webhook.secret_rotated',
    path: site('/webhook/secret-rotations'),
  },
  addWebhookEndpoint: {
    role: 'admin',
    logged: 'webhook.created',
    path: site('/webhooks'),
    body: { url: 'https://hooks.example.com/x?secret=1' },
  },
  changeWebhook: {
    role: 'admin',
    logged: 'webhook.updated',
    path: ({ siteId, endpointId }) => `/sites/${siteId}/webhooks/${endpointId}`,
    body: { events: ['post.deleted'] },
  },
  rotateEndpointSecret: {
    role: 'admin',
    logged: 'webhook.secret_rotated',
    path: ({ siteId, endpointId }) => `/sites/${siteId}/webhooks/${endpointId}/secret-rotations`,
  },
  removeWebhookEndpoint: {
    role: 'admin',
    logged: 'webhook.deleted',
    path: ({ siteId, endpointId }) => `/sites/${siteId}/webhooks/${endpointId}`,
  },
  removeWebhook: { role: 'admin', logged: 'webhook.deleted', path: site('/webhook') },
  addOperator: {
    role: 'admin',
    logged: 'operator.created',
    path: () => '/operators',
    body: { name: `new-${crypto.randomUUID()}`, role: 'viewer' },
  },
  updateOperator: {
    role: 'admin',
    logged: 'operator.updated',
    path: ({ other }) => `/operators/${other}`,
    body: { role: 'editor' },
  },
  createToken: {
    role: 'admin',
    logged: 'token.created',
    path: ({ other }) => `/operators/${other}/tokens`,
    body: {},
  },
  revokeToken: {
    role: 'admin',
    logged: 'token.revoked',
    path: ({ other, tokenId }) => `/operators/${other}/tokens/${tokenId}/revocation`,
  },
  createSignInLink: {
    role: 'admin',
    logged: 'link.created',
    path: ({ other }) => `/operators/${other}/sign-in-links`,
    body: {},
  },
  revokeSignInLink: {
    role: 'admin',
    logged: 'link.revoked',
    path: ({ other, signInLinkId }) => `/operators/${other}/sign-in-links/${signInLinkId}/revocation`,
  },
  endSession: {
    role: 'admin',
    logged: null,
    path: ({ other }) => `/operators/${other}/sessions/${crypto.randomUUID()}`,
  },
  endSessions: { role: 'admin', logged: null, path: ({ other }) => `/operators/${other}/sessions` },
  removeOperator: { role: 'admin', logged: 'operator.deleted', path: ({ other }) => `/operators/${other}` },
  sweep: { role: 'admin', logged: null, path: () => '/sweep' },
  // For the webhook that was added.
  deleteSite: {
    role: 'admin',
    logged: ['webhook.deleted', 'site.deleted'],
    path: site('?confirm=Test'),
  },
}

/** A site with a resource for every operation, another operator, and one with the role. */
async function makeWorld(role: Role) {
  const made = await makeSite({ trainingOptIn: true })
  await setWebhook(made, 'ok')
  await made.put('moved')
  await made.manage('PATCH', '', { domain: 'moved.example.com' })
  await made.put('draft', DRAFT)
  await made.put('event', DRAFT)
  await made.put('old')
  await putGuide(made, 'g')
  await putGuide(made, 'old')
  await made.manage('PUT', '/posts/event/readiness')
  const { eventId } = await finished(made)
  const link = await made.manage('POST', '/posts/event/preview-links', {})
  await made.put('failed', DRAFT)
  await setWebhook(made, 'status/500')
  await made.manage('PUT', '/posts/failed/readiness')
  await eventually(async () => ((await finished(made)).error ? true : null))
  await setWebhook(made, 'ok')
  const { resend } = await startResend(testContext({ queue: lossyQueue }), made, {})
  await made.manage('POST', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] })
  const rows = await made.manage('GET', '/training-rows')
  const add = (name: string, as: Role) =>
    manage('POST', '/operators', {
      name: `${name}-${crypto.randomUUID()}`,
      role: as,
    })
  const other = await add('other', 'viewer')
  const otherToken = await manage('POST', `/operators/${other.id}/tokens`, {})
  const signInLink = await manage('POST', `/operators/${other.id}/sign-in-links`, {})
  const self = await add(role, role)
  const { token } = await manage('POST', `/operators/${self.id}/tokens`, {})
  return {
    siteId: made.id,
    endpointId: (await addWebhook(made, 'ok')).id,
    keyId: made.keyId,
    eventId,
    resendId: resend.id,
    linkId: link.id,
    rowId: rows.items[0]!.id,
    other: other.id,
    tokenId: otherToken.id,
    signInLinkId: signInLink.id,
    self,
    token,
  }
}

type Entry = { action: string; actor: string | null; channel: string; address: string | null }

async function logOf({ self }: World): Promise<Entry[]> {
  const query = new URLSearchParams({ actor: self.name, limit: '500' })
  return (await manage('GET', `/audit-log?${query}`)).items
}

const operations = operationsOf(await readDocument('/manage/v1'))
const writes = operations.filter(({ method }) => method !== 'GET')

describe('the roles', () => {
  it('are checked for every operation that writes', () => {
    expect(Object.keys(WRITES).toSorted()).toEqual(writes.map(({ operationId }) => operationId).toSorted())
  })

  it.each(ROLES)(
    'let a %s do exactly what the table allows, and each write is logged with its name',
    async (role) => {
      const world = await makeWorld(role)
      const answers: Record<string, string> = {}
      const wanted: Record<string, string> = {}
      const logged: string[] = []
      for (const [operationId, write] of Object.entries(WRITES)) {
        const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(write.role)
        const { method } = writes.find((each) => each.operationId === operationId)!
        const response = await call(`/manage/v1${write.path(world)}`, {
          method,
          body: write.body,
          key: world.token,
          headers: { 'CF-Connecting-IP': '203.0.113.7' },
        })
        const text = await response.text()
        answers[operationId] = response.ok ? 'done' : `${response.status} ${text}`
        wanted[operationId] = isAllowed ? 'done' : `403 {"error":"Needs the role ${write.role}"}`
        if (isAllowed && write.logged) logged.unshift(...[write.logged].flat())
      }
      expect(answers).toEqual(wanted)
      const entries = await logOf(world)
      // A deletion first closes the site, refusals may be logged late, and a resend ends on its own.
      const actions = entries
        .map(({ action }) => action)
        .filter(
          (action) =>
            !/^(key\.deleted|(?:token|link)\.deleted|site\.deletion_started|event\.resend_finished|operator\.refused)$/.test(
              action,
            ),
        )
      expect(actions).toEqual(logged)
      for (const entry of entries)
        expect(entry).toMatchObject({ actor: world.self.name, channel: 'management', address: '203.0.113.7' })
    },
  )

  it('refuse a viewer before anything else is checked or stored', async () => {
    const made = await makeSite()
    await made.put('draft')
    const { id } = await manage('POST', '/operators', { name: crypto.randomUUID(), role: 'viewer' })
    const { token } = await manage('POST', `/operators/${id}/tokens`, {})
    const twice = <Input>(input: Input) => [input, input]
    const publishAt = new Date(Date.now() + 86_400_000).toISOString()
    const requests: [method: string, path: string, body: object][] = [
      ['PUT', '/posts/draft/publication-schedule', { publishAt }],
      ['PUT', '/posts', { posts: twice({ ...POST, slug: 'a' }) }],
      ['PUT', '/guides', { guides: twice({ ...POST, slug: 'a' }) }],
      ['PUT', '/redirects', { redirects: twice({ from: '/old', to: '/new' }) }],
      ['POST', '/training-rows', { rows: twice({ id: crypto.randomUUID(), prompt: 'P', completion: 'C' }) }],
    ]
    for (const [method, path, body] of requests)
      expect((await call(`/manage/v1${made.path}${path}`, { method, body, key: token })).status, path).toBe(
        403,
      )
    const marks = await patientRedis().zrange<string[]>(marksKey(testContext(), 'due'), 0, -1)
    expect(marks.filter((mark) => mark.startsWith(made.id))).toEqual([])
  })

  it('show the signatures of a delivery to editors and admins only', async () => {
    for (const role of ROLES) {
      const { token, siteId } = await makeWorld(role)
      const { items } = await manage('GET', `/sites/${siteId}/deliveries`)
      const path = `/manage/v1/sites/${siteId}/deliveries/${items[0]!.id}`
      const delivery = await (await call(path, { key: token })).json()
      const names = Object.keys((delivery as { request: { headers: object } }).request.headers).sort()
      const signatures = ['X-Legacy-Signature', 'X-Service-Signature', 'webhook-signature']
      expect(names.filter((name) => /signature/i.test(name))).toEqual(role === 'viewer' ? [] : signatures)
      expect(names).toContain('webhook-timestamp')
    }
  })

  it('let a viewer read everything', async () => {
    const { token, siteId, keyId: _, ...world } = await makeWorld('viewer')
    const ids: Record<string, string> = {
      siteId,
      slug: 'draft',
      operatorId: world.self.id,
      eventId: world.eventId,
    }
    for (const { path } of operations.filter(({ method }) => method === 'GET')) {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => ids[name] ?? 'x')
      const { status } = await call(`/manage/v1${filled}`, { key: token })
      expect([200, 404], path).toContain(status)
    }
  })
})
