import { describe, expect, it } from 'vitest'
import { errorBeside, filledIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { makeSite, manage } from '../../support/site.ts'

const SETTINGS = {
  name: 'Test',
  domain: 'site.example.com',
  defaultLanguage: 'en',
  postPath: '/blog/{slug}',
  guidePath: '/guides/{slug}',
  plan: 'free',
  dailyQuota: '',
}

describe('settings', () => {
  it("show the site's values", async () => {
    const { id } = await makeSite({ dailyQuota: 7, plan: 'growth', trainingOptIn: true })
    const page = await visit(`/console/sites/${id}/settings`, { cookie: await signIn() })
    expect(filledIn('dailyQuota', page)).toBe('7')
    expect(page.text).toContain('<option value="growth" selected="">Growth: 100,000 requests a day</option>')
    expect(page.text).toMatch(/<input id="trainingOptIn"[^>]* checked=""/)
  })

  it('are saved field by field', async () => {
    const { id } = await makeSite({ dailyQuota: 7, trainingOptIn: true })
    const cookie = await signIn()
    const path = `/console/sites/${id}/settings`
    const form = { ...SETTINGS, name: 'Renamed', postPath: '/p/{slug}.html', plan: 'scale' }
    const answer = await visit(path, { cookie, form })
    expect([answer.status, answer.location]).toEqual([303, `${path}?saved=1`])
    expect(wordsOf(await visit(answer.location!, { cookie }))).toContain('The settings are saved.')
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({
      name: 'Renamed',
      postPath: '/p/{slug}.html',
      plan: 'scale',
      dailyQuota: null,
      trainingOptIn: false,
    })
  })

  it.each([
    ['name', '', 'Name is required.'],
    ['domain', 'localhost', 'Domain must be a domain name such as example.com.'],
    ['defaultLanguage', '', 'Default language must be a language code such as en or pt-BR.'],
    ['postPath', '/blog', 'Post path must be a path that begins with one "/" and has {slug} in it once.'],
    ['guidePath', 'x{slug}', 'Guide path must be a path that begins with one "/" and has {slug} in it once.'],
    ['plan', 'gold', 'Plan must be free, starter, growth or scale.'],
    ['dailyQuota', 'many', 'Custom daily quota must be a number.'],
    ['dailyQuota', '-5', 'Custom daily quota must be at least 1.'],
    ['dailyQuota', '0', 'Custom daily quota must be at least 1.'],
    ['dailyQuota', '9999999999', 'Custom daily quota must be at most 1000000000.'],
  ])('with %s %j are refused next to the field, and nothing is saved', async (field, value, words) => {
    const { id } = await makeSite()
    const form = { ...SETTINGS, name: 'Changed', [field]: value }
    const answer = await visit(`/console/sites/${id}/settings`, { cookie: await signIn(), form })
    expect(answer.status).toBe(400)
    expect(errorBeside(field, answer)).toBe(words)
    expect(filledIn('name', answer)).toBe(form.name)
    expect(await manage('GET', `/sites/${id}`)).toMatchObject({ name: 'Test' })
  })
})
