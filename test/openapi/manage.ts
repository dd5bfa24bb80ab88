/** A request for every answer that `/manage/v1` describes. */
import { formatChangeCursor } from '../../src/content/changes.ts'
import { eventually } from '../support/webhook.ts'
import type { Ask, Params, World } from './recorder.ts'

const ROOT = '/manage/v1'
export const UNKNOWN = '00000000-0000-4000-8000-000000000000'
/** For operations without a body that read one. */
const UNSTORABLE = '{"a":"\\u0000"}'
const SLUG = 'how-to-clean-a-chain'

const chain = {
  title: 'How to clean a chain',
  contentHtml: '<p>Wipe it, let it dry, put one drop of oil on each roller.</p>',
  language: 'en',
  trustScore: 92,
}
const post = {
  ...chain,
  status: 'published',
  publishedAt: '2026-04-18T07:30:00.000Z',
  assuranceLabel: 'Checked by an editor',
  reviewStatus: 'approved',
  seo: { metaDescription: 'A clean chain in ten minutes.', keywords: ['bicycle', 'chain'] },
  faqJsonLd: { '@context': 'https://schema.org', '@type': 'FAQPage', mainEntity: [] },
  provenance: { sources: [{ url: 'https://example.com/chains', title: 'Notes on chains' }] },
  authors: [{ name: 'Mara Lindqvist', url: 'https://example.com/mara' }],
  image: { url: 'https://example.com/chain.jpg', alt: 'A clean chain', width: 1200, height: 800 },
  categories: ['Maintenance'],
  tags: ['bicycle', 'chain'],
  modifiedAt: '2026-05-02T16:45:00.000Z',
}
const guide = {
  title: 'Adjusting rim brakes',
  contentHtml: '<p>The pads should meet the rim flat.</p>',
  status: 'published',
  publishedAt: '2026-05-02T08:00:00.000Z',
}
export const DRAFT = 'are-tubeless-tyres-worth-it'
const draft = { ...chain, slug: DRAFT, title: 'Are tubeless tyres worth it?', status: 'draft' }
const row = { prompt: 'How do I clean a chain?', completion: 'Wipe it, then oil it.', postSlug: SLUG }

export function expiredCursor(id: string): Promise<string> {
  const longAgo = Date.now() - 91 * 86_400_000
  return formatChangeCursor({ id }, { sequence: longAgo, caughtUp: longAgo })
}

/**
 * Sends a request as the operator for the resource in `params`.
 * @returns the body of the answer
 */
type Asking = {
  params: Params
  ask: (operationId: string, options?: Ask) => Promise<Response>
  made: (operationId: string, options?: Ask) => Promise<Record<string, string>>
}

export type Workshop = Awaited<ReturnType<typeof recordWrites>>

