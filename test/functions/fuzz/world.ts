/** A site with every kind of content for the fuzz, and its callers. */
import { formatChangeCursor } from '../../../src/content/changes.ts'
import { trySignIn } from '../../support/console.ts'
import { makeKey, putAll, putGuide } from '../../support/content.ts'
import type { Operation } from '../../support/openapi.ts'
import { makeSite, manage, operatorToken, post, type TestSite } from '../../support/site.ts'
import { addWebhook, finished, setWebhook } from '../../support/webhook.ts'
import type { Secret } from './oracle.ts'
import type { Known } from './schema.ts'

/** A caller: its valid and refused credentials, and the resources that exist for it. */
export type Caller = { secret: string; refused: string[]; known: Known }

export type World = {
  site: TestSite
  secrets: Secret[]
  /** Each with a share of the requests. */
  callers: { weight: number; caller: Caller }[]
  /** Restores what requests of the operation need, or may remove. */
  renew?: (operation: Operation) => Promise<unknown>
}

export const UNLIMITED = { dailyQuota: 1_000_000_000, trainingOptIn: true }
const SPARE = Array.from({ length: 60 }, (_, at) => `spare-${at}`)

const full = (site: TestSite): Secret => ({ text: site.key, schemes: ['apiKey', 'token'], siteId: site.id })

/** Sites for readers: one with content, an empty one, and one with a used-up quota. */
export async function readersWorld(): Promise<World> {
  const sites = [makeSite(UNLIMITED), makeSite(), makeSite({ dailyQuota: 1 })]
  const [site, empty, spent] = (await Promise.all(sites)) as [TestSite, TestSite, TestSite]
  await fill(site, SPARE.slice(0, 12))
  await spent.get('/posts')
  const sitemapKey = (await makeKey(site, { name: 'sitemap', access: 'sitemap' })).key
  const expired = await makeKey(site, { expiresAt: '2020-01-01T00:00:00Z' })
  const refused = [expired.key, empty.key, sitemapKey, operatorToken]
  const page = await site.json<{ items: { updatedAt: string }[] }>('/posts')
  const feed = await site.json<{ cursor: string }>('/changes?limit=3')
  const [row] = (await site.manage('GET', '/training-rows')).items
  const longAgo = Date.now() - 91 * 86_400_000
  const expiredCursor = await formatChangeCursor(site, { sequence: longAgo, caughtUp: longAgo })
  const tags = ['/posts', '/posts?fields=title', '/posts/kept', '/guides', '/changes'].map(
    async (below) => (await site.get(below)).headers.get('ETag')!,
  )
  const known = {
    include: ['content', 'provenance', ' content ,x', ','],
    search: ['title', 'TITLE', ' '],
    fields: ['title', 'excerpt,title', 'contentHtml', 'id, seo ,faqJsonLd', 'status,status', ','],
    siteId: [site.id, site.id.toUpperCase()],
    slug: ['kept', ...SPARE.slice(0, 4), 'ünï.字~'],
    cursor: [feed.cursor, feed.cursor, feed.cursor, expiredCursor],
    updatedAfter: page.items.map((item) => item.updatedAt),
    after: [row!.id],
    'If-None-Match': ['*', 'W/"a", *', ...(await Promise.all(tags))],
    token: [site.key, sitemapKey, ...refused],
  }
  const callerOf = (each: TestSite, weight: number) => ({
    weight,
    caller: { secret: each.key, refused, known: each === site ? known : { ...known, siteId: [each.id] } },
  })
  return {
    site,
    secrets: [
      full(site),
      full(empty),
      full(spent),
      { text: sitemapKey, schemes: ['token'], siteId: site.id },
    ],
    callers: [callerOf(site, 18), callerOf(empty, 1), callerOf(spent, 1)],
  }
}

/** A site for the operator's writes. */
export async function operatorsWorld(): Promise<World> {
  const site = await makeSite(UNLIMITED)
  const kept = await fill(site, SPARE)
  const keys = await Promise.all(SPARE.slice(0, 5).map((name) => makeKey(site, { name })))
  const { next } = await manage('GET', '/sites?limit=1')
  await site.manage('PUT', '/posts/spare-1/readiness')
  const delivery = await finished(site)
  const rows = await site.manage('GET', '/training-rows')
  const known: Record<string, string[]> = {
    siteId: [site.id, site.id, site.id.toUpperCase()],
    slug: SPARE,
    keyId: keys.map(({ id }) => id),
    resendId: [(await site.manage('POST', '/resends', {})).id],
    eventId: [delivery.eventId],
    deliveryId: [delivery.id],
    rowId: rows.items.map(({ id }) => id),
    cursor: [next!],
    failedSince: ['2026-01-01T00:00:00Z'],
    failedUntil: ['2126-01-01T00:00:00Z'],
    from: ['/old'],
    sourceSlug: ['kept', 'kept', 'kept', 'spare-0'],
    postSlug: ['kept'],
    sourcePostId: [kept],
  }
  const refused = [site.key, `${operatorToken}0`, operatorToken.toUpperCase()]
  return {
    site,
    secrets: [full(site), { text: operatorToken, schemes: ['operatorToken'], siteId: null }],
    callers: [{ weight: 1, caller: { secret: operatorToken, refused, known } }],
    async renew({ path }) {
      await site.manage('PATCH', '', UNLIMITED)
      if (path.includes('{operatorId}')) Object.assign(known, await addOperator())
      if (path.includes('/preview-links')) {
        await site.put('kept', { status: 'draft' })
        known.linkId = [(await site.manage('POST', '/posts/kept/preview-links', {})).id]
      }
      if (path.includes('/webhook')) {
        await setWebhook(site, 'ok')
        const { items } = await site.manage('GET', '/webhooks')
        known.endpointId = [(items[1] ?? (await addWebhook(site, 'ok', ['post.updated']))).id]
      }
      if (path.includes('/sitemap')) await site.manage('PUT', '/sitemap')
      if (path.includes('/redirects'))
        await site.manage('PUT', '/redirects', {
          redirects: [{ from: '/old', to: 'https://other.example/' }],
        })
    },
  }
}

/** The ids of an operator, and of a token, a session and a sign-in link. */
async function addOperator() {
  const { id } = await manage('POST', '/operators', { name: crypto.randomUUID(), role: 'viewer' })
  const made = await manage('POST', `/operators/${id}/tokens`, {})
  await trySignIn(made.token)
  const sessions = await manage('GET', `/operators/${id}/sessions`)
  const link = await manage('POST', `/operators/${id}/sign-in-links`, {})
  return { operatorId: [id], tokenId: [made.id], sessionId: [sessions.items[0]!.id], linkId: [link.id] }
}

/** @returns the id of the post `kept` */
async function fill(site: TestSite, slugs: string[]): Promise<string> {
  const { id } = await site.put('kept', { status: 'published', language: 'en', title: 'A title 100%_' })
  await site.put('ünï.字~', { sourceSlug: 'kept', language: 'de', status: 'published', title: 'Ünï' })
  await putAll(
    site,
    slugs.map((slug, at) => ({ slug, title: `Title ${at}`, ...(at % 3 > 0 && { trustScore: 90 }) })),
  )
  const guides = ['kept', ...slugs].map((slug) => post({ slug, status: 'published' }))
  await site.manage('PUT', '/guides', { guides })
  await putGuide(site, 'ünï.字~')
  const rows = Array(5).fill({ prompt: 'P', completion: 'C', postSlug: 'kept' })
  await site.manage('POST', '/training-rows', { rows })
  await setWebhook(site, 'ok')
  return id
}
