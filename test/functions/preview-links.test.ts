import { describe, expect, vi } from 'vitest'
import { counterKeys } from '../../src/access/counters.ts'
import { generateKey } from '../../src/access/keys.ts'
import { generateToken } from '../../src/crypto/token.ts'
import { callsOf } from '../support/calls.ts'
import { stopAtMinute } from '../support/clock.ts'
import { signIn, unsigned, visit, wordsOf } from '../support/console.ts'
import { putGuide, rateOf } from '../support/content.ts'
import { patientRedis, testContext } from '../support/context.ts'
import { operationsOf, pathOf, readDocument, wholeOf } from '../support/openapi.ts'
import { call, errorOf, it, makeSite, manage, ORIGIN, operatorToken, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'
import { callIn } from '../support/world.ts'

type Link = { id: string; lastFour: string; createdAt: string; expiresAt: string; revokedAt: string | null }

const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
const LINKS = '/posts/draft/preview-links'

/** A site with a draft and a preview link. */
async function siteWithLink(fields: Record<string, unknown> = {}) {
  const site = await makeSite(fields)
  const { id: postId } = await site.put('draft', { title: 'Not yet', contentHtml: '<p>Soon.</p>' })
  const link = await site.manage('POST', LINKS, {})
  const { token } = link
  const path = `/drafts/${token}`
  /** The post as the API returns it for the token, by default from another isolate each time. */
  const read = (below = '/posts/draft', headers: Record<string, string> = {}) =>
    callIn({}, `/api/v1${site.path}${below}`, { key: token, headers })
  return { site, postId, link, token, path, read }
}

const revoke = (site: TestSite, { id }: Link) => site.manage('PUT', `${LINKS}/${id}/revocation`)

it('a shared draft has the image of the post, resolved against its URL', async ({ expect }) => {
  const { site, path } = await siteWithLink()
  await site.put('draft', { contentHtml: '<p>Soon.</p>', image: { url: '/rose.png', alt: 'A rose' } })
  expect(await (await call(path)).text()).toMatch(
    /<main><img class="picture" src="https:\/\/site\.example\.com\/rose\.png" alt="A rose"/,
  )
})

describe('HEAD of a preview link', () => {
  it('has the headers of the page, reads no post, and uses none of the preview quota', async () => {
    const { path } = await siteWithLink({ dailyQuota: 10 })
    const head = () => call(path, { method: 'HEAD' })
    const first = await call(path)
    await first.text()
    const names = ['Content-Type', 'Content-Security-Policy', 'Referrer-Policy', 'X-Robots-Tag']
    const headersOf = (response: Response) => names.map((name) => response.headers.get(name))
    const response = await head()
    expect([response.status, headersOf(response)]).toEqual([200, headersOf(first)])
    const { remaining } = rateOf(await call(path))
    expect(remaining).toBe(rateOf(first).remaining! - 1)
  })

  it('redirects to the site’s front end without a query to Postgres', async () => {
    const { path, token, postId } = await siteWithLink({ previewUrl: 'https://front.example/preview' })
    const get = await call(path)
    const location = `https://front.example/preview?token=${token}&id=${postId}`
    expect(get.headers.get('Location')).toBe(`${location}&slug=draft`)
    const heads: Response[] = []
    const calls = await callsOf(async () => {
      heads.push(await call(path, { method: 'HEAD' }))
      return heads[0]!
    })
    expect(calls).toMatchObject({ status: 302, postgres: 0 })
    expect(heads[0]!.headers.get('Location')).toBe(location)
  })
})

describe('a preview link', () => {
  it('lasts seven days by default, or as long as requested, up to 30 days', async () => {
    const { site, link } = await siteWithLink()
    expect(Math.abs(Date.parse(link.expiresAt) - Date.now() - 7 * DAY_MS)).toBeLessThan(60_000)
    expect(link.url).toBe(`${ORIGIN}/drafts/${link.token}`)
    const expiresAt = inDays(29.9)
    expect(await site.manage('POST', LINKS, { expiresAt })).toMatchObject({ expiresAt, revokedAt: null })
    for (const wrong of [inDays(30.1), inDays(-1)]) {
      expect(await site.tryManage('POST', LINKS, { expiresAt: wrong })).toMatchObject({
        status: 400,
        body: { error: 'Invalid body: expiresAt must be within the next 30 days' },
      })
    }
  })

  it('is listed without its token, newest first, and can be revoked once', async () => {
    const { site, link } = await siteWithLink()
    const { token: _, url: __, ...shown } = link
    const { token: ___, url: ____, ...second } = await site.manage('POST', LINKS, {})
    expect(await site.manage('GET', LINKS)).toEqual({ items: [second, shown], next: null })
    const revoked = await revoke(site, link)
    expect(revoked).toEqual({ ...shown, revokedAt: expect.stringMatching(/^20.*Z$/) })
    expect(await revoke(site, link)).toEqual(revoked)
    expect(await site.manage('GET', LINKS)).toEqual({ items: [second, revoked], next: null })
  })

  it('belongs to one post: no other post lists or revokes it', async () => {
    const { site, link, read } = await siteWithLink()
    await site.put('other')
    expect(await site.manage('GET', '/posts/other/preview-links')).toEqual({ items: [], next: null })
    const missing = { status: 404, body: { error: 'Preview link not found' } }
    for (const id of [link.id, 'x', crypto.randomUUID()])
      expect(await site.tryManage('PUT', `/posts/other/preview-links/${id}/revocation`)).toEqual(missing)
    expect((await read()).status).toBe(200)
    const asked = [
      await site.tryManage('POST', '/posts/none/preview-links', {}),
      await site.tryManage('GET', '/posts/none/preview-links'),
      await site.tryManage('PUT', `/posts/none/preview-links/${link.id}/revocation`),
    ]
    expect(asked).toEqual(Array(3).fill({ status: 404, body: { error: 'Post not found' } }))
  })

  it('is stored only as a hash, and the log has who created and revoked it', async () => {
    const { site, postId, link } = await siteWithLink()
    await revoke(site, link)
    const [stored] = await runSql('select row_to_json(l)::text as row from preview_links l where id = $1', [
      link.id,
    ])
    expect(String(stored!.row)).not.toContain(link.token)
    const { items } = await site.manage('GET', '/audit-log?action=preview_link')
    const by = {
      actor: 'OPERATOR_TOKEN',
      channel: 'management',
      resourceId: link.id,
      subject: `…${link.lastFour}`,
    }
    expect(items).toMatchObject([
      { ...by, action: 'preview_link.revoked', after: { revokedAt: expect.any(String) } },
      { ...by, action: 'preview_link.created', after: { postId, lastFour: link.lastFour } },
    ])
    expect(JSON.stringify(items)).not.toMatch(/hash/i)
  })
})

describe('the token of a preview link', () => {
  it('reads its post, by slug or by id, like a key', async () => {
    const { site, postId, read, token } = await siteWithLink()
    const wanted = await site.json('/posts/draft?include=metadata')
    for (const below of ['/posts/draft?include=metadata', `/posts/${postId}?include=metadata`]) {
      const response = await read(below)
      expect(await response.json()).toEqual(wanted)
      expect(response.headers.get('Cache-Control')).toBe('private, no-cache')
    }
    expect(await (await read('/posts/draft?fields=title')).json()).toMatchObject({ title: 'Not yet' })
    const etag = (await read()).headers.get('ETag')!
    expect((await read('/posts/draft', { 'If-None-Match': etag })).status).toBe(304)
    const head = await site.get('/posts/draft', { key: token, method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    await site.put('draft', { title: 'Edited' })
    const after = await read('/posts/draft', { 'If-None-Match': etag })
    expect(await after.json()).toMatchObject({ title: 'Edited' })
    expect(await errorOf(await read('/posts/draft?fields=none'), 400)).toContain('fields')
  })

  it('reads the post after it is renamed or published', async () => {
    const { site, postId, read } = await siteWithLink()
    await site.manage('PUT', '/posts/draft/slug', { slug: 'renamed' })
    // Another post has the slug now.
    await site.put('draft', { title: 'Another' })
    for (const below of ['/posts/renamed', `/posts/${postId}`])
      expect(await (await read(below)).json()).toMatchObject({ id: postId, slug: 'renamed' })
    expect(await errorOf(await read('/posts/draft'), 404)).toBe('Post not found')
    await site.manage('PUT', '/posts/renamed/publication')
    expect(await (await read(`/posts/${postId}`)).json()).toMatchObject({ status: 'published' })
  })

  it('reads no other post, published or not, and reveals nothing about it', async () => {
    const { site, read } = await siteWithLink()
    const other = await site.put('other', { status: 'published' })
    await site.put('secret')
    const missing = await wholeOf(await read('/posts/none'))
    expect(missing).toMatchObject({ status: 404, body: '{"error":"Post not found"}' })
    for (const slug of ['other', 'secret', other.id, '%00', "'"]) {
      const { status, body } = await wholeOf(await read(`/posts/${slug}`))
      expect({ status, body }, slug).toEqual({ status: 404, body: missing.body })
    }
  })

  it('is a wrong key everywhere else, without a query', async () => {
    const { site, token } = await siteWithLink({ trainingOptIn: true })
    await site.put('draft', { title: 'Not yet' })
    await putGuide(site, 'draft')
    const other = await makeSite()
    for (const operation of operationsOf(await readDocument('/api/v1'))) {
      const path = `/api/v1${pathOf(operation, site.id)}`
      const ask = (key: string) => call(path, { method: operation.method, key })
      if (operation.operationId === 'getPost') continue
      const { headers: _, ...wrong } = await wholeOf(await ask(generateKey()))
      const { headers, ...answer } = await wholeOf(await ask(token))
      expect(answer, operation.operationId).toEqual(wrong)
      expect(answer.status).toBe(401)
      expect(await callsOf(() => ask(token))).toEqual({ status: 401, postgres: 0, redis: 0 })
    }
    expect((await site.get(`/sitemap.xml?token=${token}`, { key: null })).status).toBe(401)
    expect((await site.get(`/posts/draft?token=${token}`, { key: null })).status).toBe(401)
    expect((await other.get('/posts/draft', { key: token })).status).toBe(401)
    expect((await call('/manage/v1/sites', { key: token })).status).toBe(401)
  })

  it('stops working at once when it is revoked, in every isolate and for clients with a cached answer', async () => {
    const { site, link, path, read } = await siteWithLink()
    const etag = (await read()).headers.get('ETag')!
    const here = () => site.get('/posts/draft', { key: link.token })
    expect([(await here()).status, (await call(path)).status]).toEqual([200, 200])
    await revoke(site, link)
    const headers = { 'If-None-Match': etag }
    for (const ask of [here, read, () => read('/posts/draft', headers)])
      expect(await errorOf(await ask(), 401)).toBe('Missing or invalid API key')
    expect((await call(path)).status).toBe(404)
    expect((await visit(path)).status).toBe(404)
  })

  it.each<[string, (site: TestSite, link: Link) => Promise<unknown>]>([
    ['its post is deleted', (site) => site.manage('DELETE', '/posts/draft')],
    ['its site is deleted', (site) => site.manage('DELETE', '?confirm=Test')],
    [
      'SQL ends it, from the next write on',
      async (site, { id }) => {
        await runSql("update preview_links set expires_at = now() - interval '1 s' where id = $1", [id])
        await site.put('any')
      },
    ],
    [
      'SQL deletes it, from the next write on',
      async (site, { id }) => {
        await runSql('delete from preview_links where id = $1', [id])
        await site.put('any')
      },
    ],
  ])('stops working when %s', async (_, end) => {
    const { site, link, path, read } = await siteWithLink()
    expect([(await read()).status, (await call(path)).status]).toEqual([200, 200])
    await end(site, link)
    expect((await read()).status).toBe(401)
    expect((await site.get('/posts/draft', { key: link.token })).status).toBe(401)
    expect((await call(path)).status).toBe(404)
    const left = await runSql('select id from preview_links where id = $1 and expires_at > now()', [link.id])
    expect(left).toEqual([])
  })

  it('uses a quota of its own, a tenth of the site’s, and none of the keys’', async () => {
    stopAtMinute()
    const { site, path, token } = await siteWithLink({ dailyQuota: 2_000 })
    const before = rateOf(await site.get('/posts')).remaining!
    const read = () => site.get('/posts/draft', { key: token })
    expect(rateOf(await read())).toMatchObject({ limit: 200, remaining: 199 })
    expect((await call(path)).status).toBe(200)
    const answer = await read()
    expect(rateOf(answer)).toMatchObject({ remaining: 197 })
    const headers = { 'If-None-Match': answer.headers.get('ETag')! }
    expect(rateOf(await site.get('/posts/draft', { key: token, headers }))).toMatchObject({ remaining: 197 })
    expect(rateOf(await site.get('/posts?page=2')).remaining).toBe(before - 1)
    await site.manage('PATCH', '', { dailyQuota: 1 })
    await patientRedis().incrby(counterKeys(testContext(), site, new Date())[2]!, 97)
    expect(await errorOf(await read(), 429)).toBe('Daily request quota exceeded')
    const page = await call(path)
    expect([page.status, page.headers.get('Content-Type')]).toEqual([429, 'text/html; charset=UTF-8'])
    await page.text()
  })
})

describe('the page of a preview link', () => {
  const PRIVATE = {
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  }
  const policyOf = ({ headers }: Response | { headers: Headers }) =>
    headers.get('Content-Security-Policy')!.split('; ')

  it('shows the draft without a sign-in, and nothing of the console', async () => {
    const { site, path } = await siteWithLink()
    await site.put('draft', {
      title: '<i>Not</i> yet & "soon"',
      contentHtml: '<p onclick="x()">Soon.</p><script>alert(1)</script><img src="boat.png">',
      language: 'pt-BR',
      authors: [{ name: 'Ada' }],
    })
    const page = await visit(path)
    expect(page.status).toBe(200)
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
    expect(page.text).toContain('<html lang="pt-BR">')
    expect(page.text).toContain('<base href="https://site.example.com/pt-BR/blog/draft"')
    expect(page.text).toContain('<h1>&lt;i&gt;Not&lt;/i&gt; yet &amp; &quot;soon&quot;</h1>')
    expect(page.text).toContain('Draft · site.example.com')
    expect(page.text).toContain('<p>Ada · 1 min read</p>')
    expect(page.text).toContain('<img src="boat.png">')
    expect(page.text).not.toContain('/console/sites')
    expect(page.headers.getSetCookie()).toEqual([])
  })

  it('runs no scripts, is not cached, and sends no referrer, whatever the answer', async () => {
    const { path, token } = await siteWithLink()
    const mistyped = `/drafts/${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`
    const wanted: [string, string, number][] = [
      ['GET', path, 200],
      ['HEAD', path, 200],
      ['GET', mistyped, 404],
      ['GET', `/drafts/${generateToken('hca_preview_')}`, 404],
      ['GET', `${path}/more`, 404],
      ['GET', '/drafts', 404],
      ['GET', '/drafts/%ff', 404],
      ['GET', `/drafts/${generateKey()}`, 404],
      ['GET', `/drafts/${operatorToken}`, 404],
      ['POST', path, 405],
    ]
    for (const [method, each, status] of wanted) {
      const response = await call(each, { method })
      expect(response.status, `${method} ${each}`).toBe(status)
      expect(Object.fromEntries(response.headers), each).toMatchObject(
        Object.fromEntries(Object.entries(PRIVATE).map(([name, value]) => [name.toLowerCase(), value])),
      )
      expect(policyOf(response), each).toEqual([
        'sandbox',
        "default-src 'none'",
        "style-src 'self'",
        'img-src https: data:',
        status === 200 ? 'base-uri https://site.example.com/' : "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ])
      expect(response.headers.get('ETag')).toBeNull()
      const text = await response.text()
      if (method === 'HEAD') expect(text).toBe('')
      if (status === 404) expect(text).toContain('This link does not work')
    }
    expect(await callsOf(() => call('/drafts/hca_preview_x'))).toEqual({ status: 404, postgres: 0, redis: 0 })
  })

  it('is not in the log', async () => {
    const { site, path, token, read } = await siteWithLink()
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
    await call(path)
    await read()
    expect(lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request')).toMatchObject([
      { route: '/drafts/:token', siteId: site.id, status: 200 },
      { siteId: site.id, status: 200 },
    ])
    expect(lines.join()).not.toContain(token.slice(-38))
  })

  it('redirects to the site’s front end, with the token and no key', async () => {
    const { site, postId, path, token } = await siteWithLink({
      previewUrl: 'https://blog.example.com/api/draft?x=1&token=0',
    })
    const to = async () => {
      const response = await call(path)
      expect(response.status).toBe(302)
      expect(response.headers.get('Referrer-Policy')).toBe('no-referrer')
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      return response.headers.get('Location')
    }
    const query = `x=1&token=${token}&id=${postId}&slug=draft`
    expect(await to()).toBe(`https://blog.example.com/api/draft?${query}`)
    await site.manage('PATCH', '', { previewUrl: 'http://localhost:3000/' })
    expect(await to()).toBe(`http://localhost:3000/?token=${token}&id=${postId}&slug=draft`)
    const { items } = await manage('GET', `${site.path}/audit-log?action=site.updated`)
    expect(items).toMatchObject([{ before: { previewUrl: 'https://blog.example.com/api/draft' } }])
    await site.manage('PATCH', '', { previewUrl: null })
    expect((await call(path)).status).toBe(200)
    await site.manage('PUT', `${LINKS}/${(await site.manage('GET', LINKS)).items[0]!.id}/revocation`)
    await site.manage('PATCH', '', { previewUrl: 'https://blog.example.com/' })
    expect((await call(path)).status).toBe(404)
  })

  it('redirects only to the parsed URL of a page that may be called', async ({ site }) => {
    const wrong =
      'blog.example.com http://blog.example.com/ https://ada:x@blog.example.com/ https://blog.example.com/#draft ' +
      `javascript:alert(1) http://localhost.example.com/ https://blog.example.com/${'x'.repeat(2_048)}`
    for (const previewUrl of wrong.split(' ')) {
      const { status, body } = await site.tryManage('PATCH', '', { previewUrl })
      expect(status, previewUrl).toBe(400)
      expect(body!.error).toMatch(/^Invalid body: previewUrl must be /)
    }
    const previewUrl = 'https://f.example/\r\nSet-Cookie: a=b'
    expect(await site.manage('PATCH', '', { previewUrl })).toMatchObject({
      previewUrl: 'https://f.example/Set-Cookie:%20a=b',
    })
  })
})

describe('the console', () => {
  it('creates a link, shows it once, lists and revokes it', async () => {
    const { site, link, token } = await siteWithLink()
    const cookie = await signIn()
    const page = `/console/sites/${site.id}/content/posts/draft`
    const id = /name="id" value="([0-9a-f-]{36})"/.exec((await visit(page, { cookie })).text)![1]!
    const created = await visit(`${page}/preview-links`, { cookie, form: { id } })
    expect(created.status).toBe(201)
    expect(wordsOf(created)).toContain('Copy the link now. You will not see it again.')
    const url = /<code>(https[^<]+)<\/code>/.exec(created.text)![1]!
    expect(url).toMatch(new RegExp(`^${ORIGIN}/drafts/hca_preview_`))
    expect((await visit(url.replace(ORIGIN, ''))).status).toBe(200)

    const again = await visit(`${page}/preview-links`, { cookie, form: { id } })
    expect(unsigned(again.location)).toBe(`${page}?done=linked`)
    const listed = await visit(again.location!, { cookie })
    expect(wordsOf(listed)).toContain('This link was already created.')
    expect(listed.text.match(/>\s*Revoke</g)).toHaveLength(2)
    expect(listed.text).not.toContain(token.slice(-38))
    expect(listed.text).not.toContain(url)

    const revoked = await visit(`${page}/preview-links/${id}/revocation`, { cookie, form: {} })
    const after = await visit(revoked.location!, { cookie })
    expect(wordsOf(after)).toContain('Link revoked. It no longer works.')
    expect((await visit(url.replace(ORIGIN, ''))).status).toBe(404)
    expect((await visit(`/drafts/${link.token}`)).status).toBe(200)
    await site.manage('PUT', '/posts/draft/publication')
    const published = await visit(page, { cookie })
    expect([published.text.includes('name="id"'), published.text.includes('id="preview-links"')]).toEqual([
      false,
      true,
    ])
    expect(wordsOf(await visit(`/console/sites/${site.id}/audit-log`, { cookie }))).toContain(
      'revoked a preview link to “ Not yet ”',
    )
  })
})
