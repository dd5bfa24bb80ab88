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
  path: string
  body?: unknown
}

const POST = { title: 'T', contentHtml: '<p>x</p>' }
const DRAFT = { ...POST, trustScore: 90 }
const HOOK = { url: 'https://hooks.example.com/x?secret=1' }
const TOMORROW = new Date(Date.now() + 86_400_000)

/** `path` is below the site of the world, unless it begins with `//`, and names ids of the world. */
const write =
  (role: Role) =>
  (logged: Write['logged'], path: string, body?: unknown): Write => ({ role, logged, path, body })
const [editor, admin] = [write('editor'), write('admin')]

/** Every operation that writes, in an order in which each succeeds. */
const WRITES: Record<string, Write> = {
  createSite: admin('site.created', '//sites', { name: 'N', domain: 'n.example.com' }),
  updateSite: admin('site.updated', '', { plan: 'growth' }),
  createKey: admin('key.created', '/keys', { name: 'K' }),
  revokeKey: admin('key.revoked', '/keys/{keyId}/revocation'),
  putPosts: editor('post.created', '/posts', { posts: [{ ...DRAFT, slug: 'many' }] }),
  putPost: editor('post.created', '/posts/one', DRAFT),
  rebuildSchemaBundles: editor('post.rebuilt', '/schema-bundles/rebuilds'),
  markPostReady: editor('post.marked_ready', '/posts/draft/readiness'),
  schedulePost: editor('post.scheduled', '/posts/draft/publication-schedule', { publishAt: TOMORROW }),
  cancelPublicationSchedule: editor('post.schedule_cancelled', '/posts/draft/publication-schedule'),
  requestChanges: editor('post.changes_requested', '/posts/draft/change-request', {
    note: 'Where is this from?',
  }),
  resolveChanges: editor('post.changes_resolved', '/posts/draft/change-request'),
  publishPost: editor('post.published', '/posts/draft/publication'),
  unpublishPost: editor('post.unpublished', '/posts/draft/publication'),
  renamePost: editor('post.renamed', '/posts/draft/slug', { slug: 'renamed' }),
  createPreviewLink: editor('preview_link.created', '/posts/event/preview-links', {}),
  revokePreviewLink: editor('preview_link.revoked', '/posts/event/preview-links/{linkId}/revocation'),
  deletePost: editor('post.deleted', '/posts/old'),
  putGuides: editor('guide.created', '/guides', { guides: [{ ...POST, slug: 'many' }] }),
  putGuide: editor('guide.created', '/guides/one', POST),
  unpublishGuide: editor('guide.unpublished', '/guides/g/publication'),
  publishGuide: editor('guide.published', '/guides/g/publication'),
  renameGuide: editor('guide.renamed', '/guides/g/slug', { slug: 'renamed' }),
  deleteGuide: editor('guide.deleted', '/guides/old'),
  putRedirects: editor('redirect.created', '/redirects', { redirects: [{ from: '/old', to: '/new' }] }),
  removeRedirect: editor('redirect.deleted', '/redirects?from=/old'),
  addTrainingRows: editor('training.added', '/training-rows', { rows: [{ prompt: 'P', completion: 'C' }] }),
  takeBackTrainingOptIn: editor('training.opted_out', '/training-rows/{rowId}/opt-in'),
  giveTrainingOptIn: editor('training.opted_in', '/training-rows/{rowId}/opt-in'),
  removeTrainingRow: editor('training.deleted', '/training-rows/{rowId}'),
  publishSitemap: admin('sitemap.published', '/sitemap'),
  renewSitemap: admin('sitemap.renewed', '/sitemap/renewals'),
  unpublishSitemap: admin('sitemap.unpublished', '/sitemap'),
  stopResend: editor('event.resend_stopped', '/resends/{resendId}/stop'),
  startResend: editor('event.resend_started', '/resends', { failedSince: '2026-01-01T00:00:00Z' }),
  resendEvent: editor('event.resent', '/events/{eventId}/resends'),
  setWebhook: admin('webhook.updated', '/webhook', HOOK),
  rotateWebhookSecret: admin('webhook.secret_rotated', '/webhook/secret-rotations'),
  addWebhookEndpoint: admin('webhook.created', '/webhooks', HOOK),
  changeWebhook: admin('webhook.updated', '/webhooks/{endpointId}', { events: ['post.deleted'] }),
  rotateEndpointSecret: admin('webhook.secret_rotated', '/webhooks/{endpointId}/secret-rotations'),
  removeWebhookEndpoint: admin('webhook.deleted', '/webhooks/{endpointId}'),
  removeWebhook: admin('webhook.deleted', '/webhook'),
  addOperator: admin('operator.created', '//operators', {
    name: `new-${crypto.randomUUID()}`,
    role: 'viewer',
  }),
  updateOperator: admin('operator.updated', '//operators/{other}', { role: 'editor' }),
  createToken: admin('token.created', '//operators/{other}/tokens', {}),
  revokeToken: admin('token.revoked', '//operators/{other}/tokens/{tokenId}/revocation'),
  createSignInLink: admin('link.created', '//operators/{other}/sign-in-links', {}),
  revokeSignInLink: admin('link.revoked', '//operators/{other}/sign-in-links/{signInLinkId}/revocation'),
  endSession: admin(null, `//operators/{other}/sessions/${crypto.randomUUID()}`),
  endSessions: admin(null, '//operators/{other}/sessions'),
  removeOperator: admin('operator.deleted', '//operators/{other}'),
  // The one that was just removed.
  erasePerson: admin('operator.erased', '//operators/{other}/erasure'),
  sweep: admin(null, '//sweep'),
  // For the webhook that was added.
  deleteSite: admin(['webhook.deleted', 'site.deleted'], '?confirm=Test'),
}

