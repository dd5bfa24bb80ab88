import { describe, expect, it } from 'vitest'
import { browse, decode, formIn, wordsOf } from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { heard } from '../../support/outbox.ts'
import { makeSite } from '../../support/site.ts'
import { callsOf } from '../../support/sql.ts'
import { received, setWebhook } from '../../support/webhook.ts'

type Posts = Record<string, unknown>[]

const FOUR = [
  { slug: 'a', trustScore: 90 },
  { slug: 'b', trustScore: 80 },
  { slug: 'c', status: 'published' },
  { slug: 'd' },
]

async function withPosts(posts: Posts = FOUR) {
  const site = await makeSite()
  await putAll(site, posts)
  const { at, open, submit } = await browse(site, '/content')
  const select = (name: string, slugs: string[], query = '', more: string[][] = []) =>
    submit(`/selection${query}`, [...slugs.map((slug) => ['slug', slug]), ['change', name], ...more])
  return {
    site,
    at,
    open,
    submit,
    /** Submits the form of the list with posts selected. */
    select,
    /** The same, and confirms if asked. */
    change: (name: string, slugs: string[], query = '') => select(name, slugs, query, [['confirmed', 'yes']]),
    /** Posts the form with this button unchanged. */
    press(words: string, page: { text: string }) {
      const { action, pairs } = formIn(page, words)
      return submit(action, pairs)
    },
    async statuses(): Promise<Record<string, string>> {
      const { items } = await site.json<{ items: { slug: string; status: string }[] }>('/posts?pageSize=50')
      return Object.fromEntries(items.map(({ slug, status }) => [slug, status]))
    },
  }
}

const many = (count: number, fields: object = {}): Posts =>
  Array.from({ length: count }, (_, i) => {
    const slug = `p-${String(i).padStart(3, '0')}`
    return { slug, title: slug, ...fields }
  })
const slugsOf = (posts: Posts) => posts.map(({ slug }) => String(slug))

describe('the list', () => {
  it('has a checkbox for each post, and buttons that need no script', async () => {
    const { at, open } = await withPosts()
    const { text } = await open('?status=draft')
    expect(text.match(/<input type="checkbox" name="slug" value="[abd]"/g)).toHaveLength(3)
    expect(text).toContain(`action="${at()}/selection?status=draft"`)
    const offered = (text: string) =>
      [...text.matchAll(/<button type="submit" name="change" value="(\w+)"/g)].map(([, value]) => value)
    expect(offered(text)).toEqual(['publish', 'ready'])
    expect(offered((await open()).text)).toEqual(['publish', 'ready', 'unpublish'])
    // Enter in a checkbox presses the first button.
    const [, form] = text.split('<form method="post" action="/console/sites/')
    expect(/<button[^>]*>/.exec(form!)![0]).toContain('formmethod="dialog"')
  })
})

describe('a selection', () => {
  const checkedIn = ({ text }: { text: string }) =>
    [...text.matchAll(/type="checkbox" name="slug" value="([^"]*)" [^>]*checked=""/g)].map(([, slug]) => slug)

  it.each([
    [60, 'Select all 60', '60 posts', 60],
    [120, 'Select the first 100 of 120', '1 to 100 of 120 posts', 100],
  ])('of all %i matches is made on one page, up to 100', async (count, link, shown, selected) => {
    const { open } = await withPosts(many(count))
    const [, href] = new RegExp(`href="([^"]*)">${link}<`).exec((await open('?sort=title')).text)!
    const whole = await open(decode(href!))
    expect(checkedIn(whole)).toEqual(slugsOf(many(selected)))
    expect(wordsOf(whole)).toContain(`${shown} Show 50 per page`)
    expect(whole.text).toContain('data-whole="yes"')
  })
})

