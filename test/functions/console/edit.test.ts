import { describe, expect, it } from 'vitest'
import { convertBody } from '../../../src/cli/markdown/body.ts'
import type { Generator } from '../../../src/cli/markdown/generators/generator.ts'
import {
  browse,
  chooseIn,
  cookieOf,
  decode,
  errorBeside,
  filledIn,
  signIn,
  unsigned,
  visit,
  wordsOf,
} from '../../support/console.ts'
import { FULL_POST, putGuide } from '../../support/content.ts'
import { formOn, openForm } from '../../support/edit-form.ts'
import { makeSite, ORIGIN, operatorToken, type TestSite } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'
import { setWebhook, switchOn } from '../../support/webhook.ts'
import { BROKEN_DATABASE } from '../../support/world.ts'

type Json = Record<string, unknown>

const stored = (site: TestSite, slug = 'one') => site.manage('GET', `/posts/${slug}`)

async function withPost(fields: Json = {}): Promise<TestSite> {
  const site = await makeSite()
  if (fields.sourceSlug) await site.put(String(fields.sourceSlug))
  await site.put('one', { title: 'A title', contentHtml: '<p>Some words.</p>', ...fields })
  return site
}

/** The derived fields follow the content. */
const FIELDS = { posts: 'title, excerpt, contentHtml, seo', guides: 'title, excerpt, contentHtml' }

const XSS = `"><script>alert(1)</script><img src=x onerror=alert(1)>'&lt;`

it('a new slug of a draft says that it needs no redirect, unless the draft was public', async () => {
  const site = await withPost()
  const { read } = await browse(site)
  const rename = async (slug: string, renamed: string) =>
    read((await (await openForm(site, `posts/${slug}`)).save({ slug: renamed })).location!)
  expect(await rename('one', 'two')).toContain('The old one was never public, so it needs no redirect.')
  for (const status of ['published', 'draft']) await site.manage('PUT', '/posts/two/publication', { status })
  expect(await rename('two', 'three')).toContain('A redirect leads here from the old URL.')
})

describe.each(['posts', 'guides'] as const)('one of the %s', (kind) => {
  it('is edited in three clicks from the list, and the audit log has the fields', async () => {
    const site = await withPost({ status: 'published' })
    await putGuide(site, 'one', { title: 'A title' })
    const { at, open, read } = await browse(site)
    const list = await open(kind === 'posts' ? '/content' : '/content/guides')
    const article = await open(decode(/href="([^"]+\/one)"/.exec(list.text)![1]!))
    expect(decode(/href="([^"]+)">Edit</.exec(article.text)![1]!)).toBe(at(`/content/${kind}/one/edit`))
    const { page, save } = await openForm(site, `${kind}/one`)
    expect(wordsOf(page)).toContain('Save and publish')
    const saved = await save({ title: 'Another title', contentHtml: '<p>New</p>', slug: 'two' })
    expect(unsigned(saved.location)).toBe(`${at(`/content/${kind}/two`)}?done=renamed`)
    expect(await read(saved.location!)).toMatch(
      /Another title.* Saved\. A redirect leads here from the old URL\./,
    )
    expect(await site.json(`/${kind}/two`)).toMatchObject({ title: 'Another title' })
    const noun = kind === 'posts' ? 'post' : 'guide'
    const log = await read('/audit-log')
    const edited = `edited the title and content of ${kind === 'posts' ? '' : 'the guide '}“Another title”`
    expect(log).toContain(`OPERATOR_TOKEN changed the slug of 1 ${noun}, ${edited} Console`)
    const { items } = await site.manage('GET', '/audit-log')
    expect(items.slice(0, 2)).toMatchObject([
      { action: `${noun}.renamed`, after: { slug: 'two' } },
      { action: `${noun}.updated`, after: { fields: FIELDS[kind] } },
    ])
    expect(await read(`/content/${kind}/two`)).toContain('Updated: title, content')
  })

  it('shows each change to it, also one through the API, and restores the version before', async () => {
    const site = await makeSite()
    const put = (texts: Json) =>
      kind === 'posts' ? site.put('one', texts) : putGuide(site, 'one', { title: 'A title', ...texts })
    await put({ title: 'A title', contentHtml: '<p>Some good words.</p>', excerpt: 'E' })
    await put({ title: 'A title', contentHtml: '<p>Some bad words.</p>', excerpt: 'E' })
    await put({ title: 'Another title', contentHtml: '<p>Some bad words.</p>', excerpt: 'E' })
    const { at, open } = await browse(site)
    const article = await open(`/content/${kind}/one`)
    expect(wordsOf(article)).toMatch(/Updated: title by .* Updated: content by /)
    const links = [...article.text.matchAll(/href="([^"]+\/history\/\d+)"/g)].map(([, href]) => decode(href!))
    const change = await open(links[1]!)
    expect(change.text).toContain('Some <del>good</del><ins>bad</ins> words.')
    expect(wordsOf(change)).toMatch(/Updated: content OPERATOR_TOKEN, .*Content/)
    const log = await open('/audit-log')
    const changesets = [...log.text.matchAll(/href="([^"]+changesetId=[^"]+)"/g)].map(([, href]) => href!)
    expect((await open(decode(changesets[0]!))).text).toContain('<del>A</del><ins>Another</ins> title')
    const restore = decode(/href="([^"]+edit\?before=\d+)"/.exec(change.text)![1]!)
    const form = await open(restore)
    expect(wordsOf(form)).toMatch(
      /The version before this edit: OPERATOR_TOKEN, .*\. Nothing is restored yet\./,
    )
    // The guide is published.
    expect(form.text).toMatch(kind === 'posts' ? />Restore</ : />Restore and publish</)
    const body = new FormData()
    for (const [name, value] of Object.entries(formOn(form))) body.append(name, value)
    await open(at(`/content/${kind}/one/edit`), { method: 'POST', body, headers: { Origin: ORIGIN } })
    expect(await site.manage('GET', `/${kind}/one`)).toMatchObject({
      [kind.slice(0, -1)]: { title: 'A title', contentHtml: '<p>Some good words.</p>' },
    })
    await site.manage('DELETE', `/${kind}/one`)
    expect(await runSql('select from revisions where site_id = $1', [site.id])).toEqual([])
  })

  it('keeps its 30 latest changes', async () => {
    const site = await withPost()
    await putGuide(site, 'one', { title: 'A title' })
    for (let edit = 0; edit < 32; edit++)
      await runSql(`update ${kind} set title = $2 where site_id = $1`, [site.id, `Title ${edit}`])
    const kept = await runSql('select before from revisions where site_id = $1 order by at', [site.id])
    expect(kept).toHaveLength(30)
    expect(kept[0]).toEqual({ before: { title: 'Title 1' } })
  })
})