const pathIn = (world: World, path: string) =>
  (path.startsWith('//') ? path.slice(1) : `/sites/{siteId}${path}`).replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => String(world[name as keyof World]),
  )

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

/** A deletion first closes the site, refusals may be logged late, and a resend ends on its own. */
const BESIDES =
  /^(key\.deleted|(?:token|link)\.deleted|site\.deletion_started|event\.resend_finished|operator\.refused)$/

type Entry = { action: string; actor: string | null; channel: string; address: string | null }

async function logOf({ self }: World): Promise<Entry[]> {
  const query = new URLSearchParams({ actor: self.name, limit: '500' })
  return (await manage('GET', `/audit-log?${query}`)).items
}

/** Viewers do not see the signatures of a delivery. */
async function expectSignatures({ siteId, token }: World, role: Role) {
  const { items } = await manage('GET', `/sites/${siteId}/deliveries`)
  const response = await call(`/manage/v1/sites/${siteId}/deliveries/${items[0]!.id}`, { key: token })
  const { request } = await response.json<{ request: { headers: object } }>()
  const names = Object.keys(request.headers).sort()
  const signatures = ['X-Legacy-Signature', 'X-Service-Signature', 'webhook-signature']
  expect(names.filter((name) => /signature/i.test(name))).toEqual(role === 'viewer' ? [] : signatures)
  expect(names).toContain('webhook-timestamp')
}

const operations = operationsOf(await readDocument('/manage/v1'))
const writes = operations.filter(({ method }) => method !== 'GET')

async function expectReads({ siteId, token, eventId, self }: World) {
  const ids: Record<string, string> = { siteId, slug: 'draft', operatorId: self.id, eventId }
  for (const { path, operationId } of operations.filter(({ method }) => method === 'GET')) {
    // It may name sites that the person has lost.
    if (operationId === 'getPersonalData') continue
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'x')
    expect([200, 404], path).toContain((await call(`/manage/v1${filled}`, { key: token })).status)
  }
}

describe('the roles', () => {
  it('are checked for every operation that writes', () => {
    expect(Object.keys(WRITES).toSorted()).toEqual(writes.map(({ operationId }) => operationId).toSorted())
  })

  it.each(ROLES)(
    'let a %s do exactly what the table allows and read everything, and each write is logged with its name',
    async (role) => {
      const world = await makeWorld(role)
      const answers: Record<string, string> = {}
      const wanted: Record<string, string> = {}
      const logged: string[] = []
      await expectSignatures(world, role)
      if (role === 'viewer') await expectReads(world)
      for (const [operationId, write] of Object.entries(WRITES)) {
        const isAllowed = ROLES.indexOf(role) >= ROLES.indexOf(write.role)
        const { method } = writes.find((each) => each.operationId === operationId)!
        const response = await call(`/manage/v1${pathIn(world, write.path)}`, {
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
      const actions = entries.map(({ action }) => action).filter((action) => !BESIDES.test(action))
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
})