describe('selected posts', () => {
  it('are published, and the list keeps its filters and says how many', async () => {
    const { at, change, statuses } = await withPosts()
    const published = await change('publish', ['a', 'b', 'c'], '?search=title&sort=title&page=1')
    expect(published.location).toContain(
      `${at()}?search=title&sort=title&page=1&done=publish&changed=2&already=1&undo=`,
    )
    expect(published.words).toContain('2 posts published. 1 post was already published.')
    // Gets the focus back from the button.
    expect(published.page.text).toContain('<div class="notice success" role="status" tabindex="-1" autofocus')
    expect(await statuses()).toEqual({ a: 'published', b: 'published', c: 'published', d: 'draft' })
  })

  it('are marked ready, and each sends its event once', async () => {
    const { site, change } = await withPosts()
    await setWebhook(site, 'ok')
    const answer = await change('ready', ['a', 'b'])
    expect(answer.words).toContain('2 posts marked ready.')
    expect(answer.page.text).not.toContain('>Undo<')
    const slugs = (await heard(site, 2)).map(({ slug }) => slug)
    expect(slugs.toSorted()).toEqual(['a', 'b'])
    const again = await change('ready', ['a', 'b'])
    expect(again.words).toContain(
      'Guides Redirects Training rows New post 2 posts were already marked ready.',
    )
    expect(await received(site)).toHaveLength(2)
  })

  it('that are refused are listed with the reason, and the others are changed', async () => {
    const { at, change, open } = await withPosts([...FOUR.slice(0, 3), { slug: 'd', title: '<i>D</i>' }])
    const answer = await change('ready', ['a', 'c', 'd', 'gone', '\0'], '?status=draft')
    expect(answer.status).toBe(200)
    expect(answer.words).toContain('1 post marked ready. No webhook is set up, so no event was sent.')
    expect(answer.words).toContain('A title : Only a draft can be marked ready.')
    expect(answer.words).toContain('<i>D</i> : Draft has not been quality-checked.')
    expect(answer.words).toContain('2 selected posts can no longer be found.')
    expect(answer.text).toContain(`href="${at()}/posts/d?list=%2Fcontent%3Fstatus%3Ddraft"`)
    expect(answer.text).not.toMatch(/class="hint" href="[^"]*">Posts</)
    // Below is the list, with its filter.
    expect(answer.words).toMatch(/can no longer be found\..* Drafts 3 .* Sort .* 3 posts/)
    expect((await change('ready', ['c', 'd'])).words).toContain('No posts marked ready. A title : Only')
    // Reloading the answer shows the list.
    expect((await open('/selection?status=draft')).location).toBe(`${at()}?status=draft`)
  })

  it('may be none, but no unknown action', async () => {
    const { change } = await withPosts()
    expect((await change('publish', [])).words).toContain('No posts were selected.')
    const unknown = await change('archive', ['a'])
    expect([unknown.status, unknown.words]).toEqual([
      400,
      expect.stringContaining('change must be publish, unpublish or ready'),
    ])
  })

  it('may be a hundred with the longest slugs, in one call to the database, and no more', async () => {
    const posts = many(101, { trustScore: 90 }).map((post) => ({
      ...post,
      slug: `${post.slug}${'語'.repeat(130)}`,
    }))
    const { site, select, open } = await withPosts(posts)
    const form = slugsOf(posts.slice(1)).map((slug) => ['slug', slug])
    for (const [name, calls] of [
      ['ready', 3],
      ['publish', 4],
    ] as const)
      expect(await callsOf(() => open('/selection', { form: [...form, ['change', name]] }))).toBe(calls)
    expect((await select('publish', slugsOf(posts))).words).toContain('slug must be at most 100')
    expect(await site.json('/posts?status=published')).toMatchObject({ total: 100 })
  })
})

it('publishing asks about content that runs code or is empty, and then publishes all or the others', async () => {
  const { site, at, select, press, statuses } = await withPosts([
    { slug: 'code', contentHtml: '<p>a</p><meta http-equiv=refresh content="0;url=/">' },
    { slug: 'empty', contentHtml: '' },
    { slug: 'fine', title: 'Fine' },
    { slug: 'later', title: 'Later' },
  ])
  const publishAt = new Date(Date.now() + 86_400_000).toISOString()
  await site.manage('PUT', '/posts/later/publication-schedule', { publishAt })
  const question = await select('publish', ['code', 'empty', 'fine', 'later'], '?sort=title')
  expect(question.words).toMatch(
    /Publish 4 posts\? A title : The content can run code or lead readers away: <meta http-equiv=refresh>\. A title : The content is empty\. Fine Later : Cancels its schedule for [^.]* UTC \. Publish the other 2 Publish all anyway/,
  )
  expect(question.text).toContain(`href="${at()}?sort=title">Cancel</a>`)
  expect(new Set(Object.values(await statuses()))).toEqual(new Set(['draft']))
  const others = await press('Publish the other 2', question)
  expect(others.words).toContain('2 posts published. 1 schedule cancelled.')
  const drafts = { code: 'draft', empty: 'draft' }
  expect(await statuses()).toEqual({ ...drafts, fine: 'published', later: 'published' })
  const done = await press('Publish all anyway', question)
  expect(done.words).toContain('2 posts published. 2 posts were already published.')
  expect(done.location).toContain('/content?sort=title&done=publish')
})

describe('unpublishing', () => {
  it('asks first, with the number and the first titles, and does nothing before', async () => {
    const posts = many(7, { status: 'published' }).map((post) => ({ ...post, title: `<b>${post.slug}</b>` }))
    const { at, select, press, statuses } = await withPosts([...posts, { slug: 'draft' }])
    const question = await select('unpublish', [...slugsOf(posts), 'draft', 'gone'], '?sort=title')
    expect(question.status).toBe(200)
    expect(question.words).toMatch(/Unpublish 7 posts\? <b>p-000<\/b> .* <b>p-004<\/b> and 2 more/)
    expect(question.words).not.toContain('p-005')
    expect(question.words).toContain('2 selected posts are not published and will not be changed.')
    expect(question.text).toContain('class="button primary">Unpublish 7 posts</button>')
    expect(question.text).toContain(`href="${at()}?sort=title">Cancel</a>`)
    expect(Object.values(await statuses())).toContain('published')
    const done = await press('Unpublish 7 posts', question)
    expect(done.words).toContain('7 posts unpublished.')
    expect(done.location).toContain('/content?sort=title&done=unpublish')
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['draft']))
    expect((await select('unpublish', ['draft'])).words).toContain('1 post was already unpublished.')
  })
})

