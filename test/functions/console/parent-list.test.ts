/** The list that an item was opened from. */
import { describe, expect, it } from 'vitest'
import { breadcrumbs } from '../../../functions/console/breadcrumbs.ts'
import { parentList, withParentList } from '../../../functions/console/parent-list.ts'
import type { Http } from '../../../functions/http/env.ts'
import { browse, decode, formIn, unsigned } from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { makeSite, type TestSite } from '../../support/site.ts'

const ID = '11111111-1111-4111-8111-111111111111'
const SITE = `/console/sites/${ID}`
const requestOf = (below: string, method = 'GET') =>
  ({
    req: { url: `https://api.test${SITE}${below}`, method },
    ...varsOf({ site: { id: ID } }),
  }) as unknown as Http
const varsOf = (vars: Record<string, unknown>) => ({ var: vars, get: (name: string) => vars[name] })

describe('the list of a post', () => {
  it.each([
    ['the list itself', '/content?sort=title', '/content?sort=title'],
    ['its selection', '/content/selection?sort=title', '/content?sort=title'],
    [
      'the list after a notice',
      '/content?sort=title&done=publish&changed=1&sig=x&undo=y',
      '/content?sort=title',
    ],
    ['the list without a filter', '/content', '/content'],
    ['the post', `/content/posts/one?list=${encodeURIComponent('/content?page=2')}`, '/content?page=2'],
    ['a link without a list', '/content/posts/one', '/content'],
    ['a link without a filter', '/content/posts/one?list=/content', '/content'],
    ['another host', '/content/posts/one?list=//evil.example?a=b', '/content'],
    ['the URL of another host', '/content/posts/one?list=https://evil.example/content?a=b', '/content'],
    ['a page that is no list', '/content/posts/one?list=/settings?a=b', '/content'],
    ['another list', '/content/posts/one?list=/content/guides?status=draft', '/content'],
    ['a link that is too long', `/content/posts/one?list=/content?search=${'x'.repeat(5_000)}`, '/content'],
  ])('from %s', (_, request, list) => {
    expect(parentList(requestOf(request), '/content')).toBe(list)
  })

  it('is in the path of the post, and in no other', () => {
    const c = requestOf('/content?search=50%25+off')
    const list = encodeURIComponent('/content?search=50%25+off')
    expect(withParentList(c, '/content/posts/one')).toBe(`/content/posts/one?list=${list}`)
    expect(withParentList(c, '/settings')).toBe('/settings')
  })
})

/** The target of the link with this text. */
function linkTo(words: string, { text }: { text: string }): string {
  const links = [...text.matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g)]
  return decode(
    links.findLast(([, , inner]) => inner!.replace(/^<svg.*<\/svg>/, '') === words)?.[1] ??
      `No link says ${words}`,
  )
}

/** The first link to a delivery. */
const deliveryOn = ({ text }: { text: string }) =>
  decode(/href="([^"]*\/integrations\/deliveries\/[^"]*)"/.exec(text)![1]!)

async function pagesOf(site: TestSite) {
  const { at, open } = await browse(site)
  return {
    base: at(),
    open,
    post: async (path: string, form: Record<string, string> = {}) => (await open(path, { form })).location!,
  }
}

async function withDelivery() {
  const { site, eventId } = await lostEvent('ok')
  await hand([{ kind: 'event', eventId }])
  return pagesOf(site)
}

describe('the pages above', () => {
  it.each([
    ['/overview', []],
    ['/content', []],
    ['/content/new/posts', ['Posts /content']],
    ['/content/posts/one', ['Posts /content']],
    ['/content/posts/one/history/12', ['Posts /content', 'one /content/posts/one']],
    ['/content/guides/a%2Fb/edit', ['Guides /content/guides', 'a/b /content/guides/a%2Fb']],
    ['/content/selection/guides', ['Guides /content/guides']],
    ['/content/redirects', []],
    ['/content/redirects/new', ['Redirects /content/redirects']],
    ['/keys/new', ['API /api']],
    ['/integrations/deliveries', []],
    [`/integrations/deliveries/${ID}`, ['Integrations /integrations', 'Deliveries /integrations/deliveries']],
    ['/integrations/webhooks/1/edit', ['Integrations /integrations', 'Webhook /integrations/webhooks/1']],
    ['/audit-log', []],
    ['/audit-log?changesetId=1', ['Audit log /audit-log']],
    ['/settings/publishing', []],
    ['/settings/sitemap/renewal', ['Sitemap /settings/sitemap']],
    ['/settings/deletion', ['Settings /settings']],
  ])('%s of a site', (page, crumbs) => {
    const found = breadcrumbs(requestOf(page)).map(({ name, path }) => `${name} ${path.replace(SITE, '')}`)
    expect(found).toEqual(crumbs)
  })

  it('an answer to a form include the page of the form', () => {
    expect(breadcrumbs(requestOf('/keys', 'POST'))).toEqual([{ name: 'API', path: `${SITE}/api` }])
  })

  it.each([
    ['/console/people', []],
    ['/console/sites/new', [{ name: 'Sites', path: '/console/sites' }]],
    [
      '/console/people/1/deletion',
      [
        { name: 'People', path: '/console/people' },
        { name: 'Person', path: '/console/people/1' },
      ],
    ],
  ])('%s of the workspace', (path, crumbs) => {
    const c = { req: { url: `https://api.test${path}`, method: 'GET' }, ...varsOf({}) } as unknown as Http
    expect(breadcrumbs(c)).toEqual(crumbs)
  })
})

