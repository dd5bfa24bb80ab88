import { describe, expect, it } from 'vitest'
import { call } from '../support/site.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'none'; img-src data:; " +
  "form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
const CACHED = 'private, max-age=300'

/** Paths without `.md`, as /llms.txt lists them. */
async function pages(): Promise<string[]> {
  const text = await (await call('/llms.txt')).text()
  return [...text.matchAll(/\((\/docs\/[a-z-]+)\.md\)/g)].map(([, path]) => path!)
}

/** Resources and links of a page, except links to other hosts. */
function targetsOf(html: string) {
  const tags = [...html.matchAll(/<(\w+)[^>]*? (?:src|href)="([^"]+)"/g)]
  const loaded = tags
    .filter(([tag, , url]) => /^<(script|link rel="stylesheet"|img)/.test(tag) && !url!.startsWith('data:'))
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
  it('is HTML with security headers, cached for five minutes, without inline scripts or styles, and with links that work', async () => {
    const paths = await pages()
    const loaded = new Set<string>()
    const statuses = new Map<string, number>()
    for (const [at, path] of paths.entries()) {
      const response = await call(path)
      expect({ path, status: response.status, ...Object.fromEntries(response.headers) }).toMatchObject({
        path,
        status: 200,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': CACHED,
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        link: `<${path}.md>; rel="alternate"; type="text/markdown"`,
        etag: expect.stringMatching(/^(W\/)?"[^"]+"$/),
      })
      const text = await response.text()
      expect(text, path).not.toMatch(/<style|<script(?! src="\/docs\/)| style=| on[a-z]+=/)
      const targets = targetsOf(text)
      for (const url of targets.loaded) loaded.add(url)
      for (const url of targets.linked.filter((each) => each.startsWith('/'))) {
        if (!statuses.has(url)) statuses.set(url, (await call(url)).status)
        expect(statuses.get(url), `${path} → ${url}`).toBe(200)
      }
      expect(targets.linked.filter((each) => !/^(\/|#|https:\/\/)/.test(each))).toEqual([])
      for (const [rel, other] of Object.entries({ prev: paths[at - 1], next: paths[at + 1] }))
        if (other) expect(text, path).toContain(`<link rel="${rel}" href="${other}">`)
    }
    expect(loaded.size).toBe(5)
    for (const url of loaded) {
      expect(url).toMatch(/^\/docs\//)
      const { status, headers } = await call(url)
      expect([url, status, headers.get('Cache-Control')]).toEqual([url, 200, CACHED])
      expect(headers.get('Content-Type')).toMatch(/^text\/(css|javascript); charset=utf-8$/)
    }
  })

  it('is available as Markdown too', async () => {
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

  it('answers 304 to a client that has it, and HEAD without a body', async () => {
    for (const path of ['/docs/errors', '/llms.txt', '/docs/docs.css', '/docs/errors.md']) {
      const first = await call(path)
      const etag = first.headers.get('ETag')!
      const again = await call(path, { headers: { 'If-None-Match': etag } })
      expect([again.status, await again.text(), again.headers.get('ETag')], path).toEqual([304, '', etag])
      expect(again.headers.get('Cache-Control')).toBe(CACHED)
      const head = await call(path, { method: 'HEAD' })
      expect([head.status, await head.text(), head.headers.get('ETag')]).toEqual([200, '', etag])
      expect(head.headers.get('Content-Type')).toBe(first.headers.get('Content-Type'))
    }
  })
})

describe('the reference', () => {
  it.each([
    ['/docs/reference', '/api/v1/openapi.json', '/api/v1'],
    ['/docs/reference-management', '/manage/v1/openapi.json', '/manage/v1'],
  ])(
    '%s has each operation, parameter, response and schema of %s, with an anchor',
    async (page, path, root) => {
      const [text, markdown] = await Promise.all(
        [page, `${page}.md`].map(async (each) => (await call(each)).text()) as [
          Promise<string>,
          Promise<string>,
        ],
      )
      const document = (await (await call(path)).json()) as Document
      const sent = Object.values(document.webhooks ?? {})
      const called = Object.entries(document.paths).flatMap(([below, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ below, method, ...operation })),
      )
      expect(called.length).toBeGreaterThan(8)
      for (const { below, method, operationId, parameters = [], responses } of called) {
        const section = sectionOf(text, operationId)
        expect(section).toContain(`>${method.toUpperCase()}</span> <code>${root}${below}</code>`)
        for (const { name } of parameters) expect(section, operationId).toContain(`<code>${name}</code>`)
        for (const status of Object.keys(responses))
          expect(section, operationId).toContain(`>${status}</strong>`)
        expect(section).toMatch(/aria-label="curl"><code>curl -s/)
        expect(markdown).toContain(`\n## ${method.toUpperCase()} ${root}${below}\n`)
      }
      for (const { post } of sent) expect(sectionOf(text, post.operationId)).toContain('Payload')
      for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
        const section = sectionOf(text, name)
        for (const property of Object.keys(properties)) expect(section).toContain(`<code>${property}</code>`)
      }
      const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
      expect(ids.filter((id, at) => ids.indexOf(id) < at)).toEqual([])
      const fragments = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id!)
      expect(fragments.filter((id) => !ids.includes(id))).toEqual([])
    },
  )

  type Operation = {
    operationId: string
    parameters?: { name: string }[]
    responses: Record<string, unknown>
  }
  type Document = {
    paths: Record<string, Record<string, Operation>>
    webhooks?: Record<string, { post: Operation }>
    components: { schemas: Record<string, { properties?: object }> }
  }

  function sectionOf(text: string, id: string): string {
    const [, section] =
      new RegExp(`<article class="operation" id="${id}">([\\s\\S]*?)</article>`).exec(text) ?? []
    expect(section, id).toBeDefined()
    return section!
  }
})

describe('/docs', () => {
  it.each(['/docs', '/docs/'])('%s leads to the first page', async (path) => {
    const { status, headers } = await call(path)
    expect([status, headers.get('Location')]).toEqual([302, '/docs/quick-start'])
  })

  it('has a 404 page of its own', async () => {
    const missing =
      'nowhere nowhere.md nowhere.css _missing _missing.html errors.html errors/ ..%2fconsole%2fconsole.css a/b/c'
    for (const path of missing.split(' ')) {
      const response = await call(`/docs/${path}`)
      const { headers } = response
      const sent = [response.status, headers.get('Cache-Control'), headers.get('Link')]
      expect(sent, path).toEqual([404, 'no-store', null])
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
