import { describe, expect, it } from 'vitest'
import { decode, signIn, visit, wordsOf } from '../../support/console.ts'
import { putAll } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { callsOf } from '../../support/sql.ts'
import { deliveries, eventually, received, setWebhook } from '../../support/webhook.ts'

/** Posts a form, and follows the redirect. */
async function submit(path: string, form: string[][]) {
  const cookie = await signIn()
  const body = new URLSearchParams(form)
  const answer = await visit(path, { cookie, method: 'POST', body, headers: { Origin: 'https://api.test' } })
  const page = answer.location ? await visit(answer.location, { cookie }) : answer
  return { ...answer, page, words: wordsOf(page) }
}

/** Submits the form of the list with posts selected, and confirms if asked. */
function change(site: TestSite, name: string, slugs: string[], query = '') {
  const selected = slugs.map((slug) => ['slug', slug])
  const form = [...selected, ['change', name], ['confirmed', 'yes']]
  return submit(`/console/sites/${site.id}/content/selection${query}`, form)
}

/** Posts the form with this button unchanged. */
function press(words: string, { text }: { text: string }) {
  const forms = [...text.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)]
  const [, action, inner] = forms.find(([, , inner]) => inner!.includes(`>${words}<`)) ?? []
  const fields = [
    ...inner!.matchAll(/<(?:input type="hidden"|button type="submit") name="(\w+)" value="([^"]*)"/g),
  ]
  return submit(
    decode(action!),
    fields.map(([, name, value]) => [name!, decode(value!)]),
  )
}

async function statuses(site: TestSite): Promise<Record<string, string>> {
  const { items } = await site.json<{ items: { slug: string; status: string }[] }>('/posts?pageSize=50')
  return Object.fromEntries(items.map(({ slug, status }) => [slug, status]))
}

async function withPosts(): Promise<TestSite> {
  const site = await makeSite()
  await putAll(site, [
    { slug: 'a', trustScore: 90 },
    { slug: 'b', trustScore: 80 },
    { slug: 'c', status: 'published' },
    { slug: 'd' },
  ])
  return site
}

describe('the list', () => {
  it('has a checkbox for each post, and buttons that need no script', async () => {
    const site = await withPosts()
    const path = `/console/sites/${site.id}/content?status=draft`
    const { text } = await visit(path, { cookie: await signIn() })
    expect(text.match(/<input type="checkbox" class="select" name="slug" value="[abd]"/g)).toHaveLength(3)
    expect(text).toContain(`action="/console/sites/${site.id}/content/selection?status=draft"`)
    const buttons = [...text.matchAll(/<button type="submit" name="change" value="(\w+)"/g)]
    expect(buttons.map(([, value]) => value)).toEqual(['publish', 'ready', 'unpublish'])
    // Enter in a checkbox presses the first button.
    const [, form] = text.split('<form method="post" action="/console/sites/')
    expect(/<button[^>]*>/.exec(form!)![0]).toContain('disabled')
  })
})

