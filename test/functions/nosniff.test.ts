import { describe, expect, it } from 'vitest'
import { signIn, visit } from '../support/console.ts'
import { post, rpc } from '../support/mcp.ts'
import { call, makeSite, operatorToken } from '../support/site.ts'

const SNIFF = 'X-Content-Type-Options'

describe('nosniff', () => {
  it('is in every kind of answer of every API and page', async () => {
    const site = await makeSite()
    await site.put('a', { status: 'published' })
    const { url } = await site.manage('PUT', '/sitemap')
    const sitemap = new URL(url).pathname
    const { url: draft } = await site.manage('POST', '/posts/a/preview-links', {})
    const etag = (await site.get('/posts/a')).headers.get('ETag')!
    const cookie = await signIn()
    const manage = (path: string, method = 'GET', body?: unknown) =>
      call(`/manage/v1${path}`, { method, body, key: operatorToken })
    const answers: Promise<{ status: number; headers: Headers }>[] = [
      call('/'),
      call('/nowhere'),
      call('/llms.txt'),
      ...['/', '/sync', '/docs.css', '/none'].map((path) => call(`/docs${path}`)),
      site.get('/posts'),
      site.get('/posts/a', { method: 'HEAD' }),
      site.get('/posts/a', { headers: { 'If-None-Match': etag } }),
      site.get('/posts/none'),
      site.get('/posts?limit=x'),
      site.get('/posts', { key: 'wrong' }),
      site.get('/posts', { method: 'DELETE' }),
      site.get('/sitemap.xml'),
      call('/api/v1/posts', { method: 'OPTIONS' }),
      call('/api/v1/openapi.json'),
      manage('/openapi.json'),
      manage('/sites'),
      manage('/sites', 'POST', {}),
      manage('/sites', 'POST', '{'),
      manage(`/sites/${site.id}/posts/none`, 'DELETE'),
      manage('/sites', 'PUT'),
      call('/manage/v1/sites'),
      post({ key: site.key, body: rpc('ping') }),
      post({ key: site.key, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
      post({ key: site.key, headers: { Accept: 'text/event-stream' }, body: rpc('ping') }),
      post({ body: rpc('ping') }),
      post({ method: 'GET' }),
      ...[sitemap, `${sitemap}?x=1`, '/sitemaps/none/sitemap.xml', '/sitemaps'].map((path) => call(path)),
      ...[new URL(draft).pathname, '/drafts/none', '/drafts'].map((path) => call(path)),
      ...['/console', '/console/overview', '/console/assets/none', '/console/console.css'].map((path) =>
        visit(path, { cookie }),
      ),
      visit('/console/sites', { form: { name: 'x' } }),
      visit('/console/sign-in'),
    ]
    for (const { status, headers } of await Promise.all(answers))
      expect([status, headers.get(SNIFF)]).toEqual([status, 'nosniff'])
  })
})
