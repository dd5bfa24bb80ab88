import { describe, expect, it } from 'vitest'
import { signIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { callsOf } from '../../support/sql.ts'
import { received, settled, setWebhook } from '../../support/webhook.ts'

const SOURCE = { url: 'https://source.example/a', title: 'A <source>', publisher: 'Press' }

const pathOf = (site: TestSite, below: string) => `/console/sites/${site.id}/content/${below}`

const open = async (site: TestSite, below: string) => visit(pathOf(site, below), { cookie: await signIn() })

async function act(site: TestSite, below: string, form: Record<string, string> = {}) {
  const cookie = await signIn()
  const answer = await visit(pathOf(site, below), { cookie, form })
  const words = answer.location ? wordsOf(await visit(answer.location, { cookie })) : wordsOf(answer)
  return { ...answer, words }
}

/** The JSON that a page shows. */
function jsonOn({ text }: { text: string }): unknown {
  const shown = /aria-label="Answer"><code>([\s\S]*?)<\/code>/.exec(text)![1]!
  return JSON.parse(wordsOf({ text: shown.replaceAll('<', '&lt;') }))
}

describe("a post's page", () => {
  it('shows its fields, its translations and what it says of itself', async () => {
    const site = await makeSite()
    await site.put('source', {
      title: 'Tom & <Jerry>',
      status: 'published',
      publishedAt: '2026-01-02T03:04:05Z',
      language: 'en',
      trustScore: 90,
      assuranceLabel: 'Checked twice',
      reviewStatus: 'changes_requested',
      aiGenerated: true,
      seo: { metaDescription: 'Described', keywords: ['one', 'two'] },
      faqJsonLd: {
        '@type': 'FAQPage',
        mainEntity: [{ name: 'Why?', acceptedAnswer: { text: 'Because.' } }, null, 7],
      },
      provenance: {
        sources: [
          { ...SOURCE, retrievedAt: '2026-05-06T07:08:09Z', claims: ['It is so'] },
          { url: 'javascript:alert(1)', title: 'Bad' },
        ],
        generatedBy: 'Ada',
      },
    })
    await site.put('quelle', { title: 'Auf Deutsch', language: 'de', sourceSlug: 'source' })
    await site.put('autre', { title: 'En français', language: 'fr', sourceSlug: 'source' })
    const page = await open(site, 'posts/source')
    const words = wordsOf(page)
    for (const phrase of [
      'Tom & <Jerry> Published Premium Unpublish',
      'Address https://site.example.com/blog/source',
      'Published 2 Jan 2026, 03:04 UTC',
      'Review Changes requested',
      'Assurance Checked twice',
      'Made with AI Yes',
      'Description Described',
      'Keywords one, two',
      'Why? Because.',
      'Made by Ada.',
      'A <source> Press · source.example · retrieved 6 May 2026, 07:08 UTC It is so',
      'Auf Deutsch de Draft',
      'En français fr Draft',
    ])
      expect(words).toContain(phrase)
    expect(page.text).not.toContain('href="javascript:')
    expect(wordsOf(await open(site, 'posts/quelle'))).toMatch(
      /Tom & <Jerry> en Published The source En français fr Draft/,
    )
  })

  it('shows the JSON as the API gives it', async () => {
    const site = await makeSite()
    await site.put('one', {
      contentHtml: '<p title="a">&lt;b&gt; & "quoted"</p>',
      provenance: { sources: [SOURCE] },
    })
    const given = await site.json('/posts/one?include=provenance')
    const page = await open(site, 'posts/one')
    expect(jsonOn(page)).toEqual(given)
    expect(wordsOf(page)).toContain(
      `curl -H "Authorization: Bearer $API_KEY" \\ "https://api.test/api/v1/sites/${site.id}/posts/one?include=provenance"`,
    )
    const alone = await open(site, 'posts/one/json')
    expect(JSON.parse(alone.text)).toEqual(given)
  })

  it('of a heavy post stays small, and leads to its JSON', async () => {
    const site = await makeSite()
    await site.put('heavy', { contentHtml: `<p>${'words '.repeat(100_000)}</p>` })
    const page = await open(site, 'posts/heavy')
    expect(page.text.length).toBeLessThan(20_000)
    expect(page.text).toContain(`href="${pathOf(site, 'posts/heavy/json')}">open it by itself</a>`)
  })

  it('has an address for a slug of any script', async () => {
    const site = await makeSite()
    await site.manage('PUT', `/posts/${encodeURIComponent('日本語-é')}`, {
      title: 'Any script',
      contentHtml: '<p>x</p>',
    })
    const list = await visit(`/console/sites/${site.id}/content`, { cookie: await signIn() })
    const href = /<th scope="row"><a href="([^"]+)"/.exec(list.text)![1]!
    expect(href).toBe(pathOf(site, `posts/${encodeURIComponent('日本語-é')}`))
    const page = await visit(href, { cookie: await signIn() })
    expect(page.status).toBe(200)
    expect(page.text).toContain(`src="${href}/preview"`)
    const published = await act(site, `posts/${encodeURIComponent('日本語-é')}/publication`, {
      status: 'published',
    })
    expect(published.words).toContain('Published: the post is in the sitemap now.')
  })

  it.each([
    'posts/none',
    'posts/none/preview',
    'posts/none/json',
    'posts/%00',
    'posts/%E0%A4',
    'guides/none',
  ])('is missing for %s', async (below) => {
    const site = await makeSite()
    await (await makeSite()).put('none')
    expect((await open(site, below)).status).toBe(404)
  })

  it('asks the database at most three times, whatever it does', async () => {
    const site = await makeSite()
    await site.put('one', { trustScore: 90 })
    await putGuide(site, 'guide')
    const cookie = await signIn()
    const calls = (below: string, form?: Record<string, string>) =>
      callsOf(() => visit(pathOf(site, below), { cookie, ...(form && { form }) }))
    for (const below of ['posts/one', 'posts/one/preview', 'posts/one/json', 'guides/guide', 'guides']) {
      expect({ below, calls: await calls(below) }).toEqual({ below, calls: 3 })
    }
    expect(await calls('posts/one/readiness', {})).toBe(3)
    expect(await calls('posts/one/publication', { status: 'published' })).toBe(3)
    expect(await calls('posts/one/readiness', {})).toBe(3)
  })
})

