import { describe, expect, it } from 'vitest'
import { errorBeside, filledIn, signIn, unsigned, visit, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { callsOf } from '../../support/sql.ts'

const pathOf = (site: TestSite, below: string) => `/console/sites/${site.id}/content${below}`

const KINDS = [
  { kind: 'posts', noun: 'post', list: '' },
  { kind: 'guides', noun: 'guide', list: '/guides' },
] as const

async function siteWith(kind: 'posts' | 'guides', slugs: string[]) {
  const site = await makeSite()
  for (const slug of slugs) {
    if (kind === 'posts') await site.put(slug, { title: `Title <${slug}>`, status: 'published' })
    else await putGuide(site, slug, { title: `Title <${slug}>` })
  }
  return site
}

describe.each(KINDS)('changing the slug of one of the $kind', ({ kind, noun }) => {
  it('has the current slug, and explains what happens to the old one', async () => {
    const site = await siteWith(kind, ['old'])
    const cookie = await signIn()
    const path = pathOf(site, `/${kind}/old`)
    expect((await visit(path, { cookie })).text).toContain(`href="${path}/slug">Change slug</a>`)
    const form = await visit(`${path}/slug`, { cookie })
    expect(filledIn('slug', form)).toBe('old')
    expect(wordsOf(form)).toMatch(/API then returns 404 for the old slug.*change feed.*redirects/)
    expect(await callsOf(() => visit(`${path}/slug`, { cookie }))).toBeLessThanOrEqual(3)
  })

  it('redirects to the page at the new slug, and leaves a 404 and a redirect at the old one', async () => {
    const site = await siteWith(kind, ['old'])
    const cookie = await signIn()
    const answer = await visit(pathOf(site, `/${kind}/old/slug`), { cookie, form: { slug: 'naïve-新' } })
    const renamed = pathOf(site, `/${kind}/${encodeURIComponent('naïve-新')}`)
    expect([answer.status, unsigned(answer.location)]).toEqual([303, `${renamed}?done=renamed`])
    expect(wordsOf(await visit(answer.location!, { cookie }))).toContain(
      `Slug changed. The API serves the ${noun} at the new slug only.`,
    )
    expect(await visit(pathOf(site, `/${kind}/old/slug`), { cookie })).toMatchObject({
      status: 303,
      location: `${renamed}/slug`,
    })
    const late = await visit(pathOf(site, `/${kind}/old/publication`), { cookie, form: { status: 'draft' } })
    expect([late.status, wordsOf(late)]).toEqual([
      404,
      expect.stringMatching(/has moved Its slug was changed from old to naïve-新 \. Nothing was changed\./),
    ])
    expect((await site.get(`/${kind}/old`)).status).toBe(404)
    const redirect = { resource: noun, oldSlug: 'old', slug: 'naïve-新' }
    expect(await site.json('/redirects')).toMatchObject({ items: [redirect] })
  })

  it.each([
    ['taken', `Slug is already used by another ${noun}.`],
    ['a b', 'Slug must be 1 to 200 letters, digits, "-", "_", "." or "~".'],
    ['"><b>', 'Slug must be 1 to 200 letters, digits, "-", "_", "." or "~".'],
    ['', 'Slug is required.'],
  ])('to %j is refused with an error at the field, and keeps the text', async (slug, words) => {
    const site = await siteWith(kind, ['old', 'taken'])
    const cookie = await signIn()
    const answer = await visit(pathOf(site, `/${kind}/old/slug`), { cookie, form: { slug } })
    expect(answer.status).toBe(400)
    expect(errorBeside('slug', answer)).toBe(words)
    expect(filledIn('slug', answer)).toBe(slug)
    expect((await visit(pathOf(site, `/${kind}/old`), { cookie })).status).toBe(200)
  })
})

describe.each(KINDS)('deleting one of the $kind', ({ kind, noun, list }) => {
  it('asks for confirmation with the title, then returns to the list and leaves a 404', async () => {
    const site = await siteWith(kind, ['old', 'kept'])
    const cookie = await signIn()
    const path = pathOf(site, `/${kind}/old`)
    expect((await visit(path, { cookie })).text).toContain(`href="${path}/deletion">Delete</a>`)
    const question = await visit(`${path}/deletion`, { cookie })
    expect(wordsOf(question)).toContain(`Delete the ${noun} “Title <old>”?`)
    expect(await callsOf(() => visit(`${path}/deletion`, { cookie }))).toBeLessThanOrEqual(3)
    expect((await site.get(`/${kind}/old`)).status).toBe(200)
    const answer = await visit(`${path}/deletion`, { cookie, form: {} })
    expect([answer.status, unsigned(answer.location)]).toEqual([303, `${pathOf(site, list)}?done=deleted`])
    const page = await visit(answer.location!, { cookie })
    expect(wordsOf(page)).toContain(`${noun === 'post' ? 'Post' : 'Guide'} deleted.`)
    expect(wordsOf(page)).toContain('Title <kept>')
    expect(wordsOf(page)).not.toContain('Title <old>')
    expect((await site.get(`/${kind}/old`)).status).toBe(404)
    // Another tab, which still shows the old slug.
    const late = await visit(`${path}/publication`, { cookie, form: { status: 'published' } })
    expect(late.status).toBe(404)
    expect(wordsOf(late)).toMatch(
      new RegExp(
        `The ${noun} was deleted old was deleted on .* UTC by OPERATOR_TOKEN\\. Nothing was changed`,
      ),
    )
  })
})

describe('404', () => {
  it.each(['/posts/none/slug', '/posts/none/deletion', '/guides/none/slug', '/guides/a%20b/deletion'])(
    'is the answer of %s without an article, and of its form',
    async (below) => {
      const site = await makeSite()
      const cookie = await signIn()
      expect((await visit(pathOf(site, below), { cookie })).status).toBe(404)
      expect((await visit(pathOf(site, below), { cookie, form: { slug: 'new' } })).status).toBe(404)
    },
  )
})
