/** A site with every kind of content for one fuzz, and its callers. */
import { formatChangeCursor } from '../../../src/content/changes.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { trySignIn } from '../../support/console.ts'
import { makeKey, putAll, putGuide } from '../../support/content.ts'
import { testContext } from '../../support/context.ts'
import { makeSite, manage, operatorToken, post, type TestSite } from '../../support/site.ts'
import { addWebhook, finished, setWebhook } from '../../support/webhook.ts'
import type { Caller } from './headers.ts'
import type { Secret } from './oracle.ts'

export type World = {
  site: TestSite
  secrets: Secret[]
  /** Each with a share of the requests. */
  callers: { weight: number; caller: Caller }[]
  renew?: (operationId: string) => Promise<unknown>
}

export type Needs = { previewLinks: boolean }

export const UNLIMITED = { dailyQuota: 1_000_000_000, trainingOptIn: true }
const SPARE = Array.from({ length: 60 }, (_, at) => `spare-${at}`)
const KNOWN_TO_ALL = {
  include: ['content', 'provenance', ' content ,x', ','],
  search: ['title', 'TITLE', ' '],
  fields: ['title', 'excerpt,title', 'contentHtml', 'id, seo ,faqJsonLd', 'provenance', 'status,status', ','],
}
const publishSitemap = (site: TestSite) => site.manage('PUT', '/sitemap')
/** Restores what an operation removes. */
const REMOVED: Record<string, (site: TestSite) => Promise<unknown>> = {
  removeRedirect: putRedirect,
  removeWebhook: (site) => setWebhook(site, 'ok'),
  unpublishSitemap: publishSitemap,
}

const ENDS_SESSIONS = ['removeOperator', 'revokeToken', 'endSession', 'endSessions']

const full = (site: TestSite): Secret => ({
  text: site.key,
  schemes: ['apiKey', 'token'],
  siteId: site.id,
})

/** Sites for readers: one with content, an empty one, and one with a used-up quota. */
export async function readersWorld(): Promise<World> {
  const [site, empty, spent] = await Promise.all([
    makeSite(UNLIMITED),
    makeSite(),
    makeSite({ dailyQuota: 1 }),
  ])
  await fill(site, SPARE.slice(0, 12))
  await spent.get('/posts')
  const sitemapKey = (await makeKey(site, { name: 'sitemap', access: 'sitemap' })).key
  const refused = [
    await revokedKey(site),
    (await makeKey(site, { expiresAt: '2020-01-01T00:00:00Z' })).key,
    empty.key,
    sitemapKey,
    operatorToken,
  ]
  const page = await site.json<{ items: { updatedAt: string }[] }>('/posts')
  const feed = await site.json<{ cursor: string }>('/changes?limit=3')
  const rows = new TextDecoder()
    .decode(await (await site.get('/training/export')).arrayBuffer())
    .trim()
    .split('\n')
  const known = {
    ...KNOWN_TO_ALL,
    siteId: [site.id, site.id.toUpperCase()],
    slug: ['kept', ...SPARE.slice(0, 4), 'ünï.字~'],
    cursor: [feed.cursor, feed.cursor, feed.cursor, await expiredCursor(site)],
    updatedAfter: page.items.map((item) => item.updatedAt),
    after: rows.map((row) => (JSON.parse(row) as { id: string }).id),
    'If-None-Match': ['*', 'W/"a", *', ...(await tagsOf(site))],
    token: [site.key, sitemapKey, ...refused],
  }
  return {
    site,
    secrets: [
      full(site),
      full(empty),
      full(spent),
      { text: sitemapKey, schemes: ['token'], siteId: site.id },
    ],
    callers: [
      { weight: 18, caller: { secret: site.key, refused, known } },
      { weight: 1, caller: { secret: empty.key, refused, known: { ...known, siteId: [empty.id] } } },
      { weight: 1, caller: { secret: spent.key, refused, known: { ...known, siteId: [spent.id] } } },
    ],
  }
}

const OLD_ADDRESS = '/old'

function putRedirect(site: TestSite): Promise<unknown> {
  return site.manage('PUT', '/redirects', {
    redirects: [{ from: OLD_ADDRESS, to: 'https://other.example/' }],
  })
}