/** Creates a site with every kind of resource, and records the requests. */
export async function recordWrites({ service, receiver, recorder }: World) {
  const params: Params = {}
  const ask = (operationId: string, { params: others, ...rest }: Ask = {}) =>
    recorder.ask(ROOT, operationId, { key: service.operatorToken, params: { ...params, ...others }, ...rest })
  const made = async (operationId: string, options: Ask = {}) =>
    (await ask(operationId, options)).clone().json() as Promise<Record<string, string>>

  const site = { name: 'Workshop', domain: 'blog.example.com', plan: 'scale', trainingOptIn: true }
  params.siteId = (await made('createSite', { body: site })).id!
  await ask('listSites', { query: '?limit=1' })
  await ask('getSite')
  await ask('updateSite', { body: { defaultLanguage: 'en' } })

  const { key } = await made('createKey', { body: { name: 'CMS' } })
  await ask('listKeys')
  params.keyId = (await made('createKey', { body: { name: 'Old CMS' } })).id!
  await ask('revokeKey')

  const url = `${receiver.url}/${params.siteId}/ok`
  const { secret } = await made('setWebhook', { body: { url } })
  await ask('setWebhook', { body: { url } })
  await ask('getWebhook')

  params.slug = 'adjusting-rim-brakes'
  await ask('putGuides', { body: { guides: [{ slug: 'wet-roads', ...guide, title: 'Wet roads' }] } })
  await ask('putGuide', { body: { ...guide, status: 'draft' } })
  await ask('putGuide', { body: guide })
  await ask('unpublishGuide')
  await ask('publishGuide')
  await ask('listGuides', { query: '?limit=1' })
  await ask('getGuide')
  await ask('renameGuide', { params: { slug: 'wet-roads' }, body: { slug: 'rain' } })
  await ask('renameGuide', { body: { slug: 'rain' } })

  params.slug = SLUG
  await ask('putPosts', { body: { posts: [draft] } })
  await ask('putPost', { body: { ...post, status: 'draft' } })
  await ask('putPost', { body: post })
  await ask('unpublishPost')
  await ask('publishPost')
  await ask('listPosts', { query: '?limit=1' })
  await ask('getPost')
  params.linkId = (await made('createPreviewLink', { params: { slug: DRAFT }, body: {} })).id!
  await ask('listPreviewLinks', { params: { slug: DRAFT } })
  await ask('revokePreviewLink', { params: { slug: DRAFT } })
  await ask('renamePost', { body: { slug: 'bike-chains' } })
  await ask('renamePost', { params: { slug: 'bike-chains' }, body: { slug: SLUG } })
  await ask('renamePost', { body: { slug: DRAFT } })
  await ask('updateSite', { body: { postPath: '/posts/{slug}' } })
  await ask('rebuildSchemaBundles')
  await ask('listChanges', { query: '?limit=1' })
  await ask('listChanges', { query: `?cursor=${await expiredCursor(params.siteId)}` })
  await ask('putRedirects', {
    body: { redirects: [{ from: '/2019/05/chains/', resource: 'post', slug: SLUG }] },
  })
  await ask('listRedirects', { query: '?limit=1' })
  await ask('addTrainingRows', { body: { rows: [row] } })
  const { items: rows } = await made('listTrainingRows', { query: '?limit=1' })
  params.rowId = (rows as unknown as { id: string }[])[0]!.id
  await ask('takeBackTrainingOptIn')
  await ask('giveTrainingOptIn')

  await ask('publishSitemap')
  await ask('getPublishedSitemap')
  await ask('renewSitemap')

  await ask('markPostReady', { params: { slug: DRAFT } })
  await ask('markPostReady')
  await ask('schedulePost', { params: { slug: DRAFT }, body: { publishAt: inAMonth() } })
  await ask('schedulePost', { body: { publishAt: inAMonth() } })
  await ask('getPublicationSchedule', { params: { slug: DRAFT } })
  await ask('cancelPublicationSchedule', { params: { slug: DRAFT } })
  const note = 'The second source is about another brake. Which one is it?'
  await ask('requestChanges', { params: { slug: DRAFT }, body: { note } })
  await ask('resolveChanges', { params: { slug: DRAFT } })
  await eventually(async () => receiver.received.get(params.siteId!))
  const viewer = await recordOperators({ params, ask, made })
  return { params, ask, made, viewer, siteId: params.siteId, key: key!, secret: secret!, url }
}