it('guides are counted by status, published, unpublished after a question, and restored', async () => {
  const site = await makeSite()
  for (const slug of ['a', 'b', 'selection']) await putGuide(site, slug, { status: 'draft' })
  await putGuide(site, 'c')
  const { at, open, submit } = await browse(site, '/content')
  const list = await open('/guides?sort=title')
  expect(wordsOf(list)).toMatch(/All 4 Published 1 Drafts 3 .* Publish Unpublish… /)
  const select = (change: string, slugs: string[], more: string[][] = []) =>
    submit('/selection/guides?sort=title', [
      ...slugs.map((slug) => ['slug', slug]),
      ['change', change],
      ...more,
    ])
  const published = await select('publish', ['a', 'c'])
  expect(published.location).toContain(`${at()}/guides?sort=title&done=publish&changed=1&already=1&undo=`)
  expect(published.words).toContain('1 guide published. 1 guide was already published.')
  const question = await select('unpublish', ['a', 'b'])
  expect(question.words).toMatch(/Unpublish 1 guide\? .* 1 selected guide is not published/)
  const { action, pairs } = formIn(question, 'Unpublish 1 guide')
  const done = await submit(action, pairs)
  expect(done.words).toContain('1 guide unpublished.')
  const undo = formIn(done.page, 'Undo')
  expect((await submit(undo.action, undo.pairs)).words).toContain('1 guide published.')
  expect((await select('ready', ['b'])).words).toContain('change must be publish or unpublish')
  expect((await open('/guides/selection')).status).toBe(200)
})

describe('undo', () => {
  it('reverts exactly the changed posts, and can be undone itself', async () => {
    const { change, press, open, statuses } = await withPosts()
    const published = await change('publish', ['a', 'b', 'c'], '?sort=title')
    const [, href] = /href="([^"]*)"[^>]*>View posts</.exec(published.page.text)!
    const shown = (await open(decode(href!))).text.matchAll(/type="checkbox" name="slug" value="(\w)"/g)
    expect([...shown].map(([, slug]) => slug).toSorted()).toEqual(['a', 'b'])
    const undo = new URL(published.location!, 'https://api.test').searchParams.get('undo')!
    const reloaded = await open(`?sort=title&undo=${undo}`)
    expect(wordsOf(reloaded)).toMatch(/2 posts published .* UTC \. View posts Undo/)
    const undone = await press('Undo', reloaded)
    expect(undone.words).toContain('2 posts unpublished.')
    expect(undone.location).toContain('/content?sort=title&done=unpublish&changed=2')
    expect(await statuses()).toEqual({ a: 'draft', b: 'draft', c: 'published', d: 'draft' })
    await press('Undo', undone.page)
    expect(await statuses()).toEqual({ a: 'published', b: 'published', c: 'published', d: 'draft' })
  })

  it('skips posts that were changed or deleted since, and says how many', async () => {
    const slugs = ['a', 'b', 'c', 'd', 'e', 'f']
    const { site, change, press, statuses } = await withPosts(
      slugs.map((slug) => ({ slug, status: 'published' })),
    )
    const { page } = await change('unpublish', slugs)
    await site.put('a', { title: 'Edited' })
    await site.manage('DELETE', '/posts/b')
    const publishAt = new Date(Date.now() + 86_400_000).toISOString()
    await site.manage('PUT', '/posts/c/publication-schedule', { publishAt })
    await site.manage('PUT', '/posts/d/change-request', { note: 'Not yet.' })
    const undone = await press('Undo', page)
    expect(undone.words).toContain('2 posts published. 4 of 6 not undone because they have changed since.')
    const after = { a: 'draft', c: 'draft', d: 'draft', e: 'published', f: 'published' }
    expect(await statuses()).toEqual(after)
    expect((await press('Undo', page)).words).toContain(
      'Nothing was undone because all 6 posts have changed since.',
    )
    expect(await statuses()).toEqual(after)
  })

  it('is not offered for changes that the console has not signed for the site', async () => {
    const [own, other] = [await withPosts(), await withPosts()]
    const { location } = await own.change('publish', ['a'])
    const undo = new URL(location!, 'https://api.test').searchParams.get('undo')!
    const [verb, from, , count, mac] = undo.split('.')
    const forged = [verb, from, Date.parse('2030-01-01'), count, mac].join('.')
    for (const [{ open, submit }, text] of [
      [own, forged],
      [other, undo],
      [own, ''],
    ] as const) {
      expect((await open(`?done=publish&changed=1&undo=${text}`)).text).not.toContain('>Undo<')
      expect((await submit('/undo', { undo: text })).words).toContain('Nothing was undone')
    }
    expect((await own.statuses()).a).toBe('published')
  })
})