describe('saving', () => {
  it('without a change writes nothing, whatever the texts are', async () => {
    const contentHtml =
      '\n\n<pre>\r\n\tone\r\ntwo\n</pre>\u0001 \u00a0\u2028 \ufeff&amp;<textarea></textarea>é'
    const texts = { title: ' A\n"title" ', contentHtml, excerpt: ' two\r\nlines ' }
    const site = await withPost({ ...FULL_POST, slug: 'one', ...texts })
    const before = await stored(site)
    const { save, fields } = await openForm(site)
    expect(fields.contentHtml).toContain('\tone\r\ntwo')
    expect((await save()).location).toContain('?done=unedited')
    expect(await stored(site)).toEqual(before)
  })

  it('writes the changed fields, and keeps everything else byte for byte', async () => {
    const modifiedAt = '2020-01-01T00:00:00Z'
    const contentHtml = '<p>a</p>\r\n<p>b</p>'
    const site = await withPost({ ...FULL_POST, slug: 'one', modifiedAt, contentHtml })
    const before = await stored(site)
    await (await openForm(site)).save({ tags: 'one\r\n two \r\n\r\n' })
    const after = await stored(site)
    expect(after.post).toEqual({ ...before.post, tags: ['one', 'two'] })
    expect(after.updatedAt > before.updatedAt).toBe(true)
    // A text with CR LF keeps its line endings.
    await (await openForm(site)).save({ contentHtml: '<p>a</p>\r\n<p>c</p>' })
    expect((await stored(site)).post.contentHtml).toBe('<p>a</p>\r\n<p>c</p>')
  })

  it('writes each field, and clears it', async () => {
    const site = await withPost({ trustScore: 90, image: { url: '/a.png', width: 3, height: 4 } })
    const texts = {
      title: 'T',
      excerpt: 'E',
      contentHtml: '<p>C</p>',
      slug: 'two',
      language: 'de',
      qualityBand: 'review',
      assuranceLabel: 'Checked',
      reviewStatus: 'approved',
      canonicalUrl: 'https://else.example/',
    }
    const given = {
      ...texts,
      authors: 'Ada Lovelace <https://ada.example>\r\nBob',
      'image.url': '/b.png',
      'image.alt': 'A boat',
      categories: 'News',
      tags: 'x\r\ny, z',
      'seo.metaDescription': 'D',
      'seo.ogTitle': 'OT',
      'seo.ogDescription': 'OD',
      'seo.keywords': 'k1\r\nk2',
    }
    expect((await (await openForm(site)).save(given)).status).toBe(303)
    const { slug: _, ...unchanged } = texts
    expect((await stored(site, 'two')).post).toMatchObject({
      ...unchanged,
      trustScore: null,
      authors: [
        { name: 'Ada Lovelace', url: 'https://ada.example' },
        { name: 'Bob', url: null },
      ],
      image: { url: '/b.png', alt: 'A boat', width: null, height: null },
      categories: ['News'],
      tags: ['x', 'y, z'],
      seo: { metaDescription: 'D', ogTitle: 'OT', ogDescription: 'OD', keywords: ['k1', 'k2'] },
    })
    const next = await openForm(site, 'posts/two')
    expect(next.fields).toMatchObject(given)
    const cleared = Object.fromEntries(Object.keys(given).map((name) => [name, '']))
    await next.save({ ...cleared, title: 'T', contentHtml: '<p>C</p>', slug: 'two' })
    const nullOnes = ['language', 'qualityBand', 'assuranceLabel', 'reviewStatus', 'image', 'canonicalUrl']
    expect((await stored(site, 'two')).post).toMatchObject({
      ...Object.fromEntries(nullOnes.map((name) => [name, null])),
      ...{ excerpt: 'C', authors: [], tags: [], seo: { metaDescription: 'C' } },
    })
  })

  it('derives the fields again that depend on the edited ones, and no others', async () => {
    const site = await withPost({ tags: ['a'] })
    const derived = { excerpt: 'Given', seo: { keywords: ['k'] } }
    await site.put('two', { contentHtml: '<p>Some words.</p>', tags: ['a'], ...derived })
    const edit = { contentHtml: `<p>${'Other words. '.repeat(300)}</p>`, tags: 'b' }
    for (const slug of ['one', 'two']) await (await openForm(site, `posts/${slug}`)).save(edit)
    const [one, two] = [await site.json('/posts/one'), await site.json('/posts/two')]
    expect(one).toMatchObject({ readingTimeMinutes: 3, seo: { keywords: ['b'] } })
    expect(one.excerpt).toMatch(/^Other words\..*…$/)
    expect(two).toMatchObject({ excerpt: 'Given', seo: { keywords: ['k'], metaDescription: 'Given' } })
  })

  it('ends readiness, as the page warns, except for a new slug', async () => {
    const site = await withPost({ trustScore: 90 })
    await site.manage('PUT', '/posts/one/readiness')
    const first = await openForm(site)
    expect(wordsOf(first.page)).toContain('This draft is marked ready. If you save changes')
    await first.save({ slug: 'two' })
    expect((await stored(site, 'two')).readyAt).not.toBeNull()
    await (await openForm(site, 'posts/two')).save({ title: 'Edited' })
    expect((await stored(site, 'two')).readyAt).toBeNull()
  })

  it('ignores values for unknown fields', async () => {
    const site = await withPost()
    const opened = '{"title":"A title","constructor":"x","__proto__":{}}'
    const { save } = await openForm(site)
    expect((await save({ title: 'New', constructor: 'y', opened })).status).toBe(303)
    expect(await stored(site)).toMatchObject({ post: { title: 'New' } })
  })

  it('twice, also at once, writes once', async () => {
    const site = await withPost()
    const { save } = await openForm(site)
    const answers = await Promise.all([save({ title: 'New' }), save({ title: 'New' })])
    answers.push(await save({ title: 'New' }))
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    expect((await site.manage('GET', '/audit-log?action=post.updated')).items).toHaveLength(1)
  })

  it('a new slug with other changes takes four calls to the database, and sends one event', async () => {
    const site = await withPost({ status: 'published' })
    await setWebhook(site, 'ok')
    await switchOn(site, ['post.updated'])
    const { save } = await openForm(site)
    expect(await callsOf(() => save({ slug: 'two', title: 'New' }))).toBe(4)
    const rows = await runSql('select payload from webhook_events where site_id = $1', [site.id])
    expect(rows.map(({ payload }) => JSON.parse(payload))).toMatchObject([
      { event: 'post.updated', slug: 'two', title: 'New' },
    ])
  })

  it('a taken slug saves none of the other changes, and a free one all of them', async () => {
    const site = await withPost({ status: 'published' })
    await site.put('taken')
    const { save, send } = await openForm(site)
    const refused = await save({ slug: 'taken', title: 'Typed' })
    expect(refused.status).toBe(409)
    expect(errorBeside('slug', refused)).toBe('Slug is already used by another post.')
    expect(wordsOf(refused)).not.toContain('returns 404 for the old slug')
    expect([filledIn('slug', refused), filledIn('title', refused)]).toEqual(['taken', 'Typed'])
    expect(await site.json('/posts/one')).toMatchObject({ title: 'A title' })
    const saved = await send({ ...formOn(refused), slug: 'zwei-ü' })
    expect(saved.location).toContain(`/posts/${encodeURIComponent('zwei-ü')}?done=renamed`)
    expect(await site.json(`/posts/${encodeURIComponent('zwei-ü')}`)).toMatchObject({ title: 'Typed' })
    expect(await site.json('/redirects')).toMatchObject({ items: [{ oldSlug: 'one', slug: 'zwei-ü' }] })
  })
})

