import { describe, expect, it } from 'vitest'
import { suggestSlug } from '../../../src/content/model/slug.ts'
import { browse, errorBeside, filledIn, wordsOf } from '../../support/console.ts'
import { makeSite } from '../../support/site.ts'

describe.each([
  ['posts', 'post'],
  ['guides', 'guide'],
])('creating %s', (kind, noun) => {
  it('makes a draft of what the editor sends', async () => {
    const site = await makeSite()
    const { at, open, read } = await browse(site)
    expect(await read(kind === 'posts' ? '/content' : '/content/guides')).toContain(`New ${noun}`)
    const form = { title: 'How to true\r\na wheel?\r\n', slug: '', contentHtml: '<p>Turn it.</p>' }
    const created = await open(`/content/new/${kind}`, { form })
    expect(created.location).toContain(at(`/content/${kind}/how-to-true-a-wheel?done=created`))
    expect(await read(created.location!.replace(at(''), ''))).toContain('Draft created.')
    const stored = await site.manage('GET', `/${kind}/how-to-true-a-wheel` as '/posts/x')
    expect(stored).toMatchObject({
      [noun]: { title: 'How to true a wheel?', status: 'draft', contentHtml: '<p>Turn it.</p>' },
    })
  })

  it('takes all fields, whatever the form was opened with, and opens with Markdown', async () => {
    const site = await makeSite()
    const { open } = await browse(site)
    const form = {
      title: 'Same',
      contentHtml: '<p>b</p>',
      opened: '{"title":"Same","contentHtml":"<p>a</p>"}',
    }
    expect((await open(`/content/new/${kind}`, { form })).status).toBe(303)
    expect(await site.manage('GET', `/${kind}/same` as '/posts/x')).toMatchObject({
      [noun]: { title: 'Same', contentHtml: '<p>b</p>' },
    })
    expect((await open(`/content/new/${kind}`)).text).toContain('name="contentMarkdown"')
  })

  it.each(['', ' \r\n'])('a blank title is refused once: %j', async (title) => {
    const { open } = await browse(await makeSite())
    const refused = await open(`/content/new/${kind}`, { form: { title, slug: '' } })
    expect([refused.status, errorBeside('title', refused), errorBeside('slug', refused)]).toEqual([
      400,
      'Title is required.',
      null,
    ])
  })

  it('overwrites none that exists, and keeps what was typed', async () => {
    const site = await makeSite()
    const { open } = await browse(site)
    await site.manage('PUT', `/${kind}/a` as '/posts/a', { title: 'First', contentHtml: '<p>Kept</p>' })
    const repeated = await open(`/content/new/${kind}`, { form: { title: 'First', slug: 'a' } })
    expect(repeated.status).toBe(409)
    const unnamed = await open(`/content/new/${kind}`, { form: { title: 'A', slug: '' } })
    expect([unnamed.status, filledIn('slug', unnamed)]).toEqual([409, 'a'])
    const refused = await open(`/content/new/${kind}`, { form: { title: 'Second', slug: 'a' } })
    expect([refused.status, errorBeside('slug', refused), filledIn('title', refused)]).toEqual([
      409,
      `Slug is already used by another ${noun}.`,
      'Second',
    ])
    expect(await site.manage('GET', `/${kind}/a` as '/posts/a')).toMatchObject({ [noun]: { title: 'First' } })
  })
})

it('a title that reverses text is refused, and shown without that character if the API took it', async () => {
  const site = await makeSite()
  const { open } = await browse(site)
  const title = 'photo \u202egpj.exe'
  const refused = await open('/content/new/posts', { form: { title } })
  expect([refused.status, errorBeside('title', refused), filledIn('title', refused)]).toEqual([
    400,
    'Title must not contain an invisible character that reverses text (U+202D or U+202E).',
    title,
  ])
  await site.put('one', { title })
  for (const path of ['/content', '/content/posts/one', '/content/posts/one/deletion', '/audit-log']) {
    const { text } = await open(path)
    expect(text.replace(/<code>[\s\S]*?<\/code>/g, '')).not.toContain('\u202e')
    expect(text).toContain('photo gpj.exe')
  }
  expect(filledIn('title', await open('/content/posts/one/edit'))).toBe(title)
  expect(await site.json('/posts/one')).toMatchObject({ title })
})

it('a title without letters asks for a slug', async () => {
  const { open } = await browse(await makeSite())
  const refused = await open('/content/new/posts', { form: { title: '?!' } })
  expect([refused.status, errorBeside('slug', refused)]).toEqual([
    400,
    'Slug is required, because the title has no letters or digits.',
  ])
  expect(wordsOf(refused)).toContain('New post')
})

it.each([
  ['How to true a wheel?', 'how-to-true-a-wheel'],
  ['  Größe & Gewicht – 2026 ', 'größe-gewicht-2026'],
  ['自転車の整備', '自転車の整備'],
  [`${'word '.repeat(30)}`, Array(16).fill('word').join('-')],
  ['𝒜'.repeat(90), '𝒜'.repeat(80)],
  ['?!', ''],
])('the slug of %j is %j', (title, slug) => {
  expect(suggestSlug(title)).toBe(slug)
})
