import { describe, expect, it } from 'vitest'
import { putGuide } from '../support/content.ts'
import { call, errorOf, makeSite } from '../support/site.ts'

const READS = ['/posts', '/posts/a', '/guides', '/guides/a', '/sitemap.xml', '/redirects', '/training/export']
const ALLOWED: Record<string, string> = {
  ...Object.fromEntries(READS.map((below) => [`/sites/x${below}`, 'GET, HEAD'])),
  '/webhooks/test': 'POST',
  '/openapi.json': 'GET, HEAD',
}
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PURGE']

describe('405', () => {
  it.each(Object.entries(ALLOWED))('of %s allows %s', async (path, allow) => {
    for (const method of METHODS.filter((each) => !allow.split(', ').includes(each))) {
      const response = await call(`/api/v1${path}`, { method })
      expect(response.headers.get('Allow'), method).toBe(allow)
      expect(response.status, method).toBe(405)
      if (method !== 'HEAD') expect(await response.json()).toEqual({ error: 'Method not allowed' })
    }
  })
})

describe('404', () => {
  it('in JSON for every unknown path', async () => {
    const site = await makeSite()
    const below = ['', '/', '/post', '/posts/', '/posts/a/b', '/Posts', '/sitemap', '/training', '/guide']
    const paths = ['/api', '/api/v2/sites', '/favicon.ico', '/manage', '/api/v1', '/api/v1/sites', '//api/v1']
    for (const path of [...paths, ...below.map((each) => `/api/v1${site.path}${each}`), '/%00', '/%FF']) {
      const response = await call(path, { key: site.key })
      expect(response.headers.get('Content-Type'), path).toMatch(/^application\/json(;|$)/)
      expect(await errorOf(response, 404), path).toBe('Not found')
    }
  })
})

describe('HEAD', () => {
  it('is answered like GET, without a body', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await site.put('a', { status: 'published' })
    await putGuide(site, 'a')
    for (const below of [...READS, '/posts/missing', '/posts?page=0', '/unknown']) {
      const get = await site.get(below)
      const head = await site.get(below, { method: 'HEAD' })
      expect(head.status, below).toBe(get.status)
      expect(await head.text(), below).toBe('')
      for (const name of ['Content-Type', 'ETag', 'Cache-Control', 'Vary', 'X-RateLimit-Limit']) {
        expect(head.headers.get(name), `${below} ${name}`).toBe(get.headers.get(name))
      }
      await get.body?.cancel()
    }
    const head = await site.get('/posts', { method: 'HEAD', key: null })
    expect(head.status).toBe(401)
    expect(head.headers.get('WWW-Authenticate')).toBe('Bearer')
  })
})
