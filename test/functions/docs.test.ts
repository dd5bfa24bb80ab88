import { describe, expect, it } from 'vitest'
import { call } from '../support/site.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'none'; img-src data:; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
const REFERENCE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
const FOR_EVER = 'public, max-age=31536000, immutable'

/** Paths without `.md`, as /llms.txt lists them. */
async function pages(): Promise<string[]> {
  const text = await (await call('/llms.txt')).text()
  return [...text.matchAll(/\((\/docs\/[a-z-]+)\.md\)/g)].map(([, path]) => path!)
}

/** What a page loads or links to, without the hosts of others that a reader may follow. */
function targetsOf(html: string) {
  const tags = [...html.matchAll(/<(\w+)[^>]*? (?:src|href)="([^"]+)"/g)]
  const loaded = tags
    .filter(([tag]) => /^<(script|link rel="stylesheet"|img)/.test(tag))
    .map(([, , url]) => url!)
  const linked = tags.filter(([, name]) => name === 'a').map(([, , url]) => url!)
  return { loaded, linked }
}

describe('/llms.txt', () => {
  it('has a title, a summary, and a line for each page and each OpenAPI document', async () => {
    const response = await call('/llms.txt')
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    expect(text).toMatch(/^# .+\n\n> .+\n\n## /)
    const lines = text.split('\n').filter((line) => line.startsWith('- '))
    expect(lines.length).toBeGreaterThan(11)
    for (const line of lines) {
      const path = /^- \[.+\]\((\/[^)]+)\): .+$/.exec(line)?.[1]
      expect(path, line).toBeDefined()
      expect((await call(path!)).status, line).toBe(200)
    }
  })
})

describe('each page of /docs', () => {
  it('is HTML, with what no other host has, and is kept for five minutes', async () => {
    for (const path of await pages()) {
      const { status, headers } = await call(path)
      expect({ path, status, ...Object.fromEntries(headers) }).toMatchObject({
        path,
        status: 200,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, max-age=300',
        'content-security-policy': path === '/docs/reference' ? REFERENCE_POLICY : POLICY,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        link: `<${path}.md>; rel="alternate"; type="text/markdown"`,
        etag: expect.stringMatching(/^(W\/)?"[^"]+"$/),
      })
    }
  })

  it('has no script or style in it, and each file that it loads is there', async () => {
    const all = new Set<string>()
    for (const path of await pages()) {
      const text = await (await call(path)).text()
      expect(text, path).not.toMatch(/<style|<script(?! src="\/docs\/)| style=| on[a-z]+=/)
      for (const url of targetsOf(text).loaded) all.add(url)
    }
    expect(all.size).toBeGreaterThan(4)
    for (const url of all) {
      expect(url).toMatch(/^\/docs\//)
      const response = await call(url)
      expect([url, response.status, response.headers.get('Cache-Control')]).toEqual([
        url,
        200,
        url.includes('scalar') ? FOR_EVER : 'private, max-age=300',
      ])
      expect(response.headers.get('Content-Type')).toMatch(/^text\/(css|javascript); charset=utf-8$/)
    }
  })

  it('links to the pages before and after it, and to nothing that is missing', async () => {
    const paths = await pages()
    for (const [at, path] of paths.entries()) {
      const text = await (await call(path)).text()
      const { linked } = targetsOf(text)
      for (const url of linked.filter((each) => each.startsWith('/'))) {
        expect((await call(url)).status, `${path} → ${url}`).toBe(200)
      }
      expect(
        linked.filter((each) => !/^(\/|#|https:\/\/)/.test(each)),
        path,
      ).toEqual([])
      for (const [rel, other] of [
        ['prev', paths[at - 1]],
        ['next', paths[at + 1]],
      ]) {
        if (other) expect(text, path).toContain(`<link rel="${rel}" href="${other}">`)
      }
    }
  })

  it('is there as Markdown too', async () => {
    for (const path of await pages()) {
      const response = await call(`${path}.md`)
      expect([path, response.status]).toEqual([path, 200])
      expect(response.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
      expect(response.headers.get('Link')).toBe(`<${path}>; rel="canonical"`)
      const text = await response.text()
      expect(text).toMatch(/^# /)
      for (const [, url] of text.matchAll(/\]\((?!https:)([^)#]+)/g)) {
        const target = new URL(url!, `https://any.example${path}.md`)
        expect((await call(target.pathname)).status, `${path}.md → ${url}`).toBe(200)
      }
    }
  })

  it('is 304 to a client that has it, and has no body for HEAD', async () => {
    for (const path of [...(await pages()), '/llms.txt', '/docs/docs.css', '/docs/errors.md']) {
      const first = await call(path)
      const etag = first.headers.get('ETag')!
      const again = await call(path, { headers: { 'If-None-Match': etag } })
      expect([path, again.status, await again.text(), again.headers.get('ETag')]).toEqual([
        path,
        304,
        '',
        etag,
      ])
      expect(again.headers.get('Cache-Control')).toBe('private, max-age=300')
      const head = await call(path, { method: 'HEAD' })
      expect([head.status, await head.text(), head.headers.get('ETag')]).toEqual([200, '', etag])
      expect(head.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'))
    }
  })
})

describe('/docs', () => {
  it.each(['/docs', '/docs/'])('%s leads to the first page', async (path) => {
    const { status, headers } = await call(path)
    expect([status, headers.get('Location')]).toEqual([302, '/docs/quick-start'])
  })

  it('has a page of its own for what is not there', async () => {
    const missing = [
      '/docs/nowhere',
      '/docs/nowhere.md',
      '/docs/nowhere.css',
      '/docs/_missing',
      '/docs/_missing.html',
      '/docs/errors.html',
      '/docs/errors/',
      '/docs/console.html',
      '/docs/..%2fconsole%2fconsole.css',
      '/docs/a/b/c',
    ]
    for (const path of missing) {
      const response = await call(path)
      const { headers } = response
      expect([path, response.status, headers.get('Cache-Control'), headers.get('Link')]).toEqual([
        path,
        404,
        'no-store',
        null,
      ])
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(await response.text()).toContain('<h1>Page not found</h1>')
    }
  })

  it('refuses other methods', async () => {
    for (const path of ['/docs/errors', '/docs/errors.md', '/llms.txt']) {
      const response = await call(path, { method: 'POST' })
      expect([path, response.status, response.headers.get('Allow')]).toEqual([path, 405, 'GET, HEAD'])
    }
  })
})