describe('a selection', () => {
  const slugs = Array.from({ length: 120 }, (_, i) => `p-${String(i).padStart(3, '0')}`)
  const withMany = async (count: number) => {
    const site = await makeSite()
    const put = slugs.slice(0, count).map((slug) => ({ slug, title: slug }))
    for (const part of [put.slice(0, 100), put.slice(100)]) if (part.length > 0) await putAll(site, part)
    return site
  }
  const checkedIn = ({ text }: { text: string }) =>
    [...text.matchAll(/class="select" name="slug" value="([^"]*)" [^>]*checked=""/g)].map(([, slug]) => slug)
  const hiddenIn = ({ text }: { text: string }) =>
    [...text.matchAll(/type="hidden" name="slug" value="([^"]*)"/g)].map(([, slug]) => slug)

  it('is kept on other pages of the list without a script', async () => {
    const site = await withMany(60)
    const path = `/console/sites/${site.id}/content/selection?sort=title`
    const keep = ['change', 'keep']
    const second = await submit(`${path}&page=2`, [['slug', 'p-001'], ['slug', 'p-007'], keep])
    expect([second.status, checkedIn(second), hiddenIn(second)]).toEqual([200, [], ['p-001', 'p-007']])
    expect(second.words).toContain('51 to 60 of 60 posts')
    expect(second.words).toContain('Selected, plus 2 on other pages:')
    const first = await submit(path, [['slug', 'p-001'], ['slug', 'p-055'], keep])
    expect([checkedIn(first), hiddenIn(first)]).toEqual([['p-001'], ['p-055']])
    expect(first.text).toMatch(/<noscript>.*value="keep" formaction="[^"]*&amp;page=2".*<\/noscript>/)
  })

  it.each([
    [60, 'Select all 60', '60 posts', 60],
    [120, 'Select the first 100', '1 to 100 of 120 posts', 100],
  ])('of all %i matches is made on one page, up to 100', async (count, link, shown, selected) => {
    const site = await withMany(count)
    const cookie = await signIn()
    const list = await visit(`/console/sites/${site.id}/content?sort=title`, { cookie })
    const [, href] = new RegExp(`href="([^"]*)">${link}<`).exec(list.text)!
    const whole = await visit(decode(href!), { cookie })
    expect(checkedIn(whole)).toEqual(slugs.slice(0, selected))
    expect(wordsOf(whole)).toContain(`${shown} Show 50 per page`)
    expect(whole.text).toContain('data-whole="yes"')
  })
})

describe('selected posts', () => {
  it('are published and unpublished, and the list says how many', async () => {
    const site = await withPosts()
    const published = await change(site, 'publish', ['a', 'b', 'c'])
    expect([published.status, published.words]).toEqual([
      303,
      expect.stringContaining('2 posts published. 1 post was already published.'),
    ])
    expect(await statuses(site)).toEqual({ a: 'published', b: 'published', c: 'published', d: 'draft' })
    const unpublished = await change(site, 'unpublish', ['a'])
    expect(unpublished.words).toContain('1 post unpublished.')
    expect(await statuses(site)).toMatchObject({ a: 'draft', b: 'published' })
  })

  it('return to the list with its filters', async () => {
    const site = await withPosts()
    const { location } = await change(site, 'publish', ['a'], '?search=title&sort=title&page=1')
    expect(location).toContain(
      `/console/sites/${site.id}/content?search=title&sort=title&page=1&done=publish&changed=1&already=0&undo=`,
    )
  })

  it('are marked ready, and each sends its event', async () => {
    const site = await withPosts()
    await setWebhook(site, 'ok')
    const answer = await change(site, 'ready', ['a', 'b'])
    expect(answer.words).toContain('2 posts marked ready.')
    await eventually(async () => {
      const sent = await deliveries(site)
      return sent.length === 2 && sent.every(({ status }) => status === 200) ? sent : null
    })
    const slugs = (await received(site)).map(({ body }) => JSON.parse(body).slug)
    expect(slugs.toSorted()).toEqual(['a', 'b'])
    const again = await change(site, 'ready', ['a', 'b'])
    expect(again.words).toContain('0 posts marked ready. 2 posts were already marked ready.')
    expect(await received(site)).toHaveLength(2)
  })

  it('report when no webhook is set', async () => {
    const { words } = await change(await withPosts(), 'ready', ['a'])
    expect(words).toContain('1 post marked ready. No webhook is set up, so no event was sent.')
  })

  it('that are refused are listed with the reason, and the others are changed', async () => {
    const site = await withPosts()
    const answer = await change(site, 'ready', ['a', 'c', 'd', 'gone', '\0'], '?status=draft')
    expect(answer.status).toBe(200)
    expect(answer.words).toContain('Not all posts marked ready')
    expect(answer.words).toContain('1 post marked ready.')
    expect(answer.words).toContain('c : Only a draft can be marked ready.')
    expect(answer.words).toContain('d : Draft has not been quality-checked.')
    expect(answer.words).toContain('2 selected posts can no longer be found.')
    const content = `/console/sites/${site.id}/content`
    expect(answer.text).toContain(`href="${content}/posts/d?list=%2Fcontent%3Fstatus%3Ddraft"`)
    expect(answer.text).toContain(`href="${content}?status=draft">Back to posts`)
  })

  it('that are all refused are reported, and reloading the answer shows the list', async () => {
    const site = await withPosts()
    const answer = await change(site, 'ready', ['c', 'd'], '?status=draft')
    expect(answer.words).toContain('No posts marked ready')
    const again = await visit(`/console/sites/${site.id}/content/selection?status=draft`, {
      cookie: await signIn(),
    })
    expect([again.status, again.location]).toEqual([303, `/console/sites/${site.id}/content?status=draft`])
  })

  it('may be none', async () => {
    const { status, words } = await change(await withPosts(), 'publish', [])
    expect(status).toBe(303)
    expect(words).toContain('No posts were selected.')
  })

  it('may be a hundred, in one call to the database, and no more', async () => {
    const site = await makeSite()
    const slugs = Array.from({ length: 101 }, (_, i) => `p-${i}`)
    await putAll(
      site,
      slugs.map((slug) => ({ slug, trustScore: 90 })),
    )
    for (const name of ['ready', 'publish']) {
      const cookie = await signIn()
      const body = new URLSearchParams([...slugs.slice(1).map((slug) => ['slug', slug]), ['change', name]])
      const path = `/console/sites/${site.id}/content/selection`
      const headers = { Origin: 'https://api.test' }
      expect(await callsOf(() => visit(path, { cookie, method: 'POST', body, headers }))).toBe(3)
    }
    expect((await change(site, 'publish', slugs)).words).toContain('slug must be at most 100')
    const all = await site.json<{ total: number }>('/posts?status=published')
    expect(all.total).toBe(100)
  })

  it('with the longest slugs fit in the form', async () => {
    const site = await makeSite()
    const slugs = Array.from({ length: 100 }, (_, i) => String(i).padStart(4, '0') + '語'.repeat(130))
    await putAll(
      site,
      slugs.map((slug) => ({ slug })),
    )
    expect((await change(site, 'publish', slugs)).words).toContain('100 posts published.')
  })

  it('with an unknown action are refused', async () => {
    const { status, words } = await change(await withPosts(), 'archive', ['a'])
    expect(status).toBe(400)
    expect(words).toContain('change must be publish, unpublish or ready')
  })
})

