/** The blog of docs/examples/next, built and started as in its README, with the service behind it. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateSecret } from '../../src/webhooks/secret.ts'
import { depthOf } from '../support/depth.ts'
import { hasOwnTools } from '../support/examples.ts'
import { malformedForms, signed } from '../support/forged-events.ts'
import { openStage, pageOf, type Stage } from './next-example/stage.ts'

const BUILD_TIMEOUT_MS = 600_000

const reason =
  depthOf('nextExample') === 0
    ? 'only in test:deep'
    : hasOwnTools('next')
      ? null
      : 'without `npm ci` in docs/examples/next'

describe.skipIf(reason !== null)(`a blog in Next.js${reason ? ` (skipped: ${reason})` : ''}`, () => {
  let on: Stage
  beforeAll(async () => {
    on = await openStage()
  }, BUILD_TIMEOUT_MS)
  afterAll(() => on?.close())

  const put: Stage['put'] = (...args) => on.put(...args)
  const get: Stage['get'] = (...args) => on.get(...args)
  const until: Stage['until'] = (...args) => on.until(...args)
  const postPath = (slug: string) => `${on.site.path}/posts/${encodeURIComponent(slug)}`

  it('shows posts published before the build, and sends the key to no browser', async () => {
    expect((await get('/')).text).toContain('Before the build')
    expect((await get(pageOf('before'))).text).toContain('<p>Words.</p>')
    const files = globSync('.next/static/**/*.*', { cwd: on.example.dir })
    expect(files.length).toBeGreaterThan(3)
    const texts = [
      ...files.map((file) => readFileSync(join(on.example.dir, file), 'utf8')),
      (await get('/')).text,
      (await get(pageOf('before'))).text,
    ]
    for (const hidden of [on.key, on.secret])
      expect(texts.filter((text) => text.includes(hidden))).toEqual([])
  })

  it('shows a post published later on its page, which was 404 before, and in the list', async () => {
    expect((await get(pageOf('new'))).status).toBe(404)
    await put('new', { title: 'New one' })
    await until(pageOf('new'), ({ status, text }) => status === 200 && text.includes('New one'))
    await until('/', ({ text }) => text.includes('New one'))
  })

  it('shows an edit, and sends no requests to the API while nothing changes', async () => {
    await put('edited', {})
    await on.waitForWebhook('post.published', 'edited')
    await until(pageOf('edited'), ({ status }) => status === 200)
    await until('/', ({ text }) => text.includes('edited'))
    on.proxy.take()
    for (let visit = 0; visit < 5; visit += 1) {
      expect((await get('/')).status).toBe(200)
      expect((await get(pageOf('edited'))).text).toContain('Words.')
    }
    expect(on.proxy.take()).toEqual([])
    await put('edited', { contentHtml: '<p>Other words.</p>' })
    await until(pageOf('edited'), ({ text }) => text.includes('Other words.'))
    expect(on.proxy.take().filter(({ url }) => url.includes('/before'))).toEqual([])
  })

  it('shows a renamed post only at its new URL', async () => {
    await put('über-uns', { title: 'About us' })
    await until(pageOf('über-uns'), ({ text }) => text.includes('About us'))
    await on.service.manage('PUT', `${postPath('über-uns')}/slug`, {
      slug: 'about-us',
    })
    await until(pageOf('über-uns'), ({ status }) => status === 404)
    await until(pageOf('about-us'), ({ text }) => text.includes('About us'))
    await until('/', ({ text }) => text.includes('/blog/about-us') && !text.includes('ber-uns'))
  })

  it('has neither page nor entry for an unpublished or deleted post', async () => {
    for (const slug of ['unpublished', 'deleted']) {
      await put(slug, {})
      await until(pageOf(slug), ({ status }) => status === 200)
      await until('/', ({ text }) => text.includes(`/blog/${slug}`))
    }
    await on.service.manage('DELETE', `${postPath('unpublished')}/publication`)
    await on.service.manage('DELETE', postPath('deleted'))
    for (const slug of ['unpublished', 'deleted']) {
      await until(pageOf(slug), ({ status }) => status === 404)
      await until('/', ({ text }) => !text.includes(`/blog/${slug}`))
    }
  })

  it('ignores forged and old webhooks', async () => {
    await put('aim', { title: 'Old title' })
    const { headers, body } = await on.waitForWebhook('post.published', 'aim')
    expect(body).toContain('"aim"')
    await until(pageOf('aim'), ({ text }) => text.includes('Old title'))
    // Only an accepted webhook refreshes the page.
    await put('aim', { title: 'New title' }, '?events=none')
    on.proxy.take()

    const now = String(Math.floor(Date.now() / 1_000))
    const { 'webhook-signature': _, ...unsigned } = headers
    const answers = [
      await on.post({}, body),
      await on.post(unsigned, body),
      await on.post(headers, `${body} `),
      await on.post({ ...headers, 'webhook-id': crypto.randomUUID() }, body),
      await on.post(signed(generateSecret(), 'an-id', now, body), body),
      await on.post(signed(on.secret, 'an-id', String(Number(now) - 600), body), body),
    ]
    for (const [id, timestamp] of malformedForms(now))
      answers.push(await on.post(signed(on.secret, id, timestamp, body), body))
    expect(new Set(answers)).toEqual(new Set([401]))
    expect((await fetch(on.webhook)).status).toBe(405)
    expect((await get(pageOf('aim'))).text).toContain('Old title')
    expect(on.proxy.take()).toEqual([])

    expect(await on.post(signed(on.secret, 'an-id', now, body), body)).toBe(204)
    expect((await get(pageOf('aim'))).text).toContain('New title')
  })

  it('answers a test of the webhook', async () => {
    const headers = { Authorization: `Bearer ${on.site.key}` }
    const response = await fetch(`${on.service.origin}/api/v1/webhooks/test`, { method: 'POST', headers })
    expect(await response.json()).toMatchObject({ ok: true, status: 204 })
  })

  it('shows a draft to people who have opened its link, and to nobody else', async () => {
    await put('draft', { title: 'Not yet', status: 'draft' })
    expect((await get(pageOf('draft'))).status).toBe(404)
    const { cookies, status, location } = await on.open(await on.makeLink('draft'))
    expect([status, location]).toEqual([307, '/blog/draft'])
    expect(cookies.attributesOf('preview')).toEqual(
      expect.arrayContaining(['path=/blog/draft', 'httponly', 'secure', 'samesite=lax']),
    )
    const shown = await get('/blog/draft', cookies)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('Not yet')
    expect(shown.text).toContain('This is a preview.')
    expect(shown.text).toContain('<meta name="robots" content="noindex"/>')
    expect(shown.headers.get('X-Robots-Tag')).toBe('noindex')
    expect(shown.headers.get('Referrer-Policy')).toBe('no-referrer')
    expect(shown.headers.get('Cache-Control')).toContain('no-store')
    const { text } = await get('/blog/draft', cookies)
    expect(text).not.toContain('hca_preview_')
    expect((await get('/blog/draft')).status).toBe(404)
    expect((await get('/')).text).not.toContain('Not yet')
    await put('draft', { title: 'Almost', status: 'draft' })
    expect((await get('/blog/draft', cookies)).text).toContain('Almost')
  })

  it('keeps the public page unchanged, for everybody else and afterwards', async () => {
    await put('public', { title: 'Public title' })
    await on.waitForWebhook('post.published', 'public')
    await until(pageOf('public'), ({ text }) => text.includes('Public title'))
    const { cookies } = await on.open(await on.makeLink('public'))
    await put('public', { title: 'Changed quietly' }, '?events=none')
    const shown = await get('/blog/public', cookies)
    expect(shown.text).toContain('Changed quietly')
    const elsewhere = await get(pageOf('before'), cookies)
    expect([elsewhere.status, elsewhere.headers.get('X-Robots-Tag')]).toEqual([200, null])
    expect(elsewhere.text).not.toContain('This is a preview.')
    const others = await get('/blog/public')
    expect(others.text).toContain('Public title')
    expect(others.text).not.toContain('This is a preview.')
    expect(others.headers.get('X-Robots-Tag')).toBeNull()

    const left = await fetch(`${on.origin}/api/preview/leave`, {
      method: 'POST',
      body: new URLSearchParams({ slug: 'public' }),
      headers: { Cookie: cookies.sentTo('/api/preview/leave') },
      redirect: 'manual',
    })
    expect([left.status, left.headers.get('Location')]).toEqual([303, '/'])
    cookies.take(left)
    expect(cookies.sentTo('/blog/public')).toBe('')
    expect((await get('/blog/public', cookies)).text).toContain('Public title')
  })

  it('does not show a draft whose link was revoked, or start a preview with such a link or a guess', async () => {
    await put('secret', { title: 'Secret title', status: 'draft' })
    const link = await on.makeLink('secret')
    const { cookies, preview } = await on.open(link)
    expect((await get('/blog/secret', cookies)).text).toContain('Secret title')
    await on.service.manage('PUT', `${postPath('secret')}/preview-links/${link.id}/revocation`)
    expect((await get('/blog/secret', cookies)).status).toBe(404)
    const guessed = new URL(preview)
    guessed.searchParams.set('token', `hca_preview_${'a'.repeat(43)}`)
    const ofAnother = new URL((await on.open(await on.makeLink('before'))).preview)
    ofAnother.searchParams.set('id', new URL(preview).searchParams.get('id')!)
    const ownKey = new URL(preview)
    ownKey.searchParams.set('token', on.key)
    for (const url of [preview, guessed, ofAnother, ownKey, `${on.origin}/api/preview`]) {
      const answer = await fetch(url, { redirect: 'manual' })
      expect([answer.status, answer.headers.getSetCookie()], `${url}`).toEqual([404, []])
    }
  })
})
