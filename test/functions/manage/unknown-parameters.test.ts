import { describe, expect, it } from 'vitest'
import { call, makeSite, operatorToken, tryManage } from '../../support/site.ts'

const refusal = (...names: string[]) => ({
  status: 400,
  body: {
    error: `Invalid query parameter: ${names.map((name) => `${name} is not a known parameter`).join('; ')}`,
  },
})

describe('an unknown query parameter', () => {
  it.each([
    '/posts',
    '/guides',
    '/redirects',
    '/training-rows',
    '/events',
    '/deliveries',
    '/keys',
    '/changes',
    '/audit-log',
    '',
  ])('is refused by name on %s', async (below) => {
    const site = await makeSite()
    const path = site.path + below
    expect(await tryManage('GET', `${path}?page=2`)).toMatchObject(refusal('page'))
    expect((await tryManage('GET', path)).status).toBe(200)
  })

  it('is refused among known ones, with all others, and cut when it is long', async () => {
    const { path } = await makeSite()
    expect(await tryManage('GET', `/sites?limit=1&page=2&${'x'.repeat(300)}=1`)).toMatchObject(
      refusal('page', 'x'.repeat(40)),
    )
    expect((await tryManage('GET', `${path}/posts?limit=1&status=draft&search=&language=`)).status).toBe(200)
    const head = await call('/manage/v1/sites?page=2', { method: 'HEAD', key: operatorToken })
    expect(head.status).toBe(400)
  })

  it.each([
    ['PUT', '/posts/a', 'event=none'],
    ['PUT', '/posts', 'evnts=none'],
    ['PUT', '/posts/a/publication', 'event=none'],
    ['DELETE', '/posts/a/publication', 'event=none'],
    ['DELETE', '/posts/a', 'event=none'],
    ['PUT', '/posts/a/slug', 'events=none'],
    ['PUT', '/posts/a/readiness', 'events=none'],
    ['POST', '/schema-bundles/rebuilds', 'events=none'],
  ])('is refused by %s %s before it sends an event', async (method, below, query) => {
    const site = await makeSite()
    await site.put('a')
    const before = await site.manage('GET', '/posts/a')
    const body = { title: 'Other', contentHtml: '', slug: 'b' }
    const given =
      below === '/posts'
        ? { posts: [body] }
        : below.endsWith('/slug')
          ? { slug: 'b' }
          : { ...body, slug: 'a' }
    const answer = await site.tryManage(
      method,
      `${below}?${query}`,
      below.endsWith('tion') || method === 'DELETE' ? undefined : given,
    )
    expect(answer).toMatchObject({ status: 400 })
    expect(answer.body?.error).toContain(query.split('=')[0])
    expect(await site.manage('GET', '/posts/a')).toEqual(before)
  })

  it('hides neither a wrong token nor a missing resource, and is ignored by the API', async () => {
    const site = await makeSite()
    expect((await call('/manage/v1/sites?page=2', { key: 'wrong' })).status).toBe(401)
    expect((await tryManage('GET', `${site.path}/posts/none?page=2`)).status).toBe(404)
    expect((await site.get('/posts?colour=red')).status).toBe(200)
  })
})