describe('unpublishing', () => {
  const ask = (site: TestSite, slugs: string[], query = '') =>
    submit(`/console/sites/${site.id}/content/selection${query}`, [
      ...slugs.map((slug) => ['slug', slug]),
      ['change', 'unpublish'],
    ])

  it('asks first, with the number and the first titles, and does nothing before', async () => {
    const site = await makeSite()
    const slugs = Array.from({ length: 7 }, (_, i) => `p-${i}`)
    await putAll(
      site,
      slugs.map((slug) => ({ slug, title: `<b>${slug}</b>`, status: 'published' })),
    )
    await site.put('draft')
    const question = await ask(site, [...slugs, 'draft', 'gone'], '?sort=title')
    expect(question.status).toBe(200)
    expect(question.words).toMatch(/Unpublish 7 posts\? <b>p-0<\/b> .* <b>p-4<\/b> and 2 more/)
    expect(question.words).not.toContain('p-5')
    expect(question.words).toContain('2 selected posts are not published and will not be changed.')
    expect(question.text).toContain('class="button danger">Unpublish 7 posts</button>')
    expect(question.text).toContain(`href="/console/sites/${site.id}/content?sort=title">Cancel</a>`)
    expect(Object.values(await statuses(site))).toContain('published')
    const done = await press('Unpublish 7 posts', question)
    expect(done.words).toContain('7 posts unpublished.')
    expect(done.location).toContain('/content?sort=title&done=unpublish')
    expect(new Set(Object.values(await statuses(site)))).toEqual(new Set(['draft']))
  })

  it('does not ask when nothing is published', async () => {
    expect((await ask(await withPosts(), ['a'])).words).toContain('1 post was already unpublished.')
  })
})