/** A site for the operator's writes. */
export async function operatorsWorld({ previewLinks }: Needs): Promise<World> {
  const [site] = await Promise.all([makeSite(UNLIMITED), makeSite()])
  const [kept] = await fill(site, SPARE)
  const keys = await Promise.all(SPARE.slice(0, 5).map((name) => makeKey(site, { name })))
  const { next } = await manage('GET', '/sites?limit=1')
  await site.manage('PUT', '/posts/spare-1/readiness')
  await putRedirect(site)
  await publishSitemap(site)
  // For any post that the fuzz names.
  const links = await Promise.all(
    (previewLinks ? SPARE : []).map((slug) => site.manage('POST', `/posts/${slug}/preview-links`, {})),
  )
  const delivery = await finished(site)
  const rows = await site.manage('GET', '/training-rows')
  const known = {
    siteId: [site.id, site.id, site.id.toUpperCase()],
    slug: SPARE,
    keyId: keys.map(({ id }) => id),
    ...(await addOperator()),
    ...(await furtherWebhook(site)),
    resendId: [(await site.manage('POST', '/resends', {})).id],
    eventId: [delivery.eventId],
    deliveryId: [delivery.id],
    rowId: rows.items.map(({ id }) => id),
    ...(previewLinks && { linkId: links.map(({ id }) => id) }),
    cursor: [next!],
    failedSince: ['2026-01-01T00:00:00Z'],
    failedUntil: ['2126-01-01T00:00:00Z'],
    from: [OLD_ADDRESS],
    sourceSlug: ['kept', 'kept', 'kept', 'spare-0'],
    postSlug: ['kept'],
    sourcePostId: [kept!],
  }
  const caller = {
    secret: operatorToken,
    refused: [site.key, `${operatorToken}0`, operatorToken.toUpperCase()],
    known,
  }
  return {
    site,
    secrets: [full(site), { text: operatorToken, schemes: ['operatorToken'], siteId: null }],
    callers: [{ weight: 1, caller }],
    renew: async (operationId) => {
      if (ENDS_SESSIONS.includes(operationId)) Object.assign(known, await addOperator())
      if (operationId === 'removeWebhookEndpoint') Object.assign(known, await furtherWebhook(site))
      await REMOVED[operationId]?.(site)
    },
  }
}

/** The ids of an operator, and of a token, a session and a sign-in link. */
async function addOperator() {
  const { id } = await manage('POST', '/operators', {
    name: crypto.randomUUID(),
    role: 'viewer',
  })
  const made = await manage('POST', `/operators/${id}/tokens`, {})
  await trySignIn(made.token)
  const sessions = await manage('GET', `/operators/${id}/sessions`)
  const link = await manage('POST', `/operators/${id}/sign-in-links`, {})
  return {
    operatorId: [id],
    tokenId: [made.id],
    sessionId: [sessions.items[0]!.id],
    linkId: [link.id],
  }
}

/**
 * Adds a further webhook.
 * @returns its id
 */
async function furtherWebhook(site: TestSite) {
  const { items } = await site.manage('GET', '/webhooks')
  const further = items.find(({ id }) => id !== site.id)
  const { id } = further ?? (await addWebhook(site, 'ok', ['post.updated', 'post.deleted']))
  return { endpointId: [id] }
}

/** @returns the ids of the posts */
async function fill(site: TestSite, slugs: string[]): Promise<string[]> {
  const { id } = await site.put('kept', { status: 'published', language: 'en', title: 'A title 100%_' })
  await site.put('ünï.字~', { sourceSlug: 'kept', language: 'de', status: 'published', title: 'Ünï' })
  await putAll(
    site,
    slugs.map((slug, at) => ({ slug, title: `Title ${at}`, ...(at % 3 > 0 && { trustScore: 90 }) })),
  )
  const guides = ['kept', ...slugs].map((slug) => post({ slug, status: 'published' }))
  await site.manage('PUT', '/guides', { guides })
  await putGuide(site, 'ünï.字~')
  await site.manage('POST', '/training-rows', {
    rows: Array(5).fill({ prompt: 'P', completion: 'C', postSlug: 'kept' }),
  })
  await setWebhook(site, 'ok')
  return [id]
}

async function tagsOf(site: TestSite): Promise<string[]> {
  const responses = await Promise.all(
    ['/posts', '/posts?fields=title', '/posts/kept', '/guides', '/guides/kept', '/changes'].map((below) =>
      site.get(below),
    ),
  )
  return responses.map(({ headers }) => headers.get('ETag')!)
}

async function revokedKey(site: TestSite): Promise<string> {
  const { id, key } = await makeKey(site)
  await site.manage('PUT', `/keys/${id}/revocation`)
  return key
}

async function expiredCursor(site: TestSite): Promise<string> {
  const longAgo = Date.now() - 91 * 86_400_000
  return formatChangeCursor(await getSiteScope(testContext(), site.id), {
    sequence: longAgo,
    caughtUp: longAgo,
  })
}