describe('publishing', () => {
  it('and unpublishing are done by a form, and said', async () => {
    const site = await makeSite()
    await site.put('one')
    const published = await act(site, 'posts/one/publication', { status: 'published' })
    expect([published.status, published.location]).toEqual([
      303,
      `${pathOf(site, 'posts/one')}?done=published`,
    ])
    expect(published.words).toContain('Published: the post is in the sitemap now.')
    expect(await site.json('/posts/one')).toMatchObject({ status: 'published' })
    const unpublished = await act(site, 'posts/one/publication', { status: 'draft' })
    expect(unpublished.words).toContain('Unpublished: the post is a draft again')
    expect(await site.json('/posts/one')).toMatchObject({ status: 'draft' })
  })

  it('to a status that there is not is refused', async () => {
    const site = await makeSite()
    await site.put('one')
    const answer = await act(site, 'posts/one/publication', { status: 'archived' })
    expect(answer.status).toBe(400)
    expect(answer.words).toContain('status must be draft or published')
    expect((await act(site, 'posts/none/publication', { status: 'draft' })).status).toBe(404)
  })
})

describe('marking ready', () => {
  it('sends article.ready, once', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await site.put('one', { trustScore: 90 })
    const first = await act(site, 'posts/one/readiness')
    expect(first.status).toBe(303)
    expect(first.words).toContain('Marked ready: article.ready is on its way.')
    expect(first.words).not.toContain('Mark ready')
    expect((await settled(site)).status).toBe(200)
    const again = await act(site, 'posts/one/readiness')
    expect(again.words).toContain('ready already, so nothing is sent again')
    expect(await received(site)).toHaveLength(1)
  })

  it('says so where no webhook is set', async () => {
    const site = await makeSite()
    await site.put('one', { trustScore: 90 })
    const { words } = await act(site, 'posts/one/readiness')
    expect(words).toContain('Marked ready. No webhook is set, so nothing is sent.')
    expect(words).toMatch(/Draft Ready Premium/)
  })

  it.each([
    ['of an unchecked draft', { status: 'draft' }, 'Draft has not been quality-checked.', 'qualityBand'],
    ['of a published post', { status: 'published' }, 'Only a draft can be marked ready.', 'Unpublish'],
  ])('%s is refused in plain words', async (_, fields, reason, advice) => {
    const site = await makeSite()
    await site.put('one', fields)
    const answer = await act(site, 'posts/one/readiness')
    expect(answer.status).toBe(409)
    expect(answer.words).toContain(reason)
    expect(answer.words).toContain(advice)
    expect(answer.text).toContain(`href="${pathOf(site, 'posts/one')}">Back to the post`)
  })
})

