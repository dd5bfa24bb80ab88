import { describe, expect } from 'vitest'
import { putGuide, UUID, WIRE_TIME } from '../support/content.ts'
import { errorOf, it, makeSite } from '../support/site.ts'

describe('200', () => {
  it('returns a published guide, with every field and no other', async ({ site }) => {
    await putGuide(site, 'start', { title: 'Start', contentHtml: '<h1>Go</h1><p>Now.</p>' })
    expect(await site.json('/guides/start')).toEqual({
      id: expect.stringMatching(UUID),
      slug: 'start',
      title: 'Start',
      excerpt: 'Now.',
      contentHtml: '<h1>Go</h1><p>Now.</p>',
      status: 'published',
      publishedAt: expect.stringMatching(WIRE_TIME),
      updatedAt: expect.stringMatching(WIRE_TIME),
      readingTimeMinutes: 1,
    })
  })

  it('returns the fields as they were put, with null for those that are not set', async ({ site }) => {
    const given = { excerpt: 'Own', readingTimeMinutes: 9, publishedAt: '2020-01-01T00:00:00.000Z' }
    await putGuide(site, 'own', given)
    await putGuide(site, 'bare', { contentHtml: '' })
    expect(await site.json('/guides/own')).toMatchObject(given)
    expect(await site.json('/guides/bare')).toMatchObject({ excerpt: null })
  })

  it('serves a guide next to a post with the same slug', async ({ site }) => {
    await site.put('same', { title: 'Post' })
    await putGuide(site, 'same', { title: 'Guide' })
    expect(await site.json('/posts/same')).toMatchObject({ title: 'Post' })
    expect(await site.json('/guides/same')).toMatchObject({ title: 'Guide' })
  })
})

describe('404', () => {
  it('says so for a draft, an unpublished guide and a deleted one', async ({ site }) => {
    await putGuide(site, 'draft', { status: 'draft' })
    await putGuide(site, 'unpublished')
    await putGuide(site, 'deleted')
    for (const slug of ['unpublished', 'deleted'])
      expect((await site.get(`/guides/${slug}`)).status).toBe(200)
    await site.manage('DELETE', '/guides/unpublished/publication')
    await site.manage('DELETE', '/guides/deleted')
    for (const slug of ['draft', 'unpublished', 'deleted']) {
      const response = await site.get(`/guides/${slug}`)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      expect(await errorOf(response, 404), slug).toBe('Guide not found')
    }
    await site.manage('PUT', '/guides/draft/publication')
    expect(await site.json('/guides/draft')).toMatchObject({ status: 'published' })
  })

  it('says so for another site’s guide, a post, and an invalid slug', async ({ site }) => {
    const other = await makeSite()
    await putGuide(other, 'theirs')
    await site.put('post', { status: 'published' })
    for (const slug of ['theirs', 'post', 'nowhere', '%00', '%', '%FF', 'a%2Fb', 'x'.repeat(201)]) {
      expect(await errorOf(await site.get(`/guides/${slug}`), 404), slug).toBe('Guide not found')
    }
  })
})
