import { describe, expect } from 'vitest'
import { formatChangeCursor } from '../../../src/content/changes.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { randomFrom } from '../../support/random.ts'
import { it, makeSite, type TestSite, tryManage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

type Json = Record<string, unknown>
type Item = {
  type: string
  resource: 'post' | 'guide'
  id: string
  slug: string
  post?: Json
  guide?: Json
} & Json
type Feed = { items: Item[]; cursor: string; hasMore: boolean }

const read = (site: TestSite, query = '') => site.manage('GET', `/changes?${query}`)
const names = ({ items }: Feed) => items.map(({ type, resource, slug }) => `${type} ${resource} ${slug}`)

describe("the operator's change feed", () => {
  it('has posts and guides as they were put, including drafts', async ({ site }) => {
    await site.put('source', { status: 'published', publishedAt: '2020-01-01T00:00:00Z' })
    await site.put('a', {
      trustScore: 72,
      sourceSlug: 'source',
      provenance: { sources: [{ url: 'https://example.org/', title: 'E' }] },
      schemaBundle: { article: { author: 'A' } },
    })
    await site.manage('PUT', '/posts/a/readiness')
    await putGuide(site, 'g', { status: 'draft' })
    const feed = await read(site)
    expect(feed.hasMore).toBe(false)
    expect(names(feed)).toEqual(['upsert post source', 'upsert post a', 'upsert guide g'])
    for (const { resource, ...item } of feed.items) {
      const stored: Json = await site.manage('GET', `/${resource}s/${item.slug}`)
      expect(item).toEqual({
        ...stored,
        type: 'upsert',
        slug: item.slug,
        language: null,
        status: (stored[resource] as Json).status,
        sequence: Date.parse(String(stored.updatedAt)),
      })
    }
    expect(feed.items[1]).toMatchObject({
      readyAt: expect.any(String),
      post: { trustScore: 72, sourceSlug: 'source', schemaBundle: { article: { author: 'A' } } },
    })
  })

  it('reports deleted and renamed drafts of guides, which the API’s feed never had', async ({ site }) => {
    const key = await site.json<Feed>('/changes')
    for (const slug of ['gone', 'old', 'public']) await putGuide(site, slug, { status: 'draft' })
    const { cursor } = await read(site)
    await site.manage('DELETE', '/guides/gone')
    await site.manage('PUT', '/guides/old/slug', { slug: 'new' })
    await site.manage('PUT', '/guides/public/publication')
    await site.manage('DELETE', '/guides/public/publication')
    const feed = await read(site, `cursor=${cursor}`)
    for (const { type, guide } of feed.items) expect(guide === undefined).toBe(type === 'delete')
    expect(names(feed)).toEqual([
      'delete guide gone',
      'delete guide old',
      'upsert guide new',
      'delete guide public',
      'upsert guide public',
    ])
    expect(names(await site.json<Feed>(`/changes?cursor=${key.cursor}`))).toEqual(['delete guide public'])
  })

  it('counts provenance, which the API has for single posts only', async ({ site }) => {
    await runSql(
      `insert into posts (site_id, slug, title, content_html, provenance)
       select $1, 'p' || n, 'T', '', jsonb_build_object('sources', '[]'::jsonb, 'generatedBy', repeat('字', 80000))
       from generate_series(1, 40) n`,
      [site.id],
    )
    await site.put('last')
    const pages = await follow(site, 500)
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.flatMap(({ items }) => items)).toHaveLength(41)
  })

  it('gives the state of the site at the end of the feed, whatever is written meanwhile', async () => {
    const site = await makeSite()
    const random = randomFrom(7)
    const pick = (count: number) => Math.floor(random() * count)
    await putAll(
      site,
      Array.from({ length: 12 }, (_, at) => ({ slug: `p${at}` })),
    )
    for (let at = 0; at < 6; at++) await putGuide(site, `g${at}`, { status: at % 2 ? 'draft' : 'published' })
    const write = async () => {
      const kind = random() < 0.6 ? 'posts' : 'guides'
      const slug = `${kind[0]}${pick(14)}`
      const to = `${kind[0]}${pick(14)}`
      const below = `/${kind}/${slug}`
      const writes = [
        () => site.tryManage('PUT', below, { title: `T${pick(99)}`, contentHtml: '' }),
        () => site.tryManage('PUT', `${below}/slug`, { slug: to }),
        () => site.tryManage('DELETE', below),
        () => site.tryManage('PUT', `${below}/publication`),
        () => site.tryManage('DELETE', `${below}/publication`),
      ]
      expect([200, 201, 204, 404, 409]).toContain((await writes[pick(writes.length)]!()).status)
    }
    const copy = new Map<string, Json>()
    for (let cursor: string | null = null, round = 0; round < 8; round++) {
      if (round < 6) for (let writes = 0; writes < 3; writes++) await write()
      const page: Feed = await read(site, `limit=4${cursor === null ? '' : `&cursor=${cursor}`}`)
      for (const item of page.items) apply(copy, item)
      cursor = page.cursor
      if (page.hasMore) round -= 1
    }
    const now = new Map<string, Json>()
    for (const { items } of await follow(site, 500)) for (const item of items) apply(now, item)
    expect(copy).toEqual(now)
    const listed = await Promise.all(
      (['post', 'guide'] as const).map(async (kind) => {
        const { items } = await site.manage('GET', `/${kind}s?limit=500`)
        return items.map(({ slug }) => `${kind} ${slug}`)
      }),
    )
    expect([...copy.keys()].sort()).toEqual(listed.flat().sort())
  })

  it('can be replayed into another site, which then has the same content', async () => {
    const [from, to] = [await makeSite(), await makeSite()]
    await from.put('a', { trustScore: 90, seo: { keywords: ['k'] }, status: 'published' })
    await from.put('b', { sourceSlug: 'a', language: 'fr' })
    await putGuide(from, 'g', { status: 'draft' })
    for (const { resource, ...item } of (await read(from)).items)
      await to.manage('PUT', `/${resource}s/${item.slug}`, item[resource])
    const bodies = async (site: TestSite) => (await read(site)).items.map((item) => item[item.resource])
    expect(await bodies(to)).toEqual(await bodies(from))
  })

  it('refuses a wrong cursor or limit with 400, an old cursor with 410, and another site with 404', async () => {
    const site = await makeSite()
    const other = await read(await makeSite())
    for (const query of ['cursor=x', `cursor=${other.cursor}`, 'limit=0', 'limit=501', 'cursor=a&cursor=b'])
      expect((await site.tryManage('GET', `/changes?${query}`)).status, query).toBe(400)
    const nobody = '/sites/00000000-0000-4000-8000-000000000000/changes'
    expect((await tryManage('GET', nobody)).status).toBe(404)
    const longAgo = Date.now() - 91 * 86_400_000
    const old = await formatChangeCursor(site, { sequence: longAgo, caughtUp: longAgo })
    expect((await site.tryManage('GET', `/changes?cursor=${old}`)).status).toBe(410)
  })
})

function apply(copy: Map<string, Json>, item: Item) {
  if (item.type === 'delete') copy.delete(`${item.resource} ${item.slug}`)
  else copy.set(`${item.resource} ${item.slug}`, { ...item[item.resource], id: item.id })
}

async function follow(site: TestSite, limit: number): Promise<Feed[]> {
  const pages: Feed[] = []
  for (let query = `limit=${limit}`; ; query = `limit=${limit}&cursor=${pages.at(-1)!.cursor}`) {
    pages.push(await read(site, query))
    if (!pages.at(-1)!.hasMore) return pages
  }
}
