import { describe, expect, it } from 'vitest'
import {
  chooseIn,
  cookieOf,
  decode,
  errorBeside,
  filledIn,
  signIn,
  trySignIn,
  unsigned,
  visit,
  wordsOf,
} from '../../support/console.ts'
import { FULL_POST, putGuide } from '../../support/content.ts'
import { formOn, openForm, send } from '../../support/edit-form.ts'
import { makeSite, manage, operatorToken, type TestSite } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'
import { setWebhook, switchOn } from '../../support/webhook.ts'
import { BROKEN_DATABASE } from '../../support/world.ts'

type Json = Record<string, unknown>

const pathOf = (site: TestSite, below: string) => `/console/sites/${site.id}/content/${below}`
const stored = <const Below extends string>(site: TestSite, below: Below) => site.manage('GET', `/${below}`)

async function open(site: TestSite, below = 'posts/one') {
  const cookie = await signIn()
  const path = pathOf(site, `${below}/edit`)
  return { cookie, path, ...(await openForm(path, cookie)) }
}

async function withPost(fields: Json = {}): Promise<TestSite> {
  const site = await makeSite()
  if (fields.sourceSlug) await site.put(String(fields.sourceSlug))
  await site.put('one', { title: 'A title', contentHtml: '<p>Some words.</p>', ...fields })
  return site
}