/** The log of deliveries, a resend, and the deletion of everything. */
export async function recordLog(world: World, workshop: Workshop) {
  const { receiver } = world
  const { params, ask, made, siteId, url } = workshop
  const first = async (operationId: string) => {
    const { items } = await made(operationId, { query: '?limit=1' })
    return (items as unknown as Record<string, string>[])[0]!
  }
  await eventually(async () => ((await first('listDeliveries')).status === null ? null : true))
  params.eventId = (await first('listEvents')).id!
  // As in a service with a target for alerts.
  await world.service.sql(`
    insert into alerts (site_id, kind, endpoint_id, details, state, attempted_at, tries, results)
    select id, 'webhook_failing', id, jsonb_build_object('url', '${url}', 'failures', 5, 'since', wire_time(now()),
      'status', 503, 'error', 'http_status'), 'delivered', now(), 1,
      jsonb_build_array(jsonb_build_object('target', 'slack', 'at', wire_time(now()), 'status', 200, 'error', null))
    from sites where id = '${siteId}'`)
  await ask('listAlerts')
  await ask('getUsage')
  params.deliveryId = (await first('listDeliveries')).id!
  await ask('getDelivery')
  await ask('resendEvent')
  await recordResends(workshop)

  await ask('setWebhook', { body: { url: url.replace(/ok$/, 'held') } })
  const before = receiver.received.get(siteId)!.length
  const held = ask('resendEvent')
  await eventually(async () => (receiver.received.get(siteId)!.length > before ? true : null))
  await ask('resendEvent')
  await fetch(`${receiver.url}/${siteId}/release`)
  await held

  await ask('rotateWebhookSecret')
  await recordWebhooks(world, workshop)
  await ask('sweep')
  await ask('listAuditLog', { query: '?limit=1' })
  await ask('listSiteAuditLog', { query: '?limit=1' })
}

/** Further webhooks, and optional events. */
async function recordWebhooks({ receiver }: World, { params, ask, made, siteId, url }: Workshop) {
  const all = ['post.published', 'post.updated', 'post.unpublished', 'post.deleted']
  params.endpointId = (await made('addWebhookEndpoint', { body: { url, events: ['post.published'] } })).id!
  for (let further = 2; further <= 5; further++) await ask('addWebhookEndpoint', { body: { url } })
  await ask('changeWebhook', { body: { events: all } })
  await ask('listWebhookEndpoints')
  const slug = 'worn-chains'
  const worn = { ...chain, title: 'Worn chains', status: 'published' }
  await ask('putPost', { params: { slug }, body: worn })
  await ask('putPost', { params: { slug }, body: { ...worn, title: 'When a chain is worn' } })
  await ask('unpublishPost', { params: { slug } })
  await ask('publishPost', { params: { slug } })
  await ask('deletePost', { params: { slug } })
  const isThere = (event: string) =>
    receiver.received.get(siteId)!.some(({ body }) => JSON.parse(body).event === event)
  await eventually(async () => all.every(isThere) || null)
  await ask('rotateEndpointSecret')
}

/** A failed event is resent with all others. */
async function recordResends({ params, ask, made, url }: Workshop) {
  const slug = 'broken-chain'
  await ask('setWebhook', { body: { url: url.replace(/ok$/, 'status/500') } })
  await ask('putPost', { params: { slug }, body: { ...chain, title: 'Broken chain' } })
  await ask('markPostReady', { params: { slug } })
  await eventually(async () => {
    const { items } = await made('listEvents', { query: '?limit=1' })
    return (items as unknown as { state: string }[])[0]!.state === 'failed' || null
  })
  await ask('countFailedEvents')
  params.resendId = (await made('startResend', { body: { failedSince: '2026-11-21T00:00:00.000Z' } })).id!
  await ask('startResend', { body: {} })
  await ask('getResend')
  await ask('stopResend')
  await ask('listResends', { query: '?limit=1' })
}

/** People: a viewer, who cannot write. */
async function recordOperators({ ask, made, params }: Asking): Promise<{ token: string; other: string }> {
  await ask('getSelf')
  params.operatorId = (await made('addOperator', { body: { name: 'ada@example.com', role: 'editor' } })).id!
  const other = (await made('addOperator', { body: { name: 'grace@example.com', role: 'viewer' } })).id!
  const { id, token } = await made('createToken', { body: { expiresAt: inAMonth() } })
  params.tokenId = id!
  const linkId = (await made('createSignInLink', { body: {} })).id!
  await ask('revokeSignInLink', { params: { linkId } })
  params.sessionId = UNKNOWN
  await ask('listSessions')
  await ask('endSession')
  await ask('endSessions')
  await ask('updateOperator', { body: { name: 'grace@example.com' } })
  await ask('updateOperator', { body: { role: 'viewer' } })
  await ask('addOperator', { body: { name: 'ada@example.com', role: 'viewer' } })
  await ask('getOperator')
  await ask('getMadeByOperator')
  await ask('listOperators')
  return { token: token!, other }
}

