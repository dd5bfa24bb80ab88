import { describe, expect, it } from 'vitest'
import { decode, errorBeside, filledIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { makeSite, manage } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'

describe('a new site', () => {
  it('is created by its form, and its API page is next', async () => {
    const cookie = await signIn()
    const form = { name: ' <b>Blog</b> & more ', domain: 'Blog.Example.com' }
    const { status, location } = await visit('/console/sites', { cookie, form })
    expect(status).toBe(303)
    const page = await visit(location!, { cookie })
    expect(wordsOf(page)).toContain('No keys yet')
    expect(page.text).toContain('&lt;b&gt;Blog&lt;/b&gt; &amp; more')
    const id = location!.split('/')[3]
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({
      name: '<b>Blog</b> & more',
      domain: 'blog.example.com',
    })
    const list = await visit(`/console/sites?search=${encodeURIComponent('<b>Blog</b>')}`, { cookie })
    expect(list.text).toContain(`href="/console/sites/${id}/overview"`)
  })

  it.each([
    [{ name: '', domain: 'a.example.com' }, 'name', 'Name is required.'],
    [{ name: ' ', domain: 'a.example.com' }, 'name', 'Name must be at least 1 character.'],
    [
      { name: 'A', domain: 'https://a.example.com' },
      'domain',
      'Domain must be a domain name such as example.com.',
    ],
    [{ name: 'A\0', domain: 'a.example.com' }, 'name', 'Name must not contain NUL.'],
  ])('that is invalid, %j, shows the form again with the typed values', async (form, field, words) => {
    const answer = await visit('/console/sites', { cookie: await signIn(), form })
    expect(answer.status).toBe(400)
    expect(errorBeside(field, answer)).toBe(words)
    expect(filledIn('domain', answer)).toBe(form.domain)
    expect(wordsOf(answer)).toContain('Nothing was saved. One field needs a change.')
  })
})

describe('a new site', () => {
  it('has the selected plan, and each plan shows its quota', async () => {
    const cookie = await signIn()
    const page = await visit('/console/sites/new', { cookie })
    expect(page.text).toContain('<option value="free" selected="">Free: 1,000 requests per day</option>')
    expect(page.text).toContain('<option value="scale">Scale: 1,000,000 requests per day</option>')
    const form = { name: 'A', domain: 'a.example.com', plan: 'growth' }
    const { location } = await visit('/console/sites', { cookie, form })
    expect(await manage('GET', `/sites/${location!.split('/')[3]}`)).toMatchObject({ plan: 'growth' })
  })
})

describe('the list of sites', () => {
  const WORD = crypto.randomUUID().slice(0, 8)
  const listOf = async (search: string, world: Record<string, string> = {}) =>
    visit(`/console/sites?${new URLSearchParams({ search })}`, { cookie: await signIn(), world })

  it.each([
    [`${WORD} zebra`, true],
    [`ZEBRA ${WORD}.example`, true],
    [`  .example.com   zeb  ${WORD} `, true],
    [`${WORD} lion`, false],
    [`${WORD}%zebra`, false],
    [`${WORD} _`, false],
    [`${WORD}\0 zebra`, true],
  ])('finds by all words of name and domain, in any order: %j', async (search, isFound) => {
    await makeSite({ name: 'The Zebra blog', domain: `${WORD}.example.com` })
    const page = wordsOf(await listOf(search))
    expect(page.includes('The Zebra blog')).toBe(isFound)
    expect(page.includes('No sites found')).toBe(!isFound)
  })

  it('shows posts, failing deliveries with a link to them, and the requests of today', async () => {
    const name = crypto.randomUUID()
    const site = await makeSite({ name, dailyQuota: 5 })
    for (const slug of ['a', 'b', 'c']) await site.put(slug, { status: slug === 'c' ? 'draft' : 'published' })
    for (let times = 0; times < 4; times++) await site.get('/posts')
    await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, payload, state, finished_at)
       select $1, $1, e, '{}', s, now() - make_interval(days => d)
       from (values ('article.ready', 'failed', 6), ('article.ready', 'failed', 0), ('article.ready', 'failed', 8),
         ('article.ready', 'delivered', 1), ('webhook.test', 'failed', 1)) _(e, s, d)`,
      [site.id],
    )
    const page = await listOf(name)
    expect(wordsOf(page)).toContain(
      `${name} site.example.com 2 failed of ${name} 2 published 1 draft 4 of 5 80% used Free`,
    )
    expect(page.text).toContain('<progress max="5" value="4"')
    expect(page.text).toContain(
      `href="/console/sites/${site.id}/integrations/deliveries?outcome=not_arrived"`,
    )
    await site.get('/posts')
    expect(wordsOf(await listOf(name))).toContain('5 of 5 Used up')
  })

  it('shows a site without activity as such', async () => {
    const name = crypto.randomUUID()
    await makeSite({ name })
    expect(wordsOf(await listOf(name))).toContain(`${name} site.example.com None None 0 of 1,000 Free`)
  })

  it('leaves out the requests while they cannot be read', async () => {
    const name = crypto.randomUUID()
    await makeSite({ name })
    const page = await listOf(name, { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' })
    expect([page.status, wordsOf(page).includes(`${name} site.example.com None None Unknown Free`)]).toEqual([
      200,
      true,
    ])
  })

  it('takes one query, in addition to that of the session', async () => {
    const cookie = await signIn()
    await makeSite()
    expect(await callsOf(() => visit('/console/sites', { cookie }))).toBe(2)
  })

  it('keeps the search on its other pages', async () => {
    const word = crypto.randomUUID()
    for (let i = 0; i < 51; i++)
      await manage('POST', '/sites', { name: `${word} ${i}`, domain: 'a.example.com' })
    const first = await listOf(word)
    const older = decode(/href="(\/console\/sites\?search=[^"]+cursor=[^"]+)">Next/.exec(first.text)![1]!)
    const second = await visit(older, { cookie: await signIn() })
    expect(wordsOf(second)).toContain(`${word} 0 `)
    expect(second.text.match(/scope="row"/g)).toHaveLength(1)
    expect(second.text).toContain(`<a class="button" href="/console/sites?search=${word}">First page</a>`)
  })

  it('has links to further pages, of every order, and back to the first', async () => {
    const word = crypto.randomUUID()
    for (let i = 0; i < 51; i++)
      await manage('POST', '/sites', { name: `Site ${i} ${word}`, domain: 'a.example.com' })
    const cookie = await signIn()
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
  const cookieOf = (headers: Headers) =>
    headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith('console_sites='))
      ?.split(';')[0]

  /** The sites in the menu, in its order. */
  const menuOf = ({ text }: { text: string }) => {
    const menu = /<details class="switcher">[\s\S]*?<\/details>/.exec(text)![0]
    return [...menu.matchAll(/<li><a href="\/console\/sites\/[^"]+\/overview" dir="auto">([^<]*)</g)].map(
      ([, name]) => decode(name!),
    )
  }

  it('has a search, and the recently visited sites except the current one, without a query', async () => {
    const session = await signIn()
    let cookie = session
    for (const name of ['One & only', 'Two', 'Three']) {
      const { id } = await makeSite({ name })
      const page = await visit(`/console/sites/${id}/settings`, { cookie })
      cookie = `${session}; ${cookieOf(page.headers)}`
    }
    const page = await visit('/console/sites/new', { cookie })
    expect(menuOf(page)).toEqual(['Three', 'Two', 'One & only'])
    expect(page.text).toMatch(/<form method="get" action="\/console\/sites"><label[^>]*>Find a site/)
    const [, again] = /href="(\/console\/sites\/[^"]+)" dir="auto">Two</.exec(page.text)!
    const two = await visit(again!, { cookie })
    expect(menuOf(two)).toEqual(['Three', 'One & only'])
    expect(await callsOf(() => visit('/console/sites/new', { cookie }))).toBe(1)
  })

  it('keeps six sites, and short names', async () => {
    const session = await signIn()
    let cookie = session
    for (let i = 0; i < 8; i++) {
      const { id } = await makeSite({ name: `${i}${'語'.repeat(199)}` })
      const page = await visit(`/console/sites/${id}/settings`, { cookie })
      cookie = `${session}; ${cookieOf(page.headers)}`
    }
    const names = menuOf(await visit('/console/sites/new', { cookie }))
    expect(names).toEqual([7, 6, 5, 4, 3, 2].map((i) => `${i}${'語'.repeat(39)}`))
    expect(cookie.length).toBeLessThan(4_000)
  })

  it('forgets a deleted site, and all sites at sign-out', async () => {
    const session = await signIn()
    const { id } = await makeSite({ name: 'Gone' })
    const page = await visit(`/console/sites/${id}/settings`, { cookie: session })
    const cookie = `${session}; ${cookieOf(page.headers)}`
    const deleted = await visit(`/console/sites/${id}/settings/deletion`, { cookie, form: { name: 'Gone' } })
    expect(cookieOf(deleted.headers)).toBe('console_sites=%5B%5D')
    const out = await visit('/console/sign-out', { cookie, form: {} })
    expect(cookieOf(out.headers)).toBe('console_sites=')
  })

  it.each(['nonsense', '%5B1%5D', '%5B%5B%22x%22%2C%22y%22%5D%5D', '%7B%7D', '%'])(
    'ignores the invalid cookie %s',
    async (value) => {
      const page = await visit('/console/sites/new', { cookie: `${await signIn()}; console_sites=${value}` })
      expect([page.status, menuOf(page)]).toEqual([200, []])
    },
  )

  it('is missing before sign-in', async () => {
    expect((await visit('/console/sign-in')).text).not.toContain('switcher')
  })
})