describe("a guide's page", () => {
  it('shows drafts, and what the API gives of it', async () => {
    const site = await makeSite()
    await putGuide(site, 'one', { title: 'A guide', status: 'draft' })
    const draft = await open(site, 'guides/one')
    expect(wordsOf(draft)).toContain('until then it answers 404')
    expect(draft.text).not.toContain('Mark ready')
    const published = await act(site, 'guides/one/publication', { status: 'published' })
    expect(published.words).toContain('Published: the API and the sitemap show the guide now.')
    const given = await site.json('/guides/one')
    expect(jsonOn(await open(site, 'guides/one'))).toEqual(given)
    expect(JSON.parse((await open(site, 'guides/one/json')).text)).toEqual(given)
    const unpublished = await act(site, 'guides/one/publication', { status: 'draft' })
    expect(unpublished.words).toContain('neither the API nor the sitemap shows it')
    expect((await site.get('/guides/one')).status).toBe(404)
  })
})

describe('a preview', () => {
  it('is a document that may do nothing, in a frame that lets it do nothing', async () => {
    const site = await makeSite()
    const contentHtml = '<script>alert(1)</script><p>Shown</p>'
    await site.put('one', { title: 'A "title"', contentHtml, language: 'de' })
    await putGuide(site, 'one', { contentHtml })
    for (const kind of ['posts', 'guides']) {
      const page = await open(site, `${kind}/one`)
      expect(page.text).toMatch(
        /<iframe class="preview short" src="[^"]+\/preview" title="[^"]+" sandbox="">/,
      )
      expect(page.text).not.toContain(contentHtml)
      expect(page.headers.get('X-Frame-Options')).toBe('DENY')
      expect(page.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
      const preview = await open(site, `${kind}/one/preview`)
      expect(preview.headers.get('Content-Type')).toBe('text/html; charset=UTF-8')
      expect(preview.headers.get('Content-Security-Policy')).toBe(
        "sandbox; default-src 'none'; style-src 'self'; img-src https: data:; base-uri 'none'; " +
          "form-action 'none'; frame-ancestors 'self'",
      )
      expect(preview.headers.get('X-Frame-Options')).toBe('SAMEORIGIN')
      expect(preview.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(preview.headers.get('Cache-Control')).toBe('no-store')
      expect(preview.text).toContain(`<body dir="auto">\n${contentHtml}\n</body>`)
      expect(preview.text).toContain(`<html lang="${kind === 'posts' ? 'de' : 'en'}">`)
    }
  })

  it('is for who is signed in, and refused in the same way as it is shown', async () => {
    const site = await makeSite()
    await site.put('one')
    expect((await visit(pathOf(site, 'posts/one/preview'))).status).toBe(303)
    const missing = await open(site, 'posts/none/preview')
    expect(missing.headers.get('Content-Security-Policy')).toMatch(/^sandbox; default-src 'none'/)
  })

  it('has a stylesheet that a document without an origin may load', async () => {
    const site = await makeSite()
    await site.put('one')
    const { text } = await open(site, 'posts/one/preview')
    const css = await visit(/<link rel="stylesheet" href="([^"]+)"/.exec(text)![1]!)
    expect(css.status).toBe(200)
    expect(css.headers.get('Content-Type')).toBe('text/css; charset=utf-8')
    expect(css.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin')
  })
})
