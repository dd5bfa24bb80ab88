import { describe, expect } from 'vitest'
import { call, it, makeSite, manage, operatorToken, type Page, tryManage } from '../../support/site.ts'

describe('sites', () => {
  it('are created with defaults, changed field by field, and listed newest first', async () => {
    const site = await manage('POST', '/sites', { name: ' Blog ', domain: 'Blog.Example.COM' })
    expect(site).toMatchObject({
      ...{ name: 'Blog', domain: 'blog.example.com', defaultLanguage: 'en', postPath: '/blog/{slug}' },
      ...{ guidePath: '/guides/{slug}', plan: 'free', dailyQuota: null, trainingOptIn: false },
      ...{ feedContent: 'excerpt', previewUrl: null },
    })
    const changes = { plan: 'scale', dailyQuota: 5, trainingOptIn: true }
    expect(await manage('PATCH', `/sites/${site.id}`, changes)).toEqual({ ...site, ...changes })
    await makeSite()
    const page = await manage('GET', '/sites?limit=1')
    expect(page.items).toHaveLength(1)
    const second = await manage('GET', `/sites?limit=500&cursor=${page.next}`)
    expect(second.items).not.toContainEqual(page.items[0])
  })

  it('refuse an invalid domain, path, plan or cursor, with a message', async () => {
    const refuse = async (fields: object) =>
      (await tryManage('POST', '/sites', { name: 'A', domain: 'a.example.com', ...fields })).body?.error
    expect(await refuse({ domain: 'https://a.example.com' })).toMatch(/domain must look like example\.com/)
    expect(await refuse({ postPath: '//{slug}' })).toMatch(/postPath must be a path/)
    expect(await refuse({ postPath: '/blog' })).toMatch(
      /postPath must be a path that begins with one "\/" and has {slug} in it once/,
    )
    expect(await refuse({ plan: 'gold' })).toBe('Invalid body: plan must be free, starter, growth or scale')
    expect(await refuse({ dailyQuota: 0 })).toBe('Invalid body: dailyQuota must be at least 1')
    expect((await tryManage('GET', '/sites?cursor=x')).body?.error).toMatch(
      /^Invalid query parameter: cursor must/,
    )
  })

  it('are 404 when they do not exist, or the id is malformed', async () => {
    for (const id of ['nonsense', crypto.randomUUID()]) {
      for (const path of [`/sites/${id}`, `/sites/${id}/keys`, `/sites/${id}/events`]) {
        expect(await tryManage('GET', path)).toEqual({ status: 404, body: { error: 'Site not found' } })
      }
    }
  })
})

describe('bodies', () => {
  it('above 8 MiB are 413, even without Content-Length, and just below it are stored and served', async () => {
    const site = await makeSite()
    const contentHtml = `<p>${'"ü\n'.repeat(1_000_000)}</p>`
    await site.put('large', { contentHtml })
    const { items } = await site.json<Page>('/posts')
    expect(items[0]!.contentHtml === contentHtml).toBe(true)
    const body = JSON.stringify({ title: 'a', contentHtml: 'x'.repeat(8 * 1024 * 1024) })
    expect(await site.tryManage('PUT', '/posts/a', body)).toEqual({
      status: 413,
      body: { error: 'Request body too large' },
    })
  })

  it('that are not JSON, of another type or too deep are 400', async () => {
    const put = async (body: string, type = 'application/json') => {
      const response = await call('/manage/v1/sites', {
        method: 'POST',
        body,
        key: operatorToken,
        headers: { 'Content-Type': type },
      })
      expect(response.status).toBe(400)
      return (await response.json<{ error: string }>()).error
    }
    expect(await put('{"name":')).toMatch(/^Invalid body: must be JSON/)
    expect(await put('{}', 'text/plain')).toBe('Invalid body: Content-Type must be application/json')
    expect(await put('')).toMatch(/^Invalid body: /)
    expect(await put('[]')).toMatch(/^Invalid body: must be an object/)
    expect(await put(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).toMatch(
      /must not be nested deeper than 64/,
    )
  })
})