describe('undo', () => {
  it('reverts exactly the changed posts, and can be undone itself', async () => {
    const site = await withPosts()
    const published = await change(site, 'publish', ['a', 'b', 'c'], '?sort=title')
    const undone = await press('Undo', published.page)
    expect(undone.words).toContain('2 posts unpublished.')
    expect(undone.location).toContain('/content?sort=title&done=unpublish&changed=2')
    expect(await statuses(site)).toEqual({ a: 'draft', b: 'draft', c: 'published', d: 'draft' })
    await press('Undo', undone.page)
    expect(await statuses(site)).toEqual({ a: 'published', b: 'published', c: 'published', d: 'draft' })
  })

  it('skips posts that were changed or deleted since, and says how many', async () => {
    const site = await makeSite()
    const slugs = ['a', 'b', 'c', 'd', 'e']
    await putAll(
      site,
      slugs.map((slug) => ({ slug, status: 'published' })),
    )
    const { page } = await change(site, 'unpublish', slugs)
    await site.put('a', { title: 'Edited' })
    await site.manage('DELETE', '/posts/b')
    const undone = await press('Undo', page)
    expect(undone.words).toContain('3 posts published. 2 of 5 not undone because they have changed since.')
    expect(await statuses(site)).toEqual({ a: 'draft', c: 'published', d: 'published', e: 'published' })
    expect((await press('Undo', page)).words).toContain(
      'Nothing was undone because all 5 posts have changed since.',
    )
    expect(await statuses(site)).toEqual({ a: 'draft', c: 'published', d: 'published', e: 'published' })
  })

  it('skips posts that were scheduled since, or have changes requested', async () => {
    const site = await makeSite()
    const slugs = ['a', 'b', 'c']
    const reviewStatus = 'changes_requested'
    await putAll(
      site,
      slugs.map((slug) => ({ slug, status: 'published', reviewStatus })),
    )
    const { page } = await change(site, 'unpublish', slugs)
    const publishAt = new Date(Date.now() + 86_400_000).toISOString()
    await site.manage('PUT', '/posts/a/publication-schedule', { publishAt })
    await site.manage('PUT', '/posts/b/change-request', { note: 'Not yet.' })
    const undone = await press('Undo', page)
    expect(undone.words).toContain('1 post published. 2 of 3 not undone because they have changed since.')
    expect(await statuses(site)).toEqual({ a: 'draft', b: 'draft', c: 'published' })
    expect(await site.manage('GET', '/posts/a/publication-schedule')).toMatchObject({ publishAt })
  })

  it('links to the reverted posts', async () => {
    const site = await withPosts()
    const { page } = await change(site, 'publish', ['a', 'b', 'c'])
    const [, href] = /href="([^"]*)"[^>]*>View posts</.exec(page.text)!
    const shown = await visit(decode(href!), { cookie: await signIn() })
    const slugs = [...shown.text.matchAll(/class="select" name="slug" value="(\w)"/g)].map(([, slug]) => slug)
    expect(slugs.toSorted()).toEqual(['a', 'b'])
  })

  it('is not offered for changes that the console has not signed for the site', async () => {
    const [site, other] = [await withPosts(), await withPosts()]
    const { location } = await change(site, 'publish', ['a'])
    const undo = new URL(location!, 'https://api.test').searchParams.get('undo')!
    const [verb, from, , count, mac] = undo.split('.')
    const forged = [verb, from, Date.parse('2030-01-01'), count, mac].join('.')
    for (const [of, text] of [
      [site, forged],
      [other, undo],
      [site, ''],
    ] as const) {
      const path = `/console/sites/${of.id}/content`
      const list = await visit(`${path}?done=publish&changed=1&undo=${text}`, { cookie: await signIn() })
      expect(list.text).not.toContain('>Undo<')
      expect((await submit(`${path}/undo`, [['undo', text]])).words).toContain('Nothing was undone')
    }
    expect((await statuses(site)).a).toBe('published')
  })

  it('is not available for marking ready', async () => {
    expect((await change(await withPosts(), 'ready', ['a'])).page.text).not.toContain('>Undo<')
  })

  it('gets the focus back from its button', async () => {
    const { page } = await change(await withPosts(), 'publish', ['a'])
    expect(page.text).toContain('<div class="outcome" tabindex="-1" autofocus')
  })
})
