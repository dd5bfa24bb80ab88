import { beforeAll, describe, expect, it } from 'vitest'
import { browse, decode, filledIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { makeSite, manage } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

let cookie: string
beforeAll(async () => {
  cookie = await signIn()
})

it('a new site has the selected plan and its normalized name and domain, and its overview is next', async () => {
  const form = await visit('/console/sites/new', { cookie })
  expect(form.text).toContain('<option value="free" selected="">Free: 1,000 requests per day</option>')
  expect(form.text).toContain('<option value="scale">Scale: 1,000,000 requests per day</option>')
  const fields = { name: ' <b>Blog</b> & more ', domain: ' https://Blog.Example.com/ ', plan: 'growth' }
  const { status, location } = await visit('/console/sites', { cookie, form: fields })
  expect(status).toBe(303)
  const page = await visit(location!, { cookie })
  expect(wordsOf(page)).toContain('First steps')
  expect(page.text).toContain('&lt;b&gt;Blog&lt;/b&gt; &amp; more')
  const id = location!.split('/')[3]
  expect(await manage('GET', `/sites/${id}`)).toMatchObject({
    name: '<b>Blog</b> & more',
    domain: 'blog.example.com',
    plan: 'growth',
  })
})

it('takes the domain of a pasted URL, and refuses one without', async () => {
  const create = (domain: string) =>
    visit('/console/sites', { cookie, form: { name: crypto.randomUUID(), domain, plan: 'free' } })
  for (const pasted of [
    'https://Paste.example.com/blog?page=2#top',
    `paste.example.com/${'a'.repeat(300)}`,
    ' paste.example.com/.. ',
    'https://paste.example.com/caf%C3%A9',
  ]) {
    const { location } = await create(pasted)
    const created = await manage('GET', `/sites/${location!.split('/')[3]}`)
    expect(created).toMatchObject({ domain: 'paste.example.com', postPath: '/blog/{slug}' })
  }
  for (const pasted of ['https:///blog', '../paste.example.com', 'https://paste.example.com:8080/'])
    expect(wordsOf(await create(pasted))).toContain('must look like example.com')
})

it('a second site of a name is created after a question, and the API asks nothing', async () => {
  const name = crypto.randomUUID()
  await makeSite({ name: name.toUpperCase() })
  const create = (fields: Record<string, string>) =>
    visit('/console/sites', { cookie, form: { domain: 'a.example.com', plan: 'free', ...fields } })
  const asked = await create({ name })
  expect(wordsOf(asked)).toContain(`There is already a site with this name. Open that site`)
  expect(filledIn('domain', asked)).toBe('a.example.com')
  expect(asked.text).toContain(`name="second" value="${name}"`)
  // The answer is for that name only.
  await makeSite({ name: `${name} 2` })
  expect((await create({ name: `${name} 2`, second: name })).status).toBe(200)
  expect((await create({ name, second: name })).status).toBe(303)
  await manage('POST', '/sites', { name, domain: 'a.example.com' })
})

describe('the list of sites', () => {
  const listOf = (search: string, world: Record<string, string> = {}) =>
    visit(`/console/sites?${new URLSearchParams({ search })}`, { cookie, world })

  it('finds by all words of name and domain, in any order', async () => {
    const word = crypto.randomUUID().slice(0, 8)
    await makeSite({ name: 'The Zebra blog', domain: `${word}.example.com` })
    for (const [search, isFound] of [
      [`  .example.com   zeb  ${word} `, true],
      [`ZEBRA ${word}\0`, true],
      [`${word} lion`, false],
      [`${word}%zebra`, false],
      [`${word} _`, false],
    ] as const) {
      const words = wordsOf(await listOf(search))
      expect([search, words.includes('The Zebra blog')]).toEqual([search, isFound])
      expect([search, words.includes('No sites match')]).toEqual([search, !isFound])
    }
  })

  it('shows posts, failing deliveries, and the requests of today', async () => {
    const name = crypto.randomUUID()
    const site = await makeSite({ name, dailyQuota: 5 })
    const untouched = await listOf(name)
    expect(wordsOf(untouched)).toContain(`${name} site.example.com 0 0`)
    expect(untouched.text).not.toContain('0 requests in the last 14 days')
    await runSql(
      `insert into daily_usage (site_id, day, requests)
       values ($1, current_date - 1, 1200), ($1, current_date - 13, 30), ($1, current_date - 14, 7)`,
      [site.id],
    )
    for (const slug of ['a', 'b', 'c']) await site.put(slug, { status: slug === 'c' ? 'draft' : 'published' })
    for (let times = 0; times < 4; times++) await site.get('/posts')
    await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, payload, state, finished_at)
       select $1, $1, 'article.ready', '{}', 'failed', now() from generate_series(1, 2)`,
      [site.id],
    )
    const page = await listOf(name)
    expect(wordsOf(page)).toContain(`${name} site.example.com 2 failed and 1 more of ${name} 2 1 4 of 5`)
    expect(page.text).toContain('<progress max="5" value="4"')
    expect(page.text).toContain('aria-label="1,234 requests in the last 14 days, at most 1,200 on one day"')
    const unread = await listOf(name, { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' })
    expect([unread.status, wordsOf(unread)]).toEqual([200, expect.stringContaining('2 1 Unknown')])
  })

  it('shows the worst issue of a site, and how many others it has, with a link to all of them', async () => {
    const name = crypto.randomUUID()
    const site = await makeSite({ name })
    await site.put('a', { trustScore: 90 })
    await site.put('b')
    await site.manage('PUT', '/posts/a/readiness', {})
    await site.manage('PUT', '/posts/b/change-request', { note: 'A source is missing.' })
    const page = await listOf(name)
    expect(wordsOf(page)).toContain(`1 ready and 1 more of ${name}`)
    expect(page.text).toContain(`href="/console/sites/${site.id}/overview" title="1 to change">`)
    await site.manage('DELETE', '/posts/b')
    expect((await listOf(name)).text).toContain(`href="/console/sites/${site.id}/content?status=ready"><span`)
  })

  it('has links to further pages, of every order, and back to the first', async () => {
    const word = crypto.randomUUID()
    for (let i = 0; i < 51; i++)
      await manage('POST', '/sites', { name: `Site ${i} ${word}`, domain: 'a.example.com' })
    for (const sort of ['', 'newest', 'name', 'posts', 'quota']) {
      const query = `search=${word}${sort && `&sort=${sort}`}`
      const first = await visit(`/console/sites?${query}`, { cookie })
      const next = decode(/href="(\/console\/sites\?[^"]+cursor=[^"]+)">Next/.exec(first.text)![1]!)
      const second = await visit(next, { cookie })
      const names = [first, second].map(({ text }) => text.match(new RegExp(`>Site \\d+ ${word}<`, 'g')))
      expect([names[0]!.length, new Set(names.flat()).size], sort).toEqual([50, 51])
      expect(second.text).toContain(
        `<a class="button" href="/console/sites?${query}">First page</a>`.replace('&', '&amp;'),
      )
    }
  })
})

describe('the menu of sites', () => {
  const cookieIn = (headers: Headers) =>
    headers
      .getSetCookie()
      .find((each) => each.startsWith('console_sites='))
      ?.split(';')[0]

  /** The cookies of a browser after it has visited new sites with these names. */
  async function visitAll(names: string[], session = cookie) {
    let cookies = session
    for (const name of names) {
      const { at } = await browse(await makeSite({ name }))
      const { headers } = await visit(at('/settings'), { cookie: cookies })
      cookies = `${session}; ${cookieIn(headers)}`
    }
    return cookies
  }

  /** The sites in the menu, in its order. */
  const menuOf = ({ text }: { text: string }) => {
    const menu = /<details class="menu switcher">[\s\S]*?<\/details>/.exec(text)![0]
    return [...menu.matchAll(/<li><a href="[^"]+\/overview">.*?<bdi>([^<]*)</g)].map(([, name]) =>
      decode(name!),
    )
  }

  it('has a search, and the recently visited sites except the current one, without a query', async () => {
    const cookies = await visitAll(['One & only', 'Two', 'Three'])
    const page = await visit('/console/sites/new', { cookie: cookies })
    expect(menuOf(page)).toEqual(['Three', 'Two', 'One & only'])
    expect(page.text).toMatch(/<form method="get" action="\/console\/search"[^>]*>.*?<label[^>]*>Find a site/)
    const [, again] = /.*href="(\/console\/sites\/[^"]+)">.*?<bdi>Two</.exec(page.text)!
    expect(menuOf(await visit(again!, { cookie: cookies }))).toEqual(['Three', 'One & only'])
    expect(await callsOf(() => visit('/console/sites/new', { cookie: cookies }))).toBe(1)
  })

  it('keeps six sites, and short names', async () => {
    const cookies = await visitAll(Array.from({ length: 8 }, (_, i) => `${i}${'語'.repeat(199)}`))
    const names = menuOf(await visit('/console/sites/new', { cookie: cookies }))
    expect(names).toEqual([7, 6, 5, 4, 3, 2].map((i) => `${i}${'語'.repeat(39)}…`))
    expect(cookies.length).toBeLessThan(4_000)
  })

  it('forgets a deleted site, and all sites at sign-out', async () => {
    const session = await signIn()
    const cookies = await visitAll(['Gone'], session)
    const [, id] = /%22([0-9a-f-]{36})%22/.exec(cookies)!
    const path = `/console/sites/${id}/settings/deletion`
    const deleted = await visit(path, { cookie: cookies, form: { name: 'Gone' } })
    expect(cookieIn(deleted.headers)).toBe('console_sites=%5B%5D')
    const out = await visit('/console/sign-out', { cookie: cookies, form: {} })
    expect(cookieIn(out.headers)).toBe('console_sites=')
  })

  it('ignores an invalid cookie', async () => {
    for (const value of ['nonsense', '%5B1%5D', '%5B%5B%22x%22%2C%22y%22%5D%5D', '%7B%7D', '%']) {
      const page = await visit('/console/sites/new', { cookie: `${cookie}; console_sites=${value}` })
      expect([value, page.status, menuOf(page)]).toEqual([value, 200, []])
    }
  })
})