describe('a page links back to its list', () => {
  it('of posts with filter and page, also after each of its forms, and its deletion returns there', async () => {
    const site = await makeSite()
    const titles = Array.from({ length: 51 }, (_, i) => `50% off & more ${i}`)
    await putAll(
      site,
      titles.map((title, i) => ({ slug: `post-${i}`, title, trustScore: 90 })),
    )
    const { base, open, post } = await pagesOf(site)
    const drafts = '/content?search=50%25+off+%26&status=draft&page=2'
    let page = await open(linkTo('50% off &amp; more 0', await open(drafts)))
    expect(linkTo('Posts', page)).toBe(base + drafts)
    expect(linkTo('Content', page)).toBe(`${base}/content`)
    for (const end of ['/readiness', '/publication']) {
      page = await open(await post(formIn(page, end).action, { status: 'published' }))
      expect(linkTo('Posts', page)).toBe(base + drafts)
    }
    const edit = await open(linkTo('Change slug', page))
    expect(linkTo('Posts', await open(linkTo('Cancel', edit)))).toBe(base + drafts)
    page = await open(await post(formIn(edit, '/edit').action, { slug: 'renamed' }))
    expect(linkTo('Posts', page)).toBe(base + drafts)
    const deletion = await open(linkTo('Delete…', page))
    expect(unsigned(await post(formIn(deletion, '/deletion').action))).toBe(`${base + drafts}&done=deleted`)
  })

  it('of posts after a visit to a delivery', async () => {
    const { base, open, post } = await withDelivery()
    const page = await open(linkTo('A title', await open('/content?sort=title')))
    const delivery = await open(deliveryOn(page))
    expect(linkTo('Deliveries', delivery)).toBe(`${base}/integrations/deliveries`)
    expect(linkTo('Posts', await open(linkTo('A title', delivery)))).toBe(`${base}/content?sort=title`)
    const resent = await post(formIn(page, '/resends').action, { post: 'draft' })
    expect(linkTo('Posts', await open(resent))).toBe(`${base}/content?sort=title`)
  })

  it('of posts from a refused selection', async () => {
    const site = await makeSite()
    await site.put('unchecked')
    const { base, open } = await pagesOf(site)
    const form = { change: 'ready', slug: 'unchecked' }
    const refused = await open('/content/selection?sort=title', { form })
    expect(linkTo('Posts', await open(linkTo('A title', refused)))).toBe(`${base}/content?sort=title`)
  })

  it('of guides', async () => {
    const site = await makeSite()
    await putGuide(site, 'one', { title: 'One' })
    const { base, open, post } = await pagesOf(site)
    const list = '/content/guides?status=published'
    const guide = await open(linkTo('One', await open(list)))
    expect(linkTo('Guides', guide)).toBe(base + list)
    const deletion = await open(linkTo('Delete…', guide))
    expect(unsigned(await post(formIn(deletion, '/deletion').action))).toBe(`${base + list}&done=deleted`)
  })

  it('of deliveries, also from its other attempts', async () => {
    const { base, open, post } = await withDelivery()
    const list = '/integrations/deliveries?event=article.ready&outcome=delivered'
    const delivery = await open(deliveryOn(await open(list)))
    expect(linkTo('Deliveries', delivery)).toBe(base + list)
    const resent = await open(await post(formIn(delivery, '/resends').action))
    expect(linkTo('Deliveries', resent)).toBe(base + list)
    expect(linkTo('Deliveries', await open(deliveryOn(resent)))).toBe(base + list)
  })
})
