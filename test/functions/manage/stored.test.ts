import fc from 'fast-check'
import { describe, expect, inject } from 'vitest'
import { FULL_POST, putAll, putGuide } from '../../support/content.ts'
import { depthOf } from '../../support/depth.ts'
import { readDocument } from '../../support/openapi.ts'
import { it, makeSite, type TestSite } from '../../support/site.ts'
import { allowed } from '../fuzz/schema.ts'

type Json = Record<string, unknown>
type Listed = { items: Json[]; next: string | null }

/** The fields of a post that was never marked, scheduled or reviewed. */
const UNPLANNED = { readyBy: null, publishAt: null, scheduledBy: null, changeRequest: null }

const list = <const Below extends string>(site: TestSite, below: Below) => site.manage('GET', below)
const slugs = ({ items }: Listed) => items.map(({ slug }) => slug)

describe('the list of posts', () => {
  it('has drafts and published posts without bodies, newest update first', async ({ site }) => {
    await site.put('source', { language: 'en', status: 'published', publishedAt: '2020-01-01T00:00:00Z' })
    const fields = {
      ...{ title: 'Überblick', language: 'de', sourceSlug: 'source' },
      ...{ trustScore: 88.5, reviewStatus: 'pending', aiGenerated: true },
    }
    const { id, updatedAt } = await site.put('a', fields)
    const { items, next } = await list(site, '/posts')
    expect(next).toBeNull()
    expect(items).toEqual([
      {
        ...fields,
        ...{
          id,
          slug: 'a',
          status: 'draft',
          qualityBand: 'premium',
          updatedAt,
          createdAt: expect.any(String),
        },
        ...UNPLANNED,
        ...{ readyAt: null, publishedAt: null, originId: null, originSlug: null },
      },
      expect.objectContaining({ slug: 'source', publishedAt: '2020-01-01T00:00:00.000Z', sourceSlug: null }),
    ])
  })

  it('is filtered by status, title and language, page by page', async ({ site }) => {
    const titles = ['Äpfel', 'Birnen', 'mehr ÄPFEL', 'apples', 'Äpfel 100%']
    await putAll(
      site,
      titles.map((title, at) => ({
        slug: `p${at}`,
        title,
        status: at % 2 ? 'draft' : 'published',
        language: title === 'apples' ? 'en' : 'de-AT',
      })),
    )
    expect(slugs(await list(site, '/posts?status=draft'))).toEqual(['p3', 'p1'])
    const found = await list(site, `/posts?search=${encodeURIComponent('äpfel')}`)
    expect(slugs(found)).toEqual(['p4', 'p2', 'p0'])
    expect(slugs(await list(site, '/posts?search=0%25'))).toEqual(['p4'])
    expect(slugs(await list(site, '/posts?language=DE&status=published'))).toEqual(['p4', 'p2', 'p0'])
    for (const filter of ['', '&language=de', '&search=e', '&status=all']) {
      const whole = slugs(await list(site, `/posts?limit=500${filter}`))
      expect(whole.length).toBeGreaterThan(3)
      expect(await followed(site, `/posts?limit=2${filter}`)).toEqual(whole)
    }
  })

  it('refuses invalid parameters with 400, and another site with 404', async ({ site }) => {
    for (const query of 'limit=0 limit=501 cursor=x status=new language=d_e search=a&search=b'.split(' '))
      expect((await site.tryManage('GET', `/posts?${query}`)).status, query).toBe(400)
    expect((await site.tryManage('GET', '/../00000000-0000-4000-8000-000000000000/posts')).status).toBe(404)
  })
})

