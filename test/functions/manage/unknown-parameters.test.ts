import { describe, expect } from 'vitest'
import { call, it, makeSite, operatorToken, tryManage } from '../../support/site.ts'

const refusal = (...names: string[]) => ({
  status: 400,
  body: {
    error: `Invalid query parameter: ${names.map((name) => `${name} is not a known parameter`).join('; ')}`,
  },
})

describe('an unknown query parameter', () => {
  it('is refused by name on every list', async () => {
    const { path } = await makeSite()
    const lists = '/posts /guides /redirects /training-rows /events /deliveries /keys /changes /audit-log'
    for (const below of ['', ...lists.split(' ')]) {
      expect(await tryManage('GET', `${path}${below}?page=2`), below).toMatchObject(refusal('page'))
      expect((await tryManage('GET', path + below)).status, below).toBe(200)
    }
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

  it('is refused before a write sends an event', async ({ site }) => {
    await site.put('a')
    const before = await site.manage('GET', '/posts/a')
    const body = { title: 'Other', contentHtml: '', slug: 'a' }
    for (const [method, below, given] of [
      ['PUT', '/posts/a', body],
      ['PUT', '/posts', { posts: [body] }],
      ['PUT', '/posts/a/publication'],
      ['DELETE', '/posts/a/publication'],
      ['DELETE', '/posts/a'],
      ['PUT', '/posts/a/slug', { slug: 'b' }],
      ['PUT', '/posts/a/readiness'],
      ['POST', '/schema-bundles/rebuilds'],
    ] as [string, string, object?][]) {
      const answer = await site.tryManage(method, `${below}?evnts=none`, given)
      expect([answer.status, answer.body?.error], below).toEqual([400, expect.stringContaining('evnts')])
    }
    expect(await site.manage('GET', '/posts/a')).toEqual(before)
  })

  it('hides neither a wrong token nor a missing resource, and is ignored by the API', async ({ site }) => {
    expect((await call('/manage/v1/sites?page=2', { key: 'wrong' })).status).toBe(401)
    expect((await tryManage('GET', `${site.path}/posts/none?page=2`)).status).toBe(404)
    expect((await site.get('/posts?colour=red')).status).toBe(200)
  })
})
