import { beforeAll, expect, it } from 'vitest'
import { cookieOf, decode, signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, manage } from '../../support/site.ts'

let cookie: string
beforeAll(async () => {
  cookie = await signIn()
})

type Asked = { q: string; site?: string; only?: 'sites' }

async function search(asked: Asked, by = cookie) {
  const page = await visit(`/console/search?${new URLSearchParams(asked)}`, { cookie: by })
  const results = page.text.split(/<div data-results[^>]*>/).at(-1)!
  const links = [...results.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => decode(href!))
  return { ...page, words: wordsOf(page), links }
}

it('finds sites, posts of all sites by title, and people, each by words in any order', async () => {
  const [word, other] = [crypto.randomUUID(), crypto.randomUUID()]
  const site = await makeSite({ name: `Blog ${word}` })
  const elsewhere = await makeSite({ name: other })
  await site.put('roses', { title: `Früh ${word}` })
  await elsewhere.put('tulips', { title: `Spät ${word}` })
  const person = await manage('POST', '/operators', { name: `Ada ${word}`, role: 'viewer' })
  const { links, words } = await search({ q: word })
  expect(links).toEqual([
    `/console/sites/${site.id}/overview`,
    `/console/sites/${elsewhere.id}/content/posts/tulips`,
    `/console/sites/${site.id}/content/posts/roses`,
    `/console/people/${person.id}`,
  ])
  expect(words).toContain(`Spät ${word} ${other}`)
  expect((await search({ q: `${word} fruh` })).links).toEqual([links[2]])
  expect((await search({ q: word, only: 'sites' })).links).toEqual([links[0]])
  for (const q of [`${word}%\0`, '\u200b\u200b\u200b'])
    expect((await search({ q })).words).toContain('Nothing found')
})

it('in a site, finds its posts and guides by title or slug, its pages and its actions', async () => {
  const site = await makeSite()
  await site.put('first-steps', { title: 'Hello' })
  await putGuide(site, 'next-steps')
  const content = `/console/sites/${site.id}/content`
  const { links } = await search({ q: 'steps', site: site.id })
  expect(links.toSorted()).toEqual([
    `${content}/guides/next-steps`,
    `${content}/posts/first-steps`,
    `${content}?search=steps`,
  ])
  expect((await search({ q: 'post new', site: site.id })).links).toContain(`${content}/new/posts`)
  expect((await search({ q: 'audit', site: site.id })).links).toEqual([
    `/console/sites/${site.id}/audit-log`,
    '/console/audit-log',
  ])
  for (const other of [crypto.randomUUID(), 'no-uuid'])
    expect((await search({ q: 'steps', site: other })).status).toBe(200)
})

it('shows no site, post, person or action that the person cannot reach', async () => {
  const word = crypto.randomUUID()
  const [mine, hidden] = [
    await makeSite({ name: `Mine ${word}` }),
    await makeSite({ name: `Hidden ${word}` }),
  ]
  for (const site of [mine, hidden]) await site.put('post', { title: `Title ${word}` })
  await putGuide(hidden, word)
  await manage('POST', '/operators', { name: `Other ${word}`, role: 'viewer' })
  const self = await manage('POST', '/operators', { name: `Self ${word}`, role: 'viewer', sites: [mine.id] })
  const { token } = await manage('POST', `/operators/${self.id}/tokens`, {})
  const limited = cookieOf(await trySignIn(token))
  const own = [
    `/console/sites/${mine.id}/overview`,
    `/console/sites/${mine.id}/content/posts/post`,
    `/console/people/${self.id}`,
  ]
  expect((await search({ q: word }, limited)).links).toEqual(own)
  expect((await search({ q: word, site: hidden.id }, limited)).links).toEqual(own)
  expect((await search({ q: 'new', site: mine.id }, limited)).links).toEqual([])
  const stranger = await visit(`/console/search?q=${word}`)
  expect([stranger.status, stranger.location]).toEqual([303, expect.stringContaining('/console/sign-in')])
})