describe('the list of guides', () => {
  it('has drafts too, without bodies, newest update first, page by page', async ({ site }) => {
    for (const slug of ['a', 'b', 'c']) await putGuide(site, slug, { title: `The ${slug}` })
    const { id, updatedAt } = await putGuide(site, 'draft', { status: 'draft', title: 'Draft_' })
    expect((await list(site, '/guides')).items[0]).toEqual({
      ...{ id, slug: 'draft', title: 'Draft_', status: 'draft', updatedAt, createdAt: expect.any(String) },
      ...{ publishedAt: null, originId: null, originSlug: null },
    })
    expect(await followed(site, '/guides?limit=1')).toEqual(['draft', 'c', 'b', 'a'])
    expect(slugs(await list(site, '/guides?status=published&search=THE'))).toEqual(['c', 'b', 'a'])
    expect(slugs(await list(site, '/guides?search=_'))).toEqual(['draft'])
  })
})

describe('the source of a post', () => {
  it('is a body that can be put again, with all fields', async ({ site }) => {
    await site.put('source', { language: 'en' })
    const { id, updatedAt } = await site.manage('PUT', '/posts/full', FULL_POST)
    await site.manage('PUT', '/posts/full/readiness')
    const stored = await site.manage('GET', '/posts/full')
    const times = {
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      readyAt: expect.any(String),
    }
    expect(stored).toEqual({ ...UNPLANNED, ...times, id, readyBy: 'OPERATOR_TOKEN', post: FULL_POST })
    expect(String(stored.updatedAt) > updatedAt).toBe(true)
    expect((await put(site, 'posts', stored.post)).outcome).toBe('unchanged')
  })

  it('has only the parts of a derived bundle that the caller gave', async ({ site }) => {
    await site.put('whole')
    await site.put('part', {
      schemaBundle: { article: { author: 'A', dateModified: '2020-01-01T00:00:00Z' } },
    })
    expect((await site.manage('GET', '/posts/whole')).post.schemaBundle).toBeNull()
    const { post: part } = await site.manage('GET', '/posts/part')
    expect(part.schemaBundle).toEqual({ article: { author: 'A', dateModified: '2020-01-01T00:00:00Z' } })
    expect((await put(site, 'posts', part)).outcome).toBe('unchanged')
  })

  it('is 404 when there is no post', async ({ site }) => {
    expect((await site.tryManage('GET', '/posts/none')).body).toEqual({ error: 'Post not found' })
    expect((await site.tryManage('GET', '/posts/%2f')).status).toBe(404)
    expect((await site.tryManage('GET', '/guides/none')).body).toEqual({ error: 'Guide not found' })
  })
})

describe('putting the source again', () => {
  it.each(['post', 'guide'] as const)('changes nothing, for any %s', async (noun) => {
    const site = await makeSite()
    await site.put('source')
    const { components } = await readDocument('/manage/v1')
    const schema = components.schemas[noun === 'post' ? 'PostBody' : 'GuideBody']!
    const around = { components, known: { sourceSlug: ['source'] } }
    const inputs = allowed(schema, 'body', around) as fc.Arbitrary<Json>
    await fc.assert(
      fc.asyncProperty(inputs, async ({ slug = 'any', ...fields }) => {
        const below = `/${noun}s/${encodeURIComponent(String(slug))}`
        const { status } = await site.tryManage('PUT', below, fields)
        // For rules that the description lacks, such as that of a slug in a path.
        fc.pre(status < 400)
        const stored = await site.manage('GET', below)
        const again = await put(site, `${noun}s`, stored[noun] as Json)
        expect(again).toMatchObject({ outcome: 'unchanged', id: stored.id, updatedAt: stored.updatedAt })
      }),
      { numRuns: depthOf('stored'), seed: inject('fuzzSeed') },
    )
  })
})

function put(site: TestSite, kind: 'posts' | 'guides', body: Json) {
  return site.manage('PUT', `/${kind}/${encodeURIComponent(String(body.slug))}`, body)
}

/** The slugs of all pages. */
async function followed(site: TestSite, below: `/${'posts' | 'guides'}?${string}`): Promise<unknown[]> {
  const found: unknown[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Listed = await list(site, `${below}${cursor && `&cursor=${cursor}`}`)
    found.push(...slugs(page))
    cursor = page.next
  }
  return found
}
