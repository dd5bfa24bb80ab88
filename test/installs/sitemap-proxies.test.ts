import { readFileSync } from 'node:fs'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nginxPath, startNginx } from '../support/nginx.ts'
import { type Service, startService } from '../support/service.ts'

const page = readFileSync('docs/guide/sitemap.md', 'utf8')
const COMPATIBILITY_DATE = /compatibility_date = "([^"]+)"/.exec(readFileSync('wrangler.toml', 'utf8'))![1]!

type Ask = (pathAndQuery: string, method?: string) => Promise<Pick<Response, 'status' | 'headers' | 'text'>>

let service: Service
let proxiedUrl: string
/** The sitemap with a key. */
let xml: string

beforeAll(async () => {
  service = await startService()
  const site = await service.makeSite({ domain: 'blog.example.com' })
  await service.manage('PUT', `${site.path}/posts/a`, { title: 'A', contentHtml: 'x', status: 'published' })
  ;({ proxiedUrl } = await service.manage<{ proxiedUrl: string }>('PUT', `${site.path}/sitemap`))
  const headers = { Authorization: `Bearer ${site.key}` }
  xml = await (await fetch(`${service.origin}/api/v1${site.path}/sitemap.xml`, { headers })).text()
})

afterAll(() => service?.stop())

/** A block of the guide, with the URL of this service. */
function block(begin: string): string {
  const code = page
    .slice(page.indexOf(begin))
    .split('```')[0]!
    .replace(/^```\w+\n/, '')
  expect(code).toContain('https://YOUR-WORKER/sitemaps/ID/proxied.xml')
  return code.replaceAll('https://YOUR-WORKER/sitemaps/ID', proxiedUrl.replace(/\/proxied\.xml$/, ''))
}

async function expectSitemap(ask: Ask) {
  const response = await ask('/sitemap.xml')
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Type')).toBe('application/xml; charset=utf-8')
  expect(response.headers.get('Cache-Control')).toContain('public, max-age=300')
  expect(await response.text()).toBe(xml)
  expect(xml).toContain('https://blog.example.com/blog/a')
  expect(await (await ask('/sitemap.xml?page=1')).text()).toBe(xml)
  expect((await ask('/sitemap.xml?page=2')).status).toBe(404)
  const head = await ask('/sitemap.xml', 'HEAD')
  expect([head.status, await head.text()]).toEqual([200, ''])
}

describe("the guide's proxies show the sitemap on the site's own domain, and forward the query", () => {
  it('as a Worker', async () => {
    const modules = { 'sitemap.js': { type: 'esm' as const, contents: block('// sitemap.js') } }
    const worker = new Miniflare({
      cf: false,
      enableDevRegistry: false,
      workers: [
        {
          config: {
            name: 'sitemap',
            compatibilityDate: COMPATIBILITY_DATE,
            manifest: { mainModule: 'sitemap.js', modules },
          },
        },
      ],
    })
    try {
      await expectSitemap(
        (path, method = 'GET') =>
          worker.dispatchFetch(`https://blog.example.com${path}`, { method }) as unknown as ReturnType<Ask>,
      )
      const first = await worker.dispatchFetch('https://blog.example.com/sitemap.xml')
      const headers = { 'If-None-Match': first.headers.get('ETag')! }
      const again = await worker.dispatchFetch('https://blog.example.com/sitemap.xml', { headers })
      expect(again.status).toBe(304)
    } finally {
      await worker.dispose()
    }
  })

  it.skipIf(!nginxPath)('as nginx (skipped where none is installed)', async () => {
    const nginx = await startNginx(block('location = /sitemap.xml'))
    try {
      await expectSitemap((path, method = 'GET') => fetch(nginx.origin + path, { method }))
    } finally {
      await nginx.stop()
    }
  })
})
