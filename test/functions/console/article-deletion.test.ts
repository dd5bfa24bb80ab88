import { describe, expect, it } from 'vitest'
import { browse, filledIn, unsigned, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { makeSite } from '../../support/site.ts'

describe.each([
  { kind: 'posts', noun: 'post' },
  { kind: 'guides', noun: 'guide' },
] as const)('one of the $kind', ({ kind, noun }) => {
  async function withArticle() {
    const site = await makeSite()
    const fields = { title: 'Title <old>', status: 'published' }
    await (kind === 'posts' ? site.put('old', fields) : putGuide(site, 'old', fields))
    return { site, ...(await browse(site, '/content')) }
  }

  it('moves to a new slug, and leaves a redirect and an explanation at the old one', async () => {
    const { site, at, open, submit } = await withArticle()
    const path = `/${kind}/old`
    expect((await open(path)).text).toContain(`href="${at(path)}/edit#slug">Change slug</a>`)
    const form = await open(`${path}/edit`)
    expect(filledIn('slug', form)).toBe('old')
    expect(wordsOf(form)).toMatch(/API then returns 404 for the old slug.*redirects/)
    const answer = await submit(`${path}/edit`, { slug: 'naïve-新' })
    const renamed = at(`/${kind}/${encodeURIComponent('naïve-新')}`)
    expect([answer.status, unsigned(answer.location)]).toEqual([303, `${renamed}?done=renamed`])
    const list = await open(kind === 'posts' ? '' : '/guides')
    expect(list.text).toContain(`<a href="${renamed}"`)
    expect(await open(`${path}/edit`)).toMatchObject({ status: 303, location: `${renamed}/edit` })
    // Another tab, which still shows the old slug.
    const late = await submit(`${path}/publication`, { status: 'draft' })
    expect([late.status, late.words]).toEqual([
      404,
      expect.stringMatching(/has moved Its slug was changed from old to naïve-新 \. Nothing was changed\./),
    ])
    const redirect = { resource: noun, oldSlug: 'old', slug: 'naïve-新' }
    expect(await site.json('/redirects')).toMatchObject({ items: [redirect] })
  })

  it('links to its deletion, after which its page says who deleted it', async () => {
    const { at, open, submit } = await withArticle()
    const path = `/${kind}/old`
    expect((await open(path)).text).toContain(`href="${at(path)}/deletion">Delete…</a>`)
    await submit(`${path}/deletion`)
    const late = await submit(`${path}/publication`, { status: 'published' })
    expect([late.status, late.words]).toEqual([
      404,
      expect.stringMatching(
        `The ${noun} was deleted old was deleted on .* UTC by OPERATOR_TOKEN\\. Nothing was changed`,
      ),
    ])
  })
})