const inAMonth = () => new Date(Date.now() + 30 * 86_400_000).toISOString()

export async function recordRemovals({ ask, made }: Workshop) {
  await ask('revokeToken')
  await ask('getPersonalData')
  await ask('erasePerson')
  await ask('removeOperator')
  await ask('erasePerson')
  await ask('removeRedirect', { query: '?from=/2019/05/chains' })
  await ask('removeTrainingRow')
  await ask('unpublishSitemap')
  await ask('removeWebhookEndpoint')
  await ask('removeWebhook')
  await ask('deletePost', { query: '?events=none' })
  await ask('deleteGuide', { params: { slug: 'rain' }, query: '?events=none' })
  await ask('deleteGuide', { params: { slug: 'adjusting-rim-brakes' } })
  const { id } = await made('createSite', { body: { name: 'Old workshop', domain: 'old.example.com' } })
  await ask('deleteSite', { params: { siteId: id! }, query: '?confirm=Old%20workshop' })
}

const wrongQuery = ({ operationId }: { operationId: string }) =>
  operationId === 'removeOperator' ? '?schedules=some' : '?events=some'

/** 400, 401, 403, 404, 413, 429 and 500, where they are described. */
export async function recordRefusals({ service, recorder }: World, { ask, viewer }: Workshop) {
  const operations = recorder.operations(ROOT)
  const describing = (status: number) => operations.filter(({ responses }) => status in responses)
  for (const operation of describing(400)) {
    const example = recorder.recorded.find((each) => each.operation === operation && each.body)?.body
    const params: Params = operation.operationId === 'getGuide' ? { slug: 'rain' } : {}
    if (operation.method === 'GET') await ask(operation.operationId, { query: '?page=2', params })
    else if (operation.method === 'DELETE') await ask(operation.operationId, { query: wrongQuery(operation) })
    else await ask(operation.operationId, { body: example ? { ...example, colour: 'red' } : UNSTORABLE })
  }
  for (const { operationId } of describing(401)) await ask(operationId, { key: null })
  // A viewer may create tokens of their own.
  for (const { operationId } of describing(403)) {
    const params = { operatorId: viewer.other }
    await ask(operationId, { ...taken(operationId), key: viewer.token, params })
  }
  for (const { operationId } of describing(404))
    await ask(operationId, {
      ...taken(operationId),
      // The audit log of a deleted site is still there.
      params: { siteId: operationId === 'listSiteAuditLog' ? 'none' : UNKNOWN, operatorId: UNKNOWN },
    })
  const tooLarge = Buffer.alloc(9 * 1024 * 1024, ' ')
  for (const { operationId } of describing(413)) await ask(operationId, { body: tooLarge })

  await service.postgres.become('cut')
  // Only OPERATOR_TOKEN is accepted without Postgres.
  for (const { operationId } of describing(500))
    await ask(operationId, { ...taken(operationId), ...(operationId === 'getSelf' && { key: viewer.token }) })
  await service.postgres.become('sound')

  const key = 'not the token of an operator'.replaceAll(' ', '-')
  for (let attempts = 0; attempts < 5; attempts += 1)
    await fetch(`${service.origin}${ROOT}/sites`, { headers: { Authorization: `Bearer ${key}` } })
  for (const { operationId } of describing(429)) await ask(operationId, { key })

  /** A valid body for an operation that takes one. */
  function taken(operationId: string): { body?: unknown } {
    const body = recorder.recorded.find(
      (each) => each.operation.operationId === operationId && each.response.ok,
    )?.body
    return body === undefined ? {} : { body }
  }
}
