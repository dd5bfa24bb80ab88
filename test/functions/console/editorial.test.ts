/** Scheduling and requested changes from an editor's view. */
import { expect, it } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { browse, filledIn, wordsOf } from '../../support/console.ts'
import { putAll } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const NOTE = 'Which brake?\n<b>Rim</b> or disc'

const open = async (site: TestSite, below: string) => (await browse(site, '/content')).open(below)
const send = async (site: TestSite, below: string, form: Record<string, string> | string[][] = {}) =>
  (await browse(site, '/content')).submit(below, form)

const stored = (site: TestSite, slug = 'a') => site.manage('GET', `/posts/${slug}`)

it('a draft is scheduled on its page, in UTC without a script, shown in the list, and cancelled', async () => {
  const site = await makeSite()
  await putAll(site, [{ slug: 'b' }, { slug: 'a' }, { slug: 'c' }])
  const form = await open(site, '/posts/a')
  expect(form.text).toMatch(/<input id="publishAt"[^>]*data-utc="yes" [^>]*type="datetime-local"/)
  expect(wordsOf(form)).toContain('In UTC.')
  const typed = new Date(Date.now() + DAY_MS).toISOString().slice(0, 16)
  const { location, words, page } = await send(site, '/posts/a/publication-schedule', { publishAt: typed })
  expect(location).not.toContain('done=')
  expect(words).toMatch(/ Scheduled .* Reschedule .*Scheduled for .* by OPERATOR_TOKEN\./)
  expect(filledIn('publishAt', page)).toBe(typed)
  expect(await stored(site)).toMatchObject({ publishAt: `${typed}:00.000Z` })
  const later = new Date(Date.now() + 2 * DAY_MS).toISOString()
  await site.manage('PUT', '/posts/b/publication-schedule', { publishAt: later })

  const list = wordsOf(await open(site, '?status=scheduled'))
  expect(list).toMatch(/Publishes at .* 2 posts/)
  expect(list).toMatch(/ Scheduled .* A title Scheduled /)
  const edit = wordsOf(await open(site, '/posts/a/edit'))
  expect(edit).toMatch(/It is scheduled for .* Saving changes cancels the schedule/)

  const cancelled = await send(site, '/posts/a/publication-schedule/cancellation')
  expect(cancelled.words).toContain('Schedule cancelled. The post stays a draft.')
  const published = await send(site, '/posts/b/publication', { status: 'published' })
  expect(published.words).toMatch(/The schedule for .* was cancelled\./)
})

it('undo of a publication restores the schedule that it cancelled, unless its time has passed', async () => {
  const site = await makeSite()
  await putAll(site, [{ slug: 'a' }])
  const publishAt = new Date(Date.now() + DAY_MS).toISOString()
  await site.manage('PUT', '/posts/a/publication-schedule', { publishAt })
  const published = await send(site, '/posts/a/publication', { status: 'published' })
  const undoOf = ({ location }: { location: string | null }) =>
    new URL(location!, 'https://api.test').searchParams.get('undo')!
  const undone = await send(site, '/posts/a/undo', { undo: undoOf(published) })
  expect(undone.words).toMatch(/Unpublished\..*Scheduled for .* by OPERATOR_TOKEN\./)
  expect(await stored(site)).toMatchObject({ publishAt, post: { status: 'draft' } })

  await runSql('update posts set publish_at = $2 where site_id = $1', [site.id, '2026-01-01T00:00:00Z'])
  const again = await send(site, '/posts/a/publication', { status: 'published' })
  const late = await send(site, '/posts/a/undo', { undo: undoOf(again) })
  expect(late.words).toContain('was cancelled. Its time has passed, so it cannot be restored.')
  expect(await stored(site)).toMatchObject({ publishAt: null, post: { status: 'draft' } })
})

