import { describe, expect } from 'vitest'
import { it, makeSite, post, type TestSite } from '../../support/site.ts'

type Json = Record<string, unknown>

const put = (site: TestSite, slug: string, fields = {}, noun: 'posts' | 'guides' = 'posts') =>
  site.manage('PUT', `/${noun}/${slug}`, post(fields))

const logged = async (site: TestSite) =>
  (await site.manage('GET', '/audit-log')).items.filter(({ action }) => /^post\./.test(action))

describe.each([
  ['posts', 'post'],
  ['guides', 'guide'],
] as const)('the origin of %s', (nouns, noun) => {
  it('is stored, for the operator only, until another one is given', async ({ site }) => {
    await put(site, 'a', { originId: 'ghost:1', originSlug: 'there', status: 'published' }, nouns)
    const seen = async () => {
      const stored: { [Noun in 'post' | 'guide']?: Json } = await site.manage('GET', `/${nouns}/a`)
      return [stored[noun]!.originId, stored[noun]!.originSlug]
    }
    expect(await seen()).toEqual(['ghost:1', 'there'])
    expect(await put(site, 'a', { status: 'published' }, nouns)).toMatchObject({ outcome: 'unchanged' })
    expect(await seen()).toEqual(['ghost:1', 'there'])
    await put(site, 'a', { originId: 'ghost:2', status: 'published' }, nouns)
    expect(await seen()).toEqual(['ghost:2', 'there'])
    const [listed] = (await site.manage('GET', `/${nouns}`)).items
    expect([listed!.originId, listed!.originSlug]).toEqual(['ghost:2', 'there'])
    expect(await (await site.get(`/${nouns}/a`)).text()).not.toContain('ghost:')
  })

  it('belongs to one article of the site', async ({ site }) => {
    await put(site, 'a', { originId: 'ghost:1' }, nouns)
    const many = [
      { slug: 'b', originId: 'ghost:2' },
      { slug: 'c', originId: 'ghost:1' },
    ].map(post)
    expect(await site.tryManage('PUT', `/${nouns}`, { [nouns]: many })).toMatchObject({
      status: 400,
      body: { error: `Invalid body: ${nouns}[1].originId must not belong to another article` },
    })
    many[0]!.originId = 'ghost:1'
    expect((await site.tryManage('PUT', `/${nouns}`, { [nouns]: many })).body).toMatchObject({
      error: `Invalid body: ${nouns}[0].originId must not be given twice`,
    })
    const other = await makeSite()
    expect(await put(other, 'a', { originId: 'ghost:1' }, nouns)).toMatchObject({ outcome: 'created' })
  })
})

it('an article that only gets an origin is unchanged for readers, and the audit log has it', async () => {
  const site = await makeSite()
  const { updatedAt } = await put(site, 'a', { qualityBand: 'standard' })
  await site.manage('PUT', '/posts/a/readiness')
  const before = await site.get('/posts')
  const ready = await site.manage('GET', '/posts/a')
  expect(ready.updatedAt > updatedAt).toBe(true)

  const learnt = await put(site, 'a', { qualityBand: 'standard', originId: 'ghost:1' })
  expect(learnt).toMatchObject({ outcome: 'unchanged', updatedAt: ready.updatedAt })
  expect(await site.manage('GET', '/posts/a')).toMatchObject({
    readyAt: ready.readyAt,
    post: { originId: 'ghost:1' },
  })
  const again = await site.get('/posts', { headers: { 'If-None-Match': before.headers.get('ETag')! } })
  expect(again.status).toBe(304)
  expect((await logged(site))[0]).toMatchObject({
    action: 'post.updated',
    subject: 'a',
    before: null,
    after: { originId: 'ghost:1' },
  })
})
