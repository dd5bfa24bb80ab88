import { beforeAll, expect, it } from 'vitest'
import { cookieOf, decode, signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { makeSite, manage } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

let cookie: string
beforeAll(async () => {
  cookie = await signIn()
})

type Asked = {
  q?: string
  site?: string
  kind?: string
  slug?: string
  list?: string
  only?: 'sites' | 'posts'
  from?: string
}

async function search(asked: Asked, by = cookie) {
  const page = await visit(`/console/search?${new URLSearchParams(asked)}`, { cookie: by })
  const results = page.text.split(/<div data-results[^>]*>/).at(-1)!
  const links = [...results.matchAll(/<a href="([^"]+)"/g)].map(([, href]) => decode(href!))
  return { ...page, words: wordsOf(page), links, results }
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
  expect(words).toContain(`Spät ${word} ${other} Draft`)
  expect((await search({ q: `${word} fruh` })).links).toEqual([links[2]])
  expect((await search({ q: word, only: 'sites' })).links).toEqual([links[0]])
  for (const q of [`${word}%\0`, '\u200b\u200b\u200b'])
    expect((await search({ q })).words).toContain('Nothing found')
})

it('counts no posts of a site that is being deleted', async () => {
  const word = crypto.randomUUID()
  const [site, closed] = [await makeSite(), await makeSite()]
  await site.put('roses', { title: word })
  await closed.put('tulips', { title: word })
  await runSql('update sites set deletion_started_at = now() where id = $1', [closed.id])
  expect((await search({ q: word, only: 'posts' })).words).toContain('1–1 of 1')
})

it('leads to a page of the site that was visited last if nothing else is found', async () => {
  const site = await makeSite()
  const { headers } = await visit(`/console/sites/${site.id}/overview`, { cookie })
  const recent = headers.getSetCookie().map((each) => each.split(';')[0])
  const found = await search({ q: 'signature' }, [cookie, ...recent].join('; '))
  expect(found.links).toEqual([`/console/sites/${site.id}/integrations/signature-check`])
})

it('in a site, finds its posts and guides by title or slug, its pages and its actions', async () => {
  const site = await makeSite({ name: 'Garden' })
  await site.put('first-steps', { title: 'Hello' })
  await putGuide(site, 'next-steps')
  const content = `/console/sites/${site.id}/content`
  const { links, results } = await search({ q: 'steps', site: site.id })
  expect(links.toSorted()).toEqual([
    '/console/search?q=steps',
    `${content}/guides/next-steps`,
    `${content}/posts/first-steps`,
  ])
  expect(results).toContain('first-<mark>steps</mark>')
  // A title comes before a newer slug, which it has no need of.
  await site.put('older', { title: 'Steps' })
  await site.put('newer-steps', { title: 'Hello' })
  const both = await search({ q: 'steps', site: site.id })
  expect(both.links[0]).toBe(`${content}/posts/older`)
  expect(both.results).not.toContain('>older<')
  expect((await search({ q: 'post new', site: site.id })).links).toContain(`${content}/new/posts`)
  expect((await search({ q: 'audit', site: site.id })).links).toEqual([
    `/console/sites/${site.id}/audit-log`,
    '/console/search?q=audit',
    '/console/audit-log',
  ])
  const nothing = await search({ q: 'zzzz', site: site.id })
  expect(nothing.words).toContain('No posts or guides in Garden match “zzzz”. Search all sites')
  for (const other of [crypto.randomUUID(), 'no-uuid'])
    expect((await search({ q: 'steps', site: other })).status).toBe(200)
})

it('links to the lists with all matches, emphasises the words, and shows the state of each article', async () => {
  const site = await makeSite()
  const posts = Array.from({ length: 9 }, (_, at) => ({ slug: `p-${at}`, title: `Früh <${at}>` }))
  await putAll(site, posts)
  await site.put('p-0', { title: 'Früh <0>', status: 'published' })
  const { links, words, results } = await search({ q: 'FRUH', site: site.id })
  expect(links.at(-2)).toBe(`/console/sites/${site.id}/content?search=FRUH`)
  expect(words).toContain('See all 9 posts')
  expect((await search({ q: 'p', site: site.id })).results).toContain('See all 9 posts')
  expect(results).toContain('<mark>Früh</mark> &lt;0&gt;')
  expect(words).toMatch(/Früh <0> Published .* Früh <\d> Draft/)
})

it('counts the posts of all sites, and lists more of them on a page of their own', async () => {
  const [word, site] = [crypto.randomUUID(), await makeSite()]
  const posts = Array.from({ length: 9 }, (_, at) => ({ slug: `p-${at}`, title: `${word} ${at}` }))
  await putAll(site, posts)
  const { links, words } = await search({ q: word })
  expect(links).toHaveLength(9)
  expect(words).toContain('Posts 9')
  expect(links.at(-1)).toBe(`/console/search?q=${word}&only=posts`)
  expect((await search({ q: word, only: 'posts' })).links).toHaveLength(9)
})

