/** The query plans of the verbs' statements. */
import { neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { getArticle, type ListInput, listArticles } from '../../../src/content/articles/read.ts'
import { deleteArticle, setArticleStatus } from '../../../src/content/articles/transitions.ts'
import { listChanges } from '../../../src/content/changes.ts'
import { browseGuides } from '../../../src/content/guides/browse.ts'
import { GUIDE } from '../../../src/content/guides/guide.ts'
import { browsePosts, type PostBrowseInput } from '../../../src/content/posts/browse.ts'
import { inspectPost } from '../../../src/content/posts/inspect.ts'
import { POST } from '../../../src/content/posts/post.ts'
import { putPosts } from '../../../src/content/posts/put.ts'
import { markPostReady } from '../../../src/content/posts/readiness.ts'
import { countOutdatedBundles, rebuildBundles } from '../../../src/content/posts/schema-bundles.ts'
import { renderSitemap } from '../../../src/content/sitemap/render.ts'
import { exportTrainingRows } from '../../../src/content/training.ts'
import { addTrainingRows as addRows } from '../../../src/content/training-rows.ts'
import type { Context } from '../../../src/context.ts'
import type { SiteScope } from '../../../src/db/site-scope.ts'
import { getUsage } from '../../../src/sites/usage.ts'
import { COMMON_WORD, RARE_WORD } from './fill.ts'

type Sent = { query: string; params: unknown[] }
export type Plan = { name: string; statement: string; plan: string }

/** Plans of every read of a site and every write of its posts. Explained writes are rolled back. */
export async function explainAll(url: string, ctx: Context, site: SiteScope): Promise<Plan[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const plans: Plan[] = []
    for (const [name, verb] of Object.entries({ ...reads(ctx, site), ...writes(ctx, site) })) {
      for (const { query, params } of await statementsOf(verb)) {
        await client.query('begin')
        const { rows } = await client.query(`explain (analyze, buffers) ${query}`, params)
        await client.query('rollback')
        plans.push({ name, statement: query, plan: rows.map((row) => row['QUERY PLAN']).join('\n') })
      }
    }
    return plans
  } finally {
    await client.end()
  }
}

/** Plans that scan the posts or guides of all sites. */
export function sequentialScans(plans: Plan[]): Plan[] {
  return plans.filter(({ plan }) => /Seq Scan on (posts|post_titles|guides)\b/.test(plan))
}

/** The console's lists look through the titles of the whole site, for a site that has most of them by a scan of all. */
export function readsWholeSite(name: string): boolean {
  return name.startsWith("console's list")
}

/** An offset counts its way there, `total` counts what matches, and the sitemap and old URLs are of all posts. */
const READS_MANY = /far page|updatedAfter|common word|^console's list|^sitemap|^old URLs|^rebuild bundles/
/** More than a page of the feed. */
const MANY = 1_000

/** Plans that read many posts or guides by any index for a small result. */
export function wastefulReads(plans: Plan[]): Plan[] {
  return plans.filter(({ name, plan }) => rowsRead(plan) > MANY && !READS_MANY.test(name))
}

/** By the scan of posts or guides that reads the most, with the rows that it filters out. */
function rowsRead(plan: string): number {
  const scans = plan.split(/^ *->/m).filter((node) => / on (posts|post_titles|guides)\b/.test(node))
  const rows = scans.map((node) => {
    const [, found, loops] = /\(actual .*rows=([\d.]+) loops=(\d+)\)/.exec(node) ?? [0, 0, 0]
    const removed = node.matchAll(/Rows Removed by .*: (\d+)/g).map(([, count]) => Number(count))
    return Number(loops) * removed.reduce((sum, count) => sum + count, Number(found))
  })
  return Math.max(0, ...rows)
}