describe('two people who edit at the same time', () => {
  it('both keep their changes to different fields, in the console and in the API', async () => {
    const site = await withPost()
    const [first, second] = [await openForm(site), await openForm(site)]
    const { post } = await stored(site)
    await site.manage('PUT', '/posts/one', { ...post, assuranceLabel: 'By the API' })
    const answers = await Promise.all([
      first.save({ title: 'First' }),
      second.save({ 'seo.ogTitle': 'Second' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    const saved = await (await browse(site)).open(answers[1]!.location!)
    expect(wordsOf(saved)).toMatch(/Saved\. (Your other tab|OPERATOR_TOKEN)'s changes are kept, too\./)
    expect(await site.json('/posts/one')).toMatchObject({
      title: 'First',
      assuranceLabel: 'By the API',
      seo: { ogTitle: 'Second' },
    })
  })

  it('see both values of a field that both changed, and choose one', async () => {
    const site = await withPost({ contentHtml: '<p>old</p>\n<p>text</p>' })
    const { save, send } = await openForm(site)
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
    expect(conflict.text).not.toMatch(/<script>|<img src=x/)
    expect(wordsOf(conflict)).toMatch(
      /Title Saved version Theirs Your version Mine.*Content Saved version <p> theirs/,
    )
    expect(wordsOf(conflict)).toContain('Quality band Saved version Premium Your version Review')
    expect(await site.json('/posts/one')).toMatchObject({ title: 'Theirs' })
    const { action, fields } = chooseIn(conflict, { title: 1, contentHtml: 0, qualityBand: 1 })
    expect((await send(fields, action)).status).toBe(303)
    expect((await stored(site)).post).toMatchObject({
      title: mine.title,
      contentHtml: theirs,
      qualityBand: 'review',
      tags: ['kept'],
    })
  })

  it('are one, in two tabs, and read so', async () => {
    const site = await withPost()
    const [first, second] = [await openForm(site), await openForm(site)]
    await first.save({ title: 'First' })
    const conflict = await second.save({ title: 'Second' })
    expect(wordsOf(conflict)).toMatch(/Changed in another tab You changed Title in another tab \(/)
  })

  it('both keep their changes to different parts of a text, also in Markdown', async () => {
    const more = `<p>${'Words between them. '.repeat(20)}</p>`
    const site = await withPost({ contentHtml: `<h2>Why</h2>${more}<h2>How</h2>`, tags: ['a', 'b', 'c'] })
    const { open } = await browse(site)
    const { fields: opened, path, send } = await openForm(site)
    const fields = formOn(await send(opened, `${path}?as=markdown`))
    const { post } = await stored(site)
    const theirs = { contentHtml: `<h2>Why, says Ben</h2>${more}<h2>How</h2>`, tags: ['A', 'b', 'c'] }
    await site.manage('PUT', '/posts/one', { ...post, ...theirs })
    const mine = {
      contentMarkdown: fields.contentMarkdown!.replace('How', 'How, says me'),
      tags: 'a\r\nb\r\nC',
    }
    const kept = await send({ ...fields, ...mine, stay: 'yes' }, path)
    expect([kept.status, (await stored(site)).post.contentHtml]).toEqual([409, theirs.contentHtml])
    const saved = await send({ ...fields, ...mine }, path)
    expect(await open(saved.location!)).toMatchObject({
      text: expect.stringContaining('OPERATOR_TOKEN&#39;s changes are kept, too.'),
    })
    const merged = (await stored(site)).post
    expect(merged.contentHtml).toMatch(
      /^<h2>Why, says Ben<\/h2>\s*<p>Words.*<\/p>\s*<h2 id="how-says-me">How, says me<\/h2>\s*$/,
    )
    expect(merged.tags).toEqual(['A', 'b', 'C'])
  })

  it('see the differences of HTML without spaces marked', async () => {
    const site = await withPost({ contentHtml: '<p>One</p>' })
    const { save } = await openForm(site)
    await site.put('one', { title: 'A title', contentHtml: '<p>Two</p>', status: 'published' })
    const { text } = await save({ contentHtml: '<p>Three</p>' })
    expect(text).toMatch(/&lt;p&gt;<mark>Two<\/mark>&lt;\/p&gt;.*&lt;p&gt;<mark>Three<\/mark>&lt;\/p&gt;/s)
  })

  it('choose between the parts that both changed, or edit both, and see who saved', async () => {
    const site = await withPost({ contentHtml: '<p>One</p><p>Two</p><p>Three</p><p>Four</p>' })
    const { save, send } = await openForm(site)
    const theirs = '<p>One, Ben</p><p>Two</p><p>Three, Ben</p><p>Four</p>'
    await site.put('one', { title: 'A title', contentHtml: theirs, status: 'published' })
    const mine = '<p>One</p><p>Two</p><p>Three, me</p><p>Four, me</p>'
    const conflict = await save({ title: 'My title', contentHtml: mine })
    expect(wordsOf(conflict)).toMatch(
      /OPERATOR_TOKEN changed Content while you were editing \(.* UTC ?\) ?\. Choose/,
    )
    const { action, fields } = chooseIn(conflict, { contentHtml: 0 })
    expect(fields.contentHtml).toBe('<p>One, Ben</p><p>Two</p><p>Three, Ben</p><p>Four, me</p>')
    const [, both = '', to = ''] = /name="contentHtml" value="([^"]*)" formaction="([^"]*)"/.exec(
      conflict.text,
    )!
    const page = await send({ ...fields, contentHtml: decode(both) }, decode(to))
    expect(wordsOf(page)).toContain('Both versions of Content are in the text. Check it, then save.')
    const edit = formOn(page)
    const merged = '<p>One, Ben</p><p>Two</p><p>Three, Ben</p><p>Three, me</p><p>Four, me</p>'
    expect(edit).toMatchObject({ title: 'My title', contentHtml: merged })
    expect((await send(edit, action)).status).toBe(303)
    expect((await stored(site)).post).toMatchObject({ title: 'My title', contentHtml: merged })
  })

  it('edit both versions of one text, and are asked about the other fields again', async () => {
    const site = await withPost({ contentHtml: '<p>One</p>', excerpt: 'E' })
    const { save, send } = await openForm(site)
    const theirs = { contentHtml: '<p>Two, Ben</p>', excerpt: 'Ben' }
    await site.put('one', { title: 'A title', status: 'published', ...theirs })
    const conflict = await save({ contentHtml: '<p>Three, me</p>', excerpt: 'Me' })
    const [, both = '', to = ''] = /name="contentHtml" value="([^"]*)" formaction="([^"]*)"/.exec(
      conflict.text,
    )!
    const { action, fields } = chooseIn(conflict, {})
    const edit = formOn(await send({ ...fields, contentHtml: decode(both) }, decode(to)))
    const asked = await send(edit, action)
    expect(asked.status).toBe(409)
    expect(wordsOf(asked)).toMatch(/changed Excerpt while/)
    expect((await stored(site)).post).toMatchObject(theirs)
  })

  it('lose no text when the post is deleted meanwhile', async () => {
    const site = await withPost()
    const { save } = await openForm(site)
    await site.manage('DELETE', '/posts/one')
    const typed = { title: 'Typed', contentHtml: '<p>Typed too</p>' }
    const answer = await save(typed)
    expect(answer.status).toBe(404)
    expect(wordsOf(answer)).toContain('Someone deleted the post or changed its slug.')
    expect(formOn(answer)).toMatchObject(typed)
    expect((await site.get('/posts/one')).status).toBe(404)
  })
})

describe('an edit is refused', () => {
  it('with an error at the field, and keeps the texts', async () => {
    const site = await withPost()
    const { save } = await openForm(site)
    for (const [name, value, words] of [
      ['title', 'x'.repeat(501), /^Title must be at most 500 characters\.$/],
      ['contentHtml', 'a\u0000b', /^Content must not contain NUL\.$/],
      ['slug', 'a b', /^Slug must be 1 to 200/],
      ['qualityBand', 'best', /^Quality band must be premium/],
      ['authors', 'Ada\r\nBob <javascript:alert(1)>', /^Authors in line 2 \(url\) must be an http/],
      ['image.url', 'data:text/html,x', /^Image must be an http/],
      ['seo.keywords', `${'k\r\n'.repeat(501)}`, /^Keywords must be at most 500/],
    ] as const) {
      const answer = await save({ [name]: value, excerpt: 'Typed' })
      expect([name, answer.status, errorBeside(name, answer)]).toEqual([
        name,
        400,
        expect.stringMatching(words),
      ])
      expect(formOn(answer)).toMatchObject({ excerpt: 'Typed' })
    }
    expect((await save({ 'image.alt': 'Of nothing' })).status).toBe(400)
    expect((await stored(site)).post.title).toBe('A title')
  })

  it('when it is too large', async () => {
    const { save } = await openForm(await withPost())
    const answer = await save({ contentHtml: '"'.repeat(5 * 1024 * 1024) })
    expect([answer.status, errorBeside('contentHtml', answer)]).toEqual([
      400,
      'Content makes the article larger than 8 MiB, with its other fields.',
    ])
  })
})

it('a form of 300 KiB is kept when the session has ended, and when Postgres is down', async () => {
  const typed = '<p>Typed &amp; "kept"</p>\r\n'.repeat(12_000)
  const site = await withPost()
  const { fields, path, open } = await openForm(site)
  const form = { ...fields, contentHtml: typed }
  const away = await open(path, { form, world: BROKEN_DATABASE })
  expect([away.status, hiddenIn(away).contentHtml === typed]).toEqual([500, true])
  const cookie = await signIn()
  await visit('/console/sign-out', { form: {}, cookie })
  /** In the encoding of the forms that keep another. */
  const send = (to: string, texts: Record<string, string>, as = cookie) => {
    const body = new FormData()
    for (const [name, value] of Object.entries(texts)) body.append(name, value)
    return visit(to, { cookie: as, method: 'POST', body, headers: { Origin: ORIGIN } })
  }
  const ended = await send(path, form)
  expect(ended.status).toBe(401)
  const action = decode(/<form method="post" action="([^"]*sign-in[^"]*)"/.exec(ended.text)![1]!)
  const goOn = await send(action, { ...hiddenIn(ended), token: operatorToken })
  expect((await send(path, hiddenIn(goOn), cookieOf(goOn))).status).toBe(303)
  expect((await stored(site)).post.contentHtml).toBe(typed.replaceAll('\r\n', '\n'))
})

/** The hidden fields of a page, as a browser sends them. */
function hiddenIn({ text }: { text: string }): Record<string, string> {
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const send = (value: string) => decode(value.replace(/\r\n?/g, '\n')).replace(/\r\n|\r|\n/g, '\r\n')
  return Object.fromEntries(inputs.map(([, name, value]) => [decode(name!), send(value!)]))
}

describe('the form and the preview', () => {
  it('escape the text of every field', async () => {
    const lists = { tags: [XSS], categories: [XSS] }
    const site = await withPost({
      ...{ title: XSS, excerpt: XSS, contentHtml: `</textarea>${XSS}`, assuranceLabel: XSS, ...lists },
      authors: [{ name: XSS, url: 'https://x.example/?"><script>' }],
      image: { url: '/x"><script>', alt: XSS },
      seo: { metaDescription: XSS, ogTitle: XSS, ogDescription: XSS, keywords: [XSS] },
    })
    const { page, fields, save } = await openForm(site)
    expect([fields.title, fields.contentHtml]).toEqual([XSS, `</textarea>${XSS}`])
    const refused = await save({ slug: XSS })
    expect(refused.status).toBe(400)
    for (const { text } of [page, refused]) {
      const own = /<script src="\/console\/assets\/[^"]*" defer=""><\/script>/g
      expect(text.replaceAll(own, '')).not.toMatch(/<script|<img src=x/)
    }
  })

  it('show the typed text, sandboxed, with errors in its HTML', async () => {
    const { path, page, fields, open, send } = await openForm(await withPost())
    expect(page.text).toMatch(
      /<button type="submit" class="button small without-script" formaction="[^"]+\/posts\/one\/preview" formtarget="preview" formnovalidate="">/,
    )
    expect(page.text).toMatch(/<iframe name="preview" class="preview" src="[^"]+" title="[^"]+" sandbox="">/)
    const contentHtml = '<p>One\n<b>two</p>'
    const typed = { title: XSS, contentHtml, language: '"><x' }
    const preview = await send(typed, path.replace('/edit', '/preview'))
    expect(preview.headers.get('Content-Security-Policy')).toMatch(
      /^sandbox; default-src 'none'; style-src 'self'/,
    )
    expect(preview.headers.get('X-Frame-Options')).toBe('SAMEORIGIN')
    expect(preview.text).toContain(contentHtml)
    expect(preview.text).toContain('<li>Line 2: &lt;b&gt; is not closed</li>')
    expect(preview.text).not.toMatch(/<script|<x/)
    const refused = await send({ ...fields, contentHtml: '<i>x', title: '' })
    expect(wordsOf(refused)).toContain('Line 1: <i> is not closed')
    // A warning: the text is saved, and the next page shows the warning once.
    const saved = await send({ ...fields, contentHtml: '<i>x' })
    expect(wordsOf(await open(saved.location!))).toContain('Line 1: <i> is not closed')
  })
})

describe('Markdown', () => {
  const asked = (path: string, as: 'html' | 'markdown') => `${path}?as=${as}`
  /** Presses the button that shows the content in the other format. */
  async function openAs(site: TestSite, as: 'html' | 'markdown', typed: Record<string, string> = {}) {
    const { fields, path, send } = await openForm(site)
    const page = await send({ ...fields, ...typed }, asked(path, as))
    return { page, path, send, fields: formOn(page) }
  }

  it('is stored as the HTML that an import of the same text stores', async () => {
    const site = await withPost()
    const { fields, path, send } = await openAs(site, 'markdown')
    expect(fields.contentMarkdown).toBe('Some words.\r\n')
    const text = '## Two\n\n> [!NOTE]\n> A *quote*\n\n```js\na\n```\n\n- [x] done\n\n| a |\n| -: |\n| 1 |'
    const imported = convertBody(text, 'one.md', { name: null } as Generator, { hasTitle: true })
    const saved = await send({ ...fields, contentMarkdown: text.replaceAll('\n', '\r\n') }, path)
    expect(unsigned(saved.location)).toMatch(/\/one\?done=edited$/)
    expect((await stored(site)).post.contentHtml).toBe(imported.html)
  })

  it('names the code that saving leaves out in the preview, too', async () => {
    const { fields, path, send } = await openAs(await withPost(), 'markdown')
    const typed = { ...fields, contentMarkdown: 'Text\n\n<script>x()</script>' }
    const preview = await send(typed, path.replace('/edit', '/preview'))
    expect(preview.text).toContain('<p>Saving leaves out &lt;script&gt;.</p>')
  })

  it('keeps everything typed when the format changes, also with a refused value', async () => {
    const site = await withPost()
    const typed = {
      title: '',
      slug: 'a b',
      tags: 'x\r\ny',
      contentHtml: '<p>Typed &amp; <b>bold</b></p>\r\n',
    }
    const { page, fields, path, send } = await openAs(site, 'markdown', typed)
    expect(page.status).toBe(200)
    expect(fields).toMatchObject({ ...typed, contentMarkdown: 'Typed & **bold**\r\n' })
    // Byte for byte, as long as nobody edits the Markdown.
    const back = formOn(await send(fields, asked(path, 'html')))
    expect(back).toMatchObject(typed)
    expect(back).not.toHaveProperty('contentMarkdown')
    const edited = await send({ ...fields, contentMarkdown: 'Typed *anew*' }, asked(path, 'html'))
    expect(formOn(edited)).toMatchObject({ ...typed, contentHtml: '<p>Typed <em>anew</em></p>' })
    const refused = await send({ ...fields, contentMarkdown: 'Typed *anew*' }, path)
    expect([refused.status, errorBeside('slug', refused)]).toEqual([
      400,
      expect.stringMatching(/^Slug must be/),
    ])
    expect(formOn(refused)).toMatchObject({ ...typed, contentMarkdown: 'Typed *anew*' })
    expect((await stored(site)).post.title).toBe('A title')
  })

  it('names what it cannot keep, and changes nothing until somebody edits it', async () => {
    const contentHtml = '<p class="lead">a</p>\n<iframe src="https://v.example/1"></iframe>'
    const site = await withPost({ contentHtml })
    const { page, fields, path, send } = await openAs(site, 'markdown')
    expect(wordsOf(page)).toContain('Markdown cannot keep class of <p>, <iframe>.')
    await send({ ...fields, title: 'New' }, path)
    expect((await stored(site)).post).toMatchObject({ title: 'New', contentHtml })
    const { path: form, ...next } = await openAs(site, 'markdown')
    const typed = { ...next.fields, contentMarkdown: 'b <iframe src="https://v.example/2"></iframe>' }
    const preview = await next.send(typed, form.replace('/edit', '/preview'))
    expect(preview.text).toContain('<p>b </p>')
    const asks = await next.send(typed, form)
    expect([asks.status, wordsOf(asks)]).toEqual([
      400,
      expect.stringContaining('Saving leaves out <iframe>.'),
    ])
    const [, confirmed = ''] = /class="button primary" name="confirmed" value="([^"]*)"/.exec(asks.text)!
    expect(wordsOf(asks)).toMatch(/Save anyway Cancel/)
    const more = { ...formOn(asks), confirmed: decode(confirmed) }
    const code = '<b onclick="x()">c</b> `<i onfocus>`'
    const asksAgain = await next.send({ ...more, contentMarkdown: `${typed.contentMarkdown} ${code}` }, form)
    expect(wordsOf(asksAgain)).toMatch(/Saving leaves out <iframe>, onclick\./)
    expect((await next.send(more, form)).status).toBe(303)
    expect((await stored(site)).post.contentHtml).toBe('<p>b </p>')
  })

  it('is what the editor opens with, once chosen, unless it would lose something', async () => {
    const site = await withPost()
    const { page } = await openAs(site, 'markdown')
    const chosen = page.headers.getSetCookie().find((cookie) => cookie.startsWith('console_format='))!
    const cookie = `${await signIn()}; ${chosen.split(';')[0]}`
    const { open } = await browse(site, '/content')
    expect(formOn(await open('/posts/one/edit', { cookie }))).toHaveProperty('contentMarkdown')
    expect(formOn(await open('/posts/one/edit?as=html', { cookie }))).not.toHaveProperty('contentMarkdown')
    await site.put('one', { contentHtml: '<iframe src="https://v.example/1"></iframe>' })
    expect(formOn(await open('/posts/one/edit', { cookie }))).not.toHaveProperty('contentMarkdown')
  })

  it('shows a conflict in Markdown, and the form as typed when the browser has kept it', async () => {
    const site = await withPost({ contentHtml: '<p>Some <em>good</em> words.</p>' })
    const { fields, path, send } = await openAs(site, 'markdown')
    await site.put('one', { contentHtml: '<p>Some <em>better</em> words.</p>' })
    const typed = { ...fields, contentMarkdown: 'Some _worse_ words.\r\n\r\n* a' }
    expect(formOn(await send(typed, `${path}?as=typed`))).toMatchObject(typed)
    const conflict = await send(typed, path)
    expect(conflict.status).toBe(409)
    expect(conflict.text).toMatch(/Some <mark>_better_<\/mark> words.*Some <mark>_worse_<\/mark> words/s)
    const { action, fields: chosen } = chooseIn(conflict, { contentHtml: 1 })
    expect((await send(chosen, action)).status).toBe(303)
    expect((await stored(site)).post.contentHtml).toContain('<em>worse</em>')
  })

  it('is refused for a text that is too long or too deep, which stays as HTML', async () => {
    const site = await withPost()
    const lines = '<hr>'.repeat(1_001)
    for (const contentHtml of ['a'.repeat(200_001), 'a'.repeat(100_001), lines, '<div>'.repeat(200)]) {
      const { page, fields } = await openAs(site, 'markdown', { contentHtml })
      expect([page.status, errorBeside('contentHtml', page)]).toEqual([
        400,
        expect.stringMatching(/^Content cannot be converted: /),
      ])
      expect(fields.contentHtml).toBe(contentHtml)
    }
  })

  it('is refused with a plain reason for a text that is far too deep', async () => {
    const { page } = await openAs(await withPost(), 'markdown', { contentHtml: '<div>'.repeat(3_000) })
    expect(errorBeside('contentHtml', page)).toMatch(/^Content cannot be converted: .*nested/)
  })

  it('is refused at its address, too, with the form as HTML', async () => {
    const contentHtml = '<hr>'.repeat(1_001)
    const site = await withPost({ contentHtml })
    const { open } = await browse(site)
    const page = await open('/content/posts/one/edit?as=markdown')
    expect([page.status, errorBeside('contentHtml', page)]).toEqual([
      400,
      'Content cannot be converted: more than 1,500 lines.',
    ])
    expect(formOn(page)).toMatchObject({ contentHtml, title: 'A title' })
  })
})

describe('content that runs code, or is empty', () => {
  it.each([
    ['<p>a</p><script>x()</script>', 'The content can run code or lead readers away: <script>.'],
    ['<p onclick="x()">a</p><a href="javascript:x()">', 'away: onclick, javascript: in href.'],
    ['<form action="https://x.example"><input></form>', 'away: <form>.'],
    ['<p> </p>', 'The content is empty.'],
  ])('is saved only after a question: %s', async (contentHtml, words) => {
    const site = await withPost()
    const { save, send, path } = await openForm(site)
    const asks = await save({ contentHtml, title: 'New' })
    expect([asks.status, wordsOf(asks)]).toEqual([400, expect.stringContaining(words)])
    expect(wordsOf(asks)).not.toContain('Left out')
    expect((await stored(site)).post.title).toBe('A title')
    expect(asks.text.match(/class="button primary"/g)).toHaveLength(1)
    const confirmed = decode(/name="confirmed" value="([^"]*)"/.exec(asks.text)![1]!)
    expect((await send({ ...formOn(asks), confirmed }, path)).status).toBe(303)
    expect((await stored(site)).post).toMatchObject({ contentHtml, title: 'New' })
    // Other edits don't ask again.
    expect((await (await openForm(site)).save({ title: 'Newer' })).status).toBe(303)
  })
})
