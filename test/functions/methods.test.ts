import { describe, expect } from 'vitest'
import { putGuide } from '../support/content.ts'
import { call, errorOf, it, makeSite } from '../support/site.ts'

const READS = '/posts /posts/a /guides /guides/a /sitemap.xml /redirects /training/export'.split(' ')

describe('404', () => {
  it('in JSON for every unknown path', async ({ site }) => {
    const below = ['', '/', '/post', '/posts/', '/posts/a/b', '/Posts', '/sitemap', '/training', '/guide']
    const paths = ['/api', '/api/v2/sites', '/favicon.ico', '/manage', '/api/v1', '/api/v1/sites', '//api/v1']
    for (const path of [...paths, ...below.map((each) => `/api/v1${site.path}${each}`), '/%00', '/%FF']) {
      const response = await call(path, { key: site.key })
      expect(response.headers.get('Content-Type'), path).toMatch(/^application\/json(;|$)/)
      expect(await errorOf(response, 404), path).toBe('Not found')
    }
  })
})

describe('405', () => {
  // The methods of operations are in openapi.test.ts.
  it.each(['PURGE', 'DELETE'])('is the answer to %s of the description', async (method) => {
    const response = await call('/api/v1/openapi.json', { method })
    expect(response.headers.get('Allow')).toBe('GET, HEAD')
    expect(await errorOf(response, 405)).toBe('Method not allowed')
  })
})

describe('HEAD', () => {
  it('has the headers of GET, and no body', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await site.put('a', { status: 'published' })
    await putGuide(site, 'a')
    for (const below of [...READS, '/posts/missing', '/posts?page=0', '/unknown']) {
      const get = await site.get(below)
      const head = await site.get(below, { method: 'HEAD' })
      expect([head.status, await head.text()], below).toEqual([get.status, ''])
      for (const name of ['Content-Type', 'ETag', 'Cache-Control', 'Vary', 'X-RateLimit-Limit'])
        expect(head.headers.get(name), `${below} ${name}`).toBe(get.headers.get(name))
      await get.body?.cancel()
    }
  })
})
