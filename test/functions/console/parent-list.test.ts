import { describe, expect, it } from 'vitest'
import { browse, decode, unsigned } from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { makeSite, type TestSite } from '../../support/site.ts'

/** The target of the link with this text. */
function linkTo(words: string, { text }: { text: string }): string {
  const links = [...text.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g)]
  return decode(links.findLast(([, , inner]) => inner === words)?.[1] ?? `No link says ${words}`)
}

/** The target of the form whose path ends like this. */
function actionOf(end: string, { text }: { text: string }): string {
  const actions = [...text.matchAll(/<form method="post" action="([^"]*)"/g)].map(([, action]) =>
    decode(action!),
  )
  return actions.find((action) => action.split('?')[0]!.endsWith(end)) ?? `No form posts to ${end}`
}

async function pagesOf(site: TestSite) {
  const { at, open } = await browse(site)
  return {
    base: at(),
    open: (path: string) => open(path.startsWith('/') ? path : `/${path}`),
    post: async (path: string, form: Record<string, string> = {}) => (await open(path, { form })).location!,
  }
}

/** The second page of the drafts. */
const DRAFTS = 'content?search=50%25+off+%26&status=draft&page=2'

async function withDrafts(count = 51) {
  const site = await makeSite()
  const titles = Array.from({ length: count }, (_, i) => `50% off & more ${i}`)
  await putAll(
    site,
    titles.map((title, i) => ({ slug: `post-${i}`, title, trustScore: 90 })),
  )
  return { site, ...(await pagesOf(site)) }
}

describe('the page of a post', () => {
  it('links back to its list with filter and page, also after each of its forms, and its deletion returns there', async () => {
    const { base, open, post } = await withDrafts()
    let page = await open(linkTo('50% off &amp; more 0', await open(DRAFTS)))
    expect(linkTo('Posts', page)).toBe(`${base}/${DRAFTS}`)
    expect(linkTo('Content', page)).toBe(`${base}/content`)
    for (const end of ['/readiness', '/publication']) {
      page = await open(await post(actionOf(end, page), { status: 'published' }))
      expect(linkTo('Posts', page)).toBe(`${base}/${DRAFTS}`)
    }
    const rename = await open(linkTo('Change slug', page))
    page = await open(linkTo('Cancel', rename))
    page = await open(await post(actionOf('/slug', rename), { slug: 'renamed' }))
    expect(linkTo('Posts', page)).toBe(`${base}/${DRAFTS}`)
    const deletion = await open(linkTo('Delete', page))
    expect(unsigned(await post(actionOf('/deletion', deletion)))).toBe(`${base}/${DRAFTS}&done=deleted`)
  })

  it('links back after a visit to one of its deliveries', async () => {
    const { site, eventId } = await lostEvent('ok')
    await hand([{ kind: 'event', eventId }])
    const { base, open, post: submitTo } = await pagesOf(site)
    const [{ slug, title }] = (await site.json<{ items: { slug: string; title: string }[] }>('/posts'))
      .items as [{ slug: string; title: string }]
    const post = await open(linkTo(title, await open('content?sort=title')))
    const [, delivery] = /href="([^"]*\/integrations\/deliveries\/[^"]*)"/.exec(post.text)!
    const seen = await open(decode(delivery!))
    expect(linkTo('All deliveries', seen)).toBe(`${base}/integrations/deliveries`)
    expect(linkTo('Posts', await open(linkTo(title, seen)))).toBe(`${base}/content?sort=title`)
    const resent = await submitTo(actionOf('/resends', post), { post: slug })
    expect(linkTo('Posts', await open(resent))).toBe(`${base}/content?sort=title`)
  })

  it('links to the list without its message, and to the whole list when it was opened from none', async () => {
    const { base, open, post } = await withDrafts(1)
    const selection = `${base}/content/selection?sort=title`
    const list = await open(await post(selection, { change: 'publish', slug: 'post-0' }))
    expect(linkTo('Posts', await open(linkTo('50% off &amp; more 0', list)))).toBe(
      `${base}/content?sort=title`,
    )
    for (const list of [
      '',
      '?list=/content',
      '?list=//evil.example?a=b',
      '?list=https://evil.example/content?a=b',
      '?list=/settings?a=b',
      '?list=/content/guides?status=draft',
      `?list=${encodeURIComponent(`/content?search=${'x'.repeat(5_000)}`)}`,
    ])
      expect(linkTo('Posts', await open(`content/posts/post-0${list}`))).toBe(`${base}/content`)
  })
})

describe('a refused selection', () => {
  it('links to its posts, and they link back to the list', async () => {
    const site = await makeSite()
    await site.put('unchecked')
    const { base, open } = await pagesOf(site)
    const { submit } = await browse(site)
    const refused = await submit('/content/selection?sort=title', { change: 'ready', slug: 'unchecked' })
    expect(linkTo('Posts', await open(linkTo('unchecked', refused)))).toBe(`${base}/content?sort=title`)
  })
})

describe('the page of a guide', () => {
  it('links back to its list with the filter', async () => {
    const site = await makeSite()
    await putGuide(site, 'one', { title: 'One' })
    const { base, open, post } = await pagesOf(site)
    const guide = await open(linkTo('One', await open('content/guides?status=published')))
    expect(linkTo('Guides', guide)).toBe(`${base}/content/guides?status=published`)
    const deletion = await open(linkTo('Delete', guide))
    expect(unsigned(await post(actionOf('/deletion', deletion)))).toBe(
      `${base}/content/guides?status=published&done=deleted`,
    )
  })
})

describe('the page of a delivery', () => {
  it('links back to the deliveries with the filter, also from its other attempts', async () => {
    const { site, eventId } = await lostEvent('ok')
    await hand([{ kind: 'event', eventId }])
    const { base, open, post } = await pagesOf(site)
    const list = await open('integrations/deliveries?event=article.ready&outcome=delivered')
    const [, first] = /href="([^"]*\/integrations\/deliveries\/[^"]*)"/.exec(list.text)!
    const delivery = await open(decode(first!))
    const back = `${base}/integrations/deliveries?event=article.ready&outcome=delivered`
    expect(linkTo('All deliveries', delivery)).toBe(back)
    const resent = await open(await post(actionOf('/resends', delivery)))
    expect(linkTo('All deliveries', resent)).toBe(back)
    const [, other] = /href="([^"]*\/integrations\/deliveries\/[^"]*)"/.exec(resent.text)!
    expect(linkTo('All deliveries', await open(decode(other!)))).toBe(back)
  })
})