function reads(ctx: Context, site: SiteScope): Record<string, () => Promise<unknown>> {
  const everything = {
    page: 1,
    pageSize: 12,
    search: null,
    status: 'all',
    language: null,
    updatedAfter: null,
    sort: 'updatedAt',
    fields: null,
  } satisfies ListInput
  const recent = new Date(Date.now() - 3_600_000).toISOString()
  const inputs: Record<string, Partial<ListInput>> = {
    'first page': {},
    'far page': { page: 50_000 },
    'status=draft': { status: 'draft' },
    'language=de': { language: 'de' },
    'language=de, far page': { language: 'de', page: 10_000 },
    'language=de, status=draft': { language: 'de', status: 'draft' },
    updatedAfter: { updatedAfter: recent },
    'ready, updatedAfter, with all that can be included': {
      ready: true,
      updatedAfter: recent,
      include: ['metadata', 'readiness'],
    },
    'updatedAfter, language, status': { updatedAfter: recent, language: 'de', status: 'published' },
    'search of a rare word': { search: RARE_WORD },
    'search of a common word': { search: COMMON_WORD },
    'sort=publishedAt': { sort: 'publishedAt' },
    'sort=publishedAt, far page': { sort: 'publishedAt', page: 1_000 },
    'sort=publishedAt, status=draft': { sort: 'publishedAt', status: 'draft' },
    'sort=publishedAt, language=de': { sort: 'publishedAt', language: 'de' },
    'sort=publishedAt, search of a common word': { sort: 'publishedAt', search: COMMON_WORD },
    'fields=title': { fields: ['id', 'slug', 'title', 'updatedAt'] },
    'search, all filters': { search: RARE_WORD, language: 'de', status: 'published', updatedAfter: recent },
  }
  const lists = Object.entries(inputs).map(([name, input]) => [
    `list, ${name}`,
    () => listArticles(ctx, POST, site, 'all', { ...everything, ...input }),
  ])
  const all = {
    page: 1,
    pageSize: 50,
    search: null,
    status: 'all',
    band: null,
    language: null,
    publishedFrom: null,
    publishedTo: null,
    updatedAfter: null,
    sort: 'updated',
  } satisfies PostBrowseInput
  const views: Record<string, Partial<PostBrowseInput>> = {
    'first page': {},
    'far page': { page: 10_000 },
    'status=ready': { status: 'ready' },
    'language=de, status=draft, not checked': { language: 'de', status: 'draft', band: 'none' },
    'updated after, published from': { updatedAfter: recent, publishedFrom: recent },
    'search of a rare word': { search: RARE_WORD },
    'search of two words': { search: `${COMMON_WORD} 18.0.0` },
    'by title': { sort: 'title' },
    'by publication': { sort: 'published' },
  }
  const consoleLists = Object.entries(views).map(([name, view]) => [
    `console's list, ${name}`,
    () => browsePosts(ctx, site, { ...all, ...view }),
  ])
  const slug = 'no-such-post'
  return {
    ...Object.fromEntries([...lists, ...consoleLists]),
    "console's list of guides, search": () => browseGuides(ctx, site, { ...all, search: 'guide 1' }),
    'guides, first page': () =>
      listArticles(ctx, GUIDE, site, 'published', { page: 1, pageSize: 12, updatedAfter: null }),
    'guides, updatedAfter': () =>
      listArticles(ctx, GUIDE, site, 'published', { page: 1, pageSize: 12, updatedAfter: recent }),
    post: () => getArticle(ctx, POST, site, slug, { include: ['provenance'], status: 'all' }).catch(() => {}),
    "console's post": () => inspectPost(ctx, site, slug, { sort: 'updated' }).catch(() => {}),
    'changes from the beginning': () =>
      listChanges(ctx, site, 'all', {
        cursor: null,
        limit: 500,
        today: 0,
        content: true,
        fields: null,
        include: [],
      }),
    'changes since a cursor': () =>
      listChanges(ctx, site, 'all', {
        cursor: { sequence: Date.parse(recent), caughtUp: Date.now() },
        limit: 500,
        today: 0,
        content: false,
        fields: null,
        include: [],
      }),
    'sitemap, its entry': () => drain(renderSitemap(ctx, site, null)),
    'sitemap, a late file': () => drain(renderSitemap(ctx, site, 40)).catch(() => {}),
    'training export': async () => drain((await exportTrainingRows(ctx, site, null)).rows),
    usage: () => getUsage(ctx, site, new Date()),
    'old URLs': () => countOutdatedBundles(ctx, site),
  }
}

function writes(ctx: Context, site: SiteScope): Record<string, () => Promise<unknown>> {
  const post = { title: 'A post', contentHtml: '<p>Words.</p>', qualityBand: 'standard' } as const
  const posts = [
    { ...post, slug: 'plan-source', language: 'en' },
    { ...post, slug: 'plan-translation', language: 'de', sourceSlug: 'plan-source' },
  ]
  return {
    put: () => putPosts(ctx, site, posts),
    'put again': () => putPosts(ctx, site, posts),
    'mark ready': () => markPostReady(ctx, site, 'plan-source'),
    'rebuild bundles': () => rebuildBundles(ctx, site),
    publish: () => setArticleStatus(ctx, POST, site, 'plan-source', 'published'),
    'add training rows': () =>
      addRows(ctx, site, [{ prompt: 'P', completion: 'C', postSlug: 'plan-source' }]),
    delete: () => deleteArticle(ctx, POST, site, 'plan-source'),
  }
}

async function drain(pieces: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>) {
  for await (const _ of await pieces);
}

async function statementsOf(verb: () => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = []
  neonConfig.fetchFunction = (address: string, init: RequestInit) => {
    const body = JSON.parse(String(init.body)) as Sent | { queries: Sent[] }
    sent.push(...('queries' in body ? body.queries : [body]))
    return fetch(address, init)
  }
  try {
    await verb()
  } finally {
    neonConfig.fetchFunction = undefined
  }
  return sent
}