const XSS = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&lt;`

describe('a title', () => {
  it.each(['posts', 'guides'] as const)('of %s is edited in three clicks from the list', async (kind) => {
    const site = await withPost({ status: 'published' })
    await putGuide(site, 'one', { title: 'A title' })
    const cookie = await signIn()
    const list = await visit(pathOf(site, kind === 'posts' ? '' : 'guides').replace(/\/$/, ''), { cookie })
    const article = await visit(decode(/href="([^"]+\/one)"/.exec(list.text)![1]!), { cookie })
    const edit = decode(/href="([^"]+)">Edit</.exec(article.text)![1]!)
    const { page, save } = await openForm(edit, cookie)
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('is published. Your changes go live when you save')
    const saved = await save({ title: 'Another title' })
    expect([saved.status, unsigned(saved.location)]).toEqual([
      303,
      `${pathOf(site, `${kind}/one`)}?done=edited`,
    ])
    expect(wordsOf(await visit(saved.location!, { cookie }))).toMatch(/Another title.* Saved\./)
    expect(await site.json(`/${kind}/one`)).toMatchObject({ title: 'Another title' })
  })
})

describe('saving', () => {
  it('without a change writes nothing, whatever the texts are', async () => {
    const contentHtml =
      '\n\n<pre>\r\n\tone\r\ntwo\n</pre>\u0001 \u00a0\u2028 \ufeff&amp;<textarea></textarea>é'
    const site = await withPost({
      ...FULL_POST,
      slug: 'one',
      title: ' A\n"title" ',
      contentHtml,
      excerpt: ' two\r\nlines ',
    })
    const before = await stored(site, 'posts/one')
    const { save, fields } = await open(site)
    expect(fields.contentHtml).toContain('\tone\r\ntwo')
    const saved = await save()
    expect(unsigned(saved.location)).toBe(`${pathOf(site, 'posts/one')}?done=unedited`)
    expect(await stored(site, 'posts/one')).toEqual(before)
  })

  it('writes the changed fields, and keeps everything else byte for byte', async () => {
    const site = await withPost({
      ...FULL_POST,
      slug: 'one',
      modifiedAt: '2020-01-01T00:00:00Z',
      contentHtml: '<p>a</p>\r\n<p>b</p>',
    })
    const before = await stored(site, 'posts/one')
    const { save } = await open(site)
    await save({ tags: 'one\r\n two \r\n\r\n' })
    const after = await stored(site, 'posts/one')
    expect(after.post).toEqual({ ...before.post, tags: ['one', 'two'] })
    expect(after.updatedAt > before.updatedAt).toBe(true)
    const again = await open(site)
    await again.save({ contentHtml: '<p>a</p>\r\n<p>c</p>' })
    // A text with CR LF keeps its line endings.
    expect((await stored(site, 'posts/one')).post.contentHtml).toBe('<p>a</p>\r\n<p>c</p>')
  })

  it('writes each field, and clears it', async () => {
    const site = await withPost({ trustScore: 90, image: { url: '/a.png', width: 3, height: 4 } })
    const { save, path, cookie } = await open(site)
    const given = {
      title: 'T',
      excerpt: 'E',
      contentHtml: '<p>C</p>',
      slug: 'two',
      language: 'de',
      qualityBand: 'review',
      assuranceLabel: 'Checked',
      reviewStatus: 'approved',
      authors: 'Ada Lovelace <https://ada.example>\r\nBob',
      'image.url': '/b.png',
      'image.alt': 'A boat',
      categories: 'News',
      tags: 'x\r\ny, z',
      canonicalUrl: 'https://else.example/',
      'seo.metaDescription': 'D',
      'seo.ogTitle': 'OT',
      'seo.ogDescription': 'OD',
      'seo.keywords': 'k1\r\nk2',
    }
    const saved = await save(given)
    expect(saved.status).toBe(303)
    expect((await stored(site, 'posts/two')).post).toMatchObject({
      title: 'T',
      excerpt: 'E',
      language: 'de',
      qualityBand: 'review',
      trustScore: null,
      assuranceLabel: 'Checked',
      reviewStatus: 'approved',
      authors: [
        { name: 'Ada Lovelace', url: 'https://ada.example' },
        { name: 'Bob', url: null },
      ],
      image: { url: '/b.png', alt: 'A boat', width: null, height: null },
      categories: ['News'],
      tags: ['x', 'y, z'],
      canonicalUrl: 'https://else.example/',
      seo: { metaDescription: 'D', ogTitle: 'OT', ogDescription: 'OD', keywords: ['k1', 'k2'] },
    })
    const next = await openForm(path.replace('/one/', '/two/'), cookie)
    for (const [name, value] of Object.entries(given))
      expect([name, next.fields[name]]).toEqual([name, value])
    const kept = { title: 'T', contentHtml: '<p>C</p>', slug: 'two' }
    const cleared = Object.fromEntries(Object.keys(given).map((name) => [name, '']))
    await next.save({ ...cleared, ...kept })
    expect((await stored(site, 'posts/two')).post).toMatchObject({
      excerpt: 'C',
      language: null,
      qualityBand: null,
      assuranceLabel: null,
      reviewStatus: null,
      authors: [],
      image: null,
      tags: [],
      canonicalUrl: null,
      seo: { metaDescription: 'C' },
    })
  })

  it('derives the fields again that depend on the edited ones, and no others', async () => {
    const site = await withPost({ tags: ['a'] })
    await site.put('two', {
      contentHtml: '<p>Some words.</p>',
      excerpt: 'Given',
      seo: { keywords: ['k'] },
      tags: ['a'],
    })
    const edit = { contentHtml: `<p>${'Other words. '.repeat(300)}</p>`, tags: 'b' }
    for (const slug of ['one', 'two']) await (await open(site, `posts/${slug}`)).save(edit)
    const [one, two] = [await site.json<Json>('/posts/one'), await site.json<Json>('/posts/two')]
    expect(one).toMatchObject({ readingTimeMinutes: 3, seo: { keywords: ['b'] } })
    expect(one.excerpt).toMatch(/^Other words\..*…$/)
    expect(two).toMatchObject({ excerpt: 'Given', seo: { keywords: ['k'], metaDescription: 'Given' } })
  })

  it('ends readiness, as the page warns, except for a new slug', async () => {
    const site = await withPost({ trustScore: 90 })
    await site.manage('PUT', '/posts/one/readiness')
    const first = await open(site)
    expect(wordsOf(first.page)).toContain('This draft is marked ready. If you save changes')
    await first.save({ slug: 'two' })
    expect((await stored(site, 'posts/two')).readyAt).not.toBeNull()
    await (await open(site, 'posts/two')).save({ title: 'Edited' })
    expect((await stored(site, 'posts/two')).readyAt).toBeNull()
  })

  it('ignores values for unknown fields', async () => {
    const site = await withPost()
    const { save } = await open(site)
    const opened = '{"title":"A title","constructor":"x","__proto__":{}}'
    expect((await save({ title: 'New', constructor: 'y', opened })).status).toBe(303)
    expect(await stored(site, 'posts/one')).toMatchObject({ post: { title: 'New' } })
  })

  it('twice, also at once, writes once', async () => {
    const site = await withPost()
    const { save } = await open(site)
    const answers = await Promise.all([save({ title: 'New' }), save({ title: 'New' })])
    answers.push(await save({ title: 'New' }))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    const entries = await runSql(`select 1 from audit_log where site_id = $1 and action = 'post.updated'`, [
      site.id,
    ])
    expect(entries).toHaveLength(1)
  })

  it('takes four calls to the database, and its page takes three', async () => {
    const site = await withPost()
    const { save, path, cookie } = await open(site)
    expect(await callsOf(() => visit(path, { cookie }))).toBe(3)
    expect(await callsOf(() => save({ title: 'New', slug: 'two' }))).toBe(4)
  })

  it('would cancel a scheduled publication, as the page warns', async () => {
    const site = await withPost({ qualityBand: 'premium' })
    await runSql(`update posts set publish_at = '2099-01-01T00:00:00Z' where site_id = $1`, [site.id])
    const { page } = await open(site)
    expect(wordsOf(page)).toContain(
      'It is scheduled for 1 Jan 2099, 00:00 UTC . Saving changes cancels the schedule.',
    )
  })
})

describe('a new slug', () => {
  it('is saved together with the other changes or not at all, and the old one redirects to it', async () => {
    const site = await withPost({ status: 'published' })
    await site.put('taken')
    const { save, cookie } = await open(site)
    const refused = await save({ slug: 'taken', title: 'Typed' })
    expect(refused.status).toBe(409)
    expect(errorBeside('slug', refused)).toBe('Slug is already used by another post.')
    expect([filledIn('slug', refused), filledIn('title', refused)]).toEqual(['taken', 'Typed'])
    expect(await site.json('/posts/one')).toMatchObject({ title: 'A title' })
    const saved = await send(pathOf(site, 'posts/one/edit'), cookie, { ...formOn(refused), slug: 'zwei-ü' })
    expect(unsigned(saved.location)).toBe(
      `${pathOf(site, `posts/${encodeURIComponent('zwei-ü')}`)}?done=edited`,
    )
    expect(await site.json(`/posts/${encodeURIComponent('zwei-ü')}`)).toMatchObject({ title: 'Typed' })
    expect(await site.json('/redirects')).toMatchObject({ items: [{ oldSlug: 'one', slug: 'zwei-ü' }] })
  })
})

it('with other changes sends one event with the final state', async () => {
  const site = await withPost({ status: 'published' })
  await setWebhook(site, 'ok')
  await switchOn(site, ['post.updated'])
  await (await open(site)).save({ slug: 'two', title: 'New' })
  await (await open(site, 'posts/two')).save({ excerpt: 'Edited' })
  const rows = await runSql('select payload from webhook_events where site_id = $1 order by created_at', [
    site.id,
  ])
  expect(rows.map(({ payload }) => JSON.parse(payload))).toMatchObject([
    { event: 'post.updated', slug: 'two', title: 'New' },
    { event: 'post.updated', slug: 'two' },
  ])
})

describe('two people who edit at the same time', () => {
  it('both keep their changes to different fields, in the console and in the API', async () => {
    const site = await withPost()
    const [first, second] = [await open(site), await open(site)]
    const { post } = await stored(site, 'posts/one')
    await site.manage('PUT', '/posts/one', { ...post, assuranceLabel: 'By the API' })
    const answers = await Promise.all([
      first.save({ title: 'First' }),
      second.save({ 'seo.ogTitle': 'Second' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(await site.json('/posts/one')).toMatchObject({
      title: 'First',
      assuranceLabel: 'By the API',
      seo: { ogTitle: 'Second' },
    })
  })

  it('see both values of a field that both changed, and choose one', async () => {
    const site = await withPost({ contentHtml: '<p>old</p>\n<p>text</p>' })
    const { save, cookie } = await open(site)
    const theirs = `<p>theirs</p>\n${XSS}`
    await site.put('one', { title: 'Theirs', contentHtml: theirs, qualityBand: 'premium' })
    const mine = {
      title: `Mine ${XSS}`,
      contentHtml: '<p>mine</p>\r\n<p>text</p>',
      qualityBand: 'review',
      tags: 'kept',
    }
    const conflict = await save(mine)
    expect(conflict.status).toBe(409)
    expect(conflict.text).not.toMatch(/<script>|<img/)
    expect(wordsOf(conflict)).toMatch(
      /Title Saved version Theirs Your version Mine.*Content Saved version <p>theirs/,
    )
    expect(wordsOf(conflict)).toContain('Quality band Saved version Premium Your version Review')
    expect(await site.json('/posts/one')).toMatchObject({ title: 'Theirs' })
    const { action, fields } = chooseIn(conflict, { title: 1, contentHtml: 0, qualityBand: 1 })
    expect((await send(action, cookie, fields)).status).toBe(303)
    expect((await stored(site, 'posts/one')).post).toMatchObject({
      title: mine.title,
      contentHtml: theirs,
      qualityBand: 'review',
      tags: ['kept'],
    })
  })

  it('lose no text when the post is deleted meanwhile', async () => {
    const site = await withPost()
    const { save } = await open(site)
    await site.manage('DELETE', '/posts/one')
    const answer = await save({ title: 'Typed', contentHtml: '<p>Typed too</p>' })
    expect(answer.status).toBe(404)
    expect(wordsOf(answer)).toContain('Someone deleted the post or changed its slug.')
    expect(formOn(answer)).toMatchObject({ title: 'Typed', contentHtml: '<p>Typed too</p>' })
    expect((await site.get('/posts/one')).status).toBe(404)
  })
})

describe('an edit is refused', () => {
  it.each<[name: string, value: string, words: unknown]>([
    ['title', ' ', 'Title is required.'],
    ['title', 'x'.repeat(501), 'Title must be at most 500 characters.'],
    ['contentHtml', 'a\u0000b', 'Content must not contain NUL.'],
    ['language', 'e_n', expect.stringMatching(/^Language must/)],
    ['slug', 'a b', expect.stringMatching(/^Slug must be 1 to 200/)],
    ['qualityBand', 'best', expect.stringMatching(/^Quality band must be premium/)],
    [
      'authors',
      'Ada\r\nBob <javascript:alert(1)>',
      expect.stringMatching(/^Authors in line 2 \(url\) must be an http/),
    ],
    ['image.url', 'data:text/html,x', expect.stringMatching(/^Image must be an http/)],
    ['image.alt', 'Of nothing', null],
    ['seo.keywords', `${'k\r\n'.repeat(501)}`, expect.stringMatching(/^Keywords must be at most 500/)],
  ])('for %s with an error at the field, and keeps the texts (%#)', async (name, value, words) => {
    const site = await withPost()
    const { save } = await open(site)
    const answer = await save({ [name]: value, excerpt: 'Typed' })
    expect(answer.status).toBe(400)
    if (words !== null) expect(errorBeside(name, answer)).toEqual(words)
    expect(formOn(answer)).toMatchObject({ excerpt: 'Typed' })
    expect(wordsOf(answer)).toContain('Nothing was saved.')
    expect((await stored(site, 'posts/one')).post.title).toBe('A title')
  })

  it('from another site, by a viewer, and for another site', async () => {
    const site = await withPost()
    const other = await makeSite()
    const { fields, path, cookie } = await open(site)
    expect((await send(path, cookie, fields, { Origin: 'https://evil.example' })).status).toBe(403)
    const { id } = await manage('POST', '/operators', {
      name: `v-${crypto.randomUUID()}`,
      role: 'viewer',
    })
    const { token } = await manage('POST', `/operators/${id}/tokens`, {})
    const viewer = cookieOf(await trySignIn(token))
    for (const form of [{ ...fields, title: 'Mine' }, fields])
      expect((await send(path, viewer, form)).status).toBe(403)
    expect((await visit(path, { cookie: viewer })).status).toBe(403)
    expect((await visit(pathOf(site, 'posts/one'), { cookie: viewer })).text).not.toContain('>Edit<')
    const preview = path.replace('/edit', '/preview')
    expect((await send(preview, viewer, { contentHtml: 'x' })).status).toBe(403)
    expect(
      (await send(preview, cookie, { contentHtml: 'x' }, { Origin: 'https://evil.example' })).status,
    ).toBe(403)
    for (const below of ['posts/one/edit', 'guides/one/edit']) {
      expect((await visit(pathOf(other, below), { cookie })).status).toBe(404)
      expect((await send(pathOf(other, below), cookie, { ...fields, title: 'Mine' })).status).toBe(404)
    }
    expect(await site.json('/posts/one')).toMatchObject({ title: 'A title' })
  })

  it('when it is too large', async () => {
    const site = await withPost()
    const { save, fields } = await open(site)
    expect((await save({ contentHtml: 'x'.repeat(9 * 1024 * 1024) })).status).toBe(413)
    const answer = await save({ contentHtml: '"'.repeat(5 * 1024 * 1024) })
    expect(answer.status).toBe(400)
    expect(errorBeside('contentHtml', answer)).toBe(
      'Content makes the article larger than 8 MiB, with its other fields.',
    )
    expect(fields.title).toBe('A title')
  })
})

describe('a form of 300 KiB', () => {
  const typed = '<p>Typed &amp; "kept"</p>\r\n'.repeat(12_000)

  it('is kept when the session has ended, and when Postgres is down', async () => {
    const site = await withPost()
    const { fields, path, cookie } = await open(site)
    const away = await visit(path, {
      cookie,
      method: 'POST',
      body: new URLSearchParams({ ...fields, contentHtml: typed }),
      headers: { Origin: 'https://api.test', 'Content-Type': 'application/x-www-form-urlencoded' },
      world: BROKEN_DATABASE,
    })
    expect(away.status).toBe(500)
    expect(hiddenIn(away).contentHtml).toBe(typed)
    await visit('/console/sign-out', { form: {}, cookie })
    const ended = await send(path, cookie, { ...fields, contentHtml: typed })
    expect(ended.status).toBe(401)
    const action = decode(/<form method="post" action="([^"]*sign-in[^"]*)"/.exec(ended.text)![1]!)
    const goOn = await send(action, cookie, { ...hiddenIn(ended), token: operatorToken })
    expect(hiddenIn(goOn).contentHtml).toBe(typed)
    const saved = await send(path, cookieOf(goOn), hiddenIn(goOn))
    expect(saved.status).toBe(303)
    expect((await stored(site, 'posts/one')).post.contentHtml).toBe(typed.replaceAll('\r\n', '\n'))
  })
})

/** The hidden fields of a page, as a browser sends them. */
function hiddenIn({ text }: { text: string }): Record<string, string> {
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const send = (value: string) => decode(value.replace(/\r\n?/g, '\n')).replace(/\r\n|\r|\n/g, '\r\n')
  return Object.fromEntries(inputs.map(([, name, value]) => [decode(name!), send(value!)]))
}

describe('the audit log', () => {
  it.each(['posts', 'guides'] as const)('records who edited which fields of one of the %s', async (kind) => {
    const site = await withPost({ status: 'published' })
    await putGuide(site, 'one')
    const { save, cookie } = await open(site, `${kind}/one`)
    await save({ title: 'New', contentHtml: '<p>New</p>', slug: 'two' })
    const { items } = await site.manage('GET', '/audit-log')
    const noun = kind === 'posts' ? 'post' : 'guide'
    expect(items.slice(0, 2)).toMatchObject([
      { action: `${noun}.renamed`, actor: 'OPERATOR_TOKEN', after: { slug: 'two' } },
      { action: `${noun}.updated`, actor: 'OPERATOR_TOKEN', after: { fields: 'title, contentHtml' } },
    ])
    expect(items[0]!.after).not.toHaveProperty('fields')
    await (await open(site, `${kind}/two`)).save({ excerpt: 'Edited' })
    const page = await visit(`/console/sites/${site.id}/audit-log`, { cookie })
    expect(wordsOf(page)).toContain('fields: excerpt')
    if (kind === 'posts')
      expect(wordsOf(await visit(pathOf(site, 'posts/two'), { cookie }))).toContain(
        'Updated: excerpt by OPERATOR_TOKEN',
      )
  })
})

describe('the form and the preview', () => {
  it('escape the text of every field', async () => {
    const site = await withPost({
      ...{
        title: XSS,
        excerpt: XSS,
        contentHtml: `</textarea>${XSS}`,
        assuranceLabel: XSS,
        tags: [XSS],
        categories: [XSS],
      },
      authors: [{ name: XSS, url: 'https://x.example/?"><script>' }],
      image: { url: '/x"><script>', alt: XSS },
      seo: { metaDescription: XSS, ogTitle: XSS, ogDescription: XSS, keywords: [XSS] },
    })
    const { page, fields, save } = await open(site)
    const inert = (answer: { text: string }) =>
      expect(
        answer.text.replaceAll(/<script src="\/console\/assets\/[^"]*" defer=""><\/script>/g, ''),
      ).not.toMatch(/<script|<img/)
    inert(page)
    expect(fields.title).toBe(XSS)
    expect(fields.contentHtml).toBe(`</textarea>${XSS}`)
    const refused = await save({ slug: XSS })
    expect(refused.status).toBe(400)
    inert(refused)
  })

  it('show the typed text, sandboxed, with errors in its HTML', async () => {
    const site = await withPost()
    const { path, cookie, page } = await open(site)
    expect(page.text).toMatch(
      /<button type="submit" class="button small" formaction="[^"]+\/posts\/one\/preview" formtarget="preview" formnovalidate="">/,
    )
    expect(page.text).toMatch(/<iframe name="preview" class="preview" src="[^"]+" title="[^"]+" sandbox="">/)
    const contentHtml = '<p>One\n<b>two</p>'
    const answer = await send(path.replace('/edit', '/preview'), cookie, {
      title: XSS,
      contentHtml,
      language: '"><x',
    })
    expect(answer.headers.get('Content-Security-Policy')).toMatch(
      /^sandbox; default-src 'none'; style-src 'self'/,
    )
    expect(answer.headers.get('X-Frame-Options')).toBe('SAMEORIGIN')
    expect(answer.text).toContain(contentHtml)
    expect(answer.text).toContain('<li>Line 2: &lt;b&gt; is not closed</li>')
    expect(answer.text).not.toMatch(/<script|<x/)
    const typed = await send(path, cookie, { ...formOn(page), contentHtml: '<i>x', title: '' })
    expect(wordsOf(typed)).toContain('Line 1: <i> is not closed')
    // A warning: the text is saved, and the next page shows the warning once.
    const saved = await send(path, cookie, { ...formOn(page), contentHtml: '<i>x' })
    expect(wordsOf(await visit(saved.location!, { cookie }))).toContain('Line 1: <i> is not closed')
  })
})

describe('the quality band', () => {
  it('can be set where the page of a draft says that it is missing', async () => {
    const site = await withPost()
    const cookie = await signIn()
    const page = await visit(pathOf(site, 'posts/one'), { cookie })
    expect(page.text).toContain(`<a href="${pathOf(site, 'posts/one/edit#qualityBand')}">Edit</a>`)
    await (await open(site)).save({ qualityBand: 'standard' })
    const ready = await visit(pathOf(site, 'posts/one/readiness'), { cookie, form: {} })
    expect(ready.status).toBe(303)
    expect((await stored(site, 'posts/one')).readyAt).not.toBeNull()
  })
})