it('a draft shows all of its states in the list and on its page', async () => {
  const site = await makeSite()
  const { read } = await browse(site)
  for (const slug of ['a', 'b', 'c', 'd']) await site.put(slug, { title: slug, trustScore: 90 })
  const publishAt = new Date(Date.now() + 86_400_000).toISOString()
  for (const slug of ['b', 'd']) await site.manage('PUT', `/posts/${slug}/readiness`)
  await site.manage('PUT', '/posts/d/publication-schedule', { publishAt })
  expect(await read('/content?status=ready')).toContain(' d Scheduled Ready Premium ')
  expect(await read('/content/posts/d')).toContain(' d Scheduled Ready Updated ')
  for (const slug of ['a', 'b', 'c'])
    await site.manage('PUT', `/posts/${slug}/change-request`, { note: 'Shorten it' })
  await site.manage('PUT', '/posts/c/publication-schedule', { publishAt })
  const list = await read('/content?status=changes')
  for (const [slug, state] of Object.entries({ a: 'Draft', b: 'Ready', c: 'Scheduled' })) {
    expect(list).toContain(` ${slug} ${state} Changes requested Premium `)
    expect(await read(`/content/posts/${slug}`)).toContain(` ${slug} ${state} Changes requested Updated `)
  }
  expect(await read('/content/posts/c')).toContain(
    'It publishes even if the changes are not resolved. Editing',
  )
})

it('while changes are requested, the console refuses to publish or mark ready, and names the posts', async () => {
  const site = await makeSite()
  await putAll(site, [
    { slug: 'a', trustScore: 90 },
    { slug: 'b', trustScore: 90 },
  ])
  await site.manage('PUT', '/posts/a/publication-schedule', {
    publishAt: new Date(Date.now() + DAY_MS).toISOString(),
  })
  const form = (await open(site, '/posts/a/change-request')).text
  expect(form).toMatch(/<textarea[^>]*name="note"[^>]*autofocus/)
  expect((await send(site, '/posts/a/change-request', { note: ' ' })).status).toBe(400)
  const { words, page } = await send(site, '/posts/a/change-request', { note: NOTE })
  expect(words).toMatch(/The schedule for .* was cancelled/)
  expect(words).toMatch(/Changes requested by OPERATOR_TOKEN \d/)
  expect(page.text).toContain('Which brake?\n&lt;b&gt;Rim&lt;/b&gt; or disc')
  expect(words).toContain('You can publish the post once they are resolved.')

  for (const [below, form] of [
    ['/posts/a/readiness', {}],
    ['/posts/a/publication', { status: 'published' }],
    ['/posts/a/publication-schedule', { publishAt: new Date(Date.now() + DAY_MS).toISOString() }],
  ] as const) {
    const refused = await send(site, below, form)
    expect(refused.status, below).toBe(409)
    expect(refused.words).toContain('Changes are requested')
  }
  for (const change of ['publish', 'ready']) {
    const form = [
      ['change', change],
      ['slug', 'a'],
      ['slug', 'b'],
    ]
    expect((await send(site, '/selection', form)).words).toMatch(
      /(1 post|No posts) (marked ready|published)\. .*A title : Changes are requested\./,
    )
  }
  expect((await stored(site)).post).toMatchObject({ status: 'draft' })
  expect(await stored(site)).toMatchObject({ readyAt: null })
  expect((await stored(site, 'b')).post).toMatchObject({ status: 'published' })
  expect(wordsOf(await open(site, '?status=changes'))).toMatch(/ Changes requested .* 1 post/)

  await site.put('a', { title: 'A new version', trustScore: 90 })
  expect(wordsOf(await open(site, '/posts/a'))).toMatch(
    /Changes requested by OPERATOR_TOKEN .*, post changed \d/,
  )
  expect((await send(site, '/posts/a/change-request/resolution')).words).toContain('Change request resolved.')
  await send(site, '/posts/a/readiness')
  expect(wordsOf(await open(site, '/posts/a'))).toContain('Marked ready by OPERATOR_TOKEN')
})