it('leads through the pages of the posts of all sites', async () => {
  const [word, site] = [crypto.randomUUID(), await makeSite()]
  await putAll(
    site,
    Array.from({ length: 60 }, (_, at) => ({ slug: `p-${at}`, title: `${word} ${at}` })),
  )
  const first = await search({ q: word, only: 'posts' })
  expect(first.words).toContain('Posts 1–50 of 60')
  expect(first.words).toContain('See 10 more posts')
  const next = `/console/search?q=${word}&only=posts&from=50`
  expect(first.links.at(-1)).toBe(next)
  const second = await search({ q: word, only: 'posts', from: '50' })
  expect(second.words).toContain('Posts 51–60 of 60')
  expect(new Set([...first.links, ...second.links]).size).toBe(61)
  for (const from of ['-1', 'x', '1e99'])
    expect((await search({ q: word, only: 'posts', from })).status).toBe(200)
})

it('shows drafts that are ready or wait for changes as the list does', async () => {
  const site = await makeSite()
  await putAll(site, [
    { slug: 'ready', title: 'Tulip one', trustScore: 90 },
    { slug: 'held', title: 'Tulip two' },
  ])
  await site.manage('PUT', '/posts/ready/readiness')
  await site.manage('PUT', '/posts/held/change-request', { note: 'Not yet.' })
  const { words } = await search({ q: 'tulip', site: site.id })
  expect(words).toMatch(/Tulip two Draft Changes requested .*Tulip one Ready /)
})

it('without words, offers what the person changed last and commands for the page, in one call to Postgres', async () => {
  const [site, hidden] = [await makeSite({ name: 'Mine' }), await makeSite()]
  const self = await manage('POST', '/operators', { name: crypto.randomUUID(), role: 'editor' })
  const { token } = await manage('POST', `/operators/${self.id}/tokens`, {})
  const by = cookieOf(await trySignIn(token))
  const create = (at: string, title: string) =>
    visit(`/console/sites/${at}/content/new/posts`, { cookie: by, form: { title, slug: '' } })
  for (const title of ['First', 'Second', 'Gone']) await create(site.id, title)
  await create(hidden.id, 'Hidden')
  await site.put('of-another')
  await site.manage('DELETE', '/posts/gone')
  await manage('PATCH', `/operators/${self.id}`, { sites: [site.id] })
  const content = `/console/sites/${site.id}/content`
  const own = cookieOf(await trySignIn(token))
  const start = await search({ site: site.id }, own)
  expect(start.links.slice(0, 2)).toEqual([`${content}/new/posts`, `${content}/new/guides`])
  const changed = start.links.filter((link) => link.startsWith(`${content}/posts/`))
  expect(changed).toEqual([`${content}/posts/second`, `${content}/posts/first`])
  expect(start.words).not.toContain('Hidden')
  const view = { site: site.id, kind: 'posts', slug: 'first' }
  // The other call reads the session.
  for (const asked of [view, { q: 'x' }, { q: 'x', site: site.id }])
    expect(await callsOf(() => search(asked, own))).toBe(2)
  const post = await search(view, own)
  expect(post.links).not.toContain(`${content}/posts/first`)
  const buttons = [
    ...post.results.matchAll(/<button[^>]*formmethod="post" formaction="([^"]+)" name="([^"]+)"/g),
  ]
  expect(buttons.map(([, action, name]) => [action, name])).toEqual([
    [`${content}/posts/first/publication`, 'status'],
    [`${content}/posts/first/preview-links`, 'id'],
  ])
  expect(post.words).toContain('First Publish Edit Schedule Preview link')
  const schedule = post.links.find((link) => link.endsWith('menu=schedule'))
  expect((await visit(schedule!, { cookie: own })).text).toContain(
    '<details class="menu" open=""><summary class="button">Schedule',
  )
  const list = '/content?status=draft'
  const edit = `${content}/posts/first/edit?${new URLSearchParams({ list })}`
  expect((await search({ ...view, list }, own)).links).toContain(edit)
})

it('offers the commands of an article that its state and the role allow', async () => {
  const site = await makeSite()
  await site.put('live', { status: 'published' })
  await site.put('held', { title: 'x' })
  await site.manage('PUT', '/posts/held/change-request', { note: 'Not yet.' })
  const ask = async (slug: string, q: string, by = cookie) => {
    const { results } = await search({ q, site: site.id, kind: 'posts', slug }, by)
    return results.includes('/publication"')
  }
  expect([await ask('live', 'unpublish'), await ask('held', 'publish')]).toEqual([true, false])
  const viewer = await manage('POST', '/operators', { name: crypto.randomUUID(), role: 'viewer' })
  const { token } = await manage('POST', `/operators/${viewer.id}/tokens`, {})
  expect(await ask('live', 'unpublish', cookieOf(await trySignIn(token)))).toBe(false)
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
  expect((await search({ q: 'new', site: mine.id }, limited)).links).toEqual(['/console/search?q=new'])
  const stranger = await visit(`/console/search?q=${word}`)
  expect([stranger.status, stranger.location]).toEqual([303, expect.stringContaining('/console/sign-in')])
})

it('opens as a dialog with the commands of the page, which need no query', async () => {
  const site = await makeSite({ name: 'Opened' })
  const page = await visit(`/console/sites/${site.id}/api`, { cookie })
  const [, dialog = ''] = /<dialog class="search-dialog"(.*?)<\/dialog>/s.exec(page.text)!
  expect(dialog).toContain(`href="/console/sites/${site.id}/content/new/posts"`)
  expect(dialog).toContain(`data-copy="${site.id}"`)
})
