import { describe, expect, it } from 'vitest'
import { errorBeside, signIn, visit, wordsOf } from '../../support/console.ts'
import { call, makeSite, manage } from '../../support/site.ts'

const lastYear = () => new Date(Date.now() - 366 * 86_400_000).toISOString().slice(0, 10)
const today = () => new Date().toISOString().slice(0, 10)

describe('a key', () => {
  it('is shown once, works, and is not shown again', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const answer = await visit(`/console/sites/${id}/keys`, { cookie, form: { name: 'CMS', access: 'full' } })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(wordsOf(answer)).toContain('You will not be able to see it again')
    const key = /hca_live_\w{38}/.exec(answer.text)![0]
    expect((await call(`/api/v1/sites/${id}/posts`, { key })).status).toBe(200)
    const page = await visit(`/console/sites/${id}/api`, { cookie })
    expect(page.text).not.toContain(key)
    expect(wordsOf(page)).toMatch(
      new RegExp(`CMS Active hca_live_…${key.slice(-4)} Full today · never used · never expires`),
    )
  })

  it('is created once, even if the form is submitted again', async () => {
    const { id } = await makeSite()
    const cookie = await signIn()
    const { text } = await visit(`/console/sites/${id}/keys/new`, { cookie })
    const form = { name: 'CMS', access: 'full', id: /name="id" value="([^"]+)"/.exec(text)![1]! }
    const statuses = []
    for (let times = 0; times < 2; times++) {
      const answer = await visit(`/console/sites/${id}/keys`, { cookie, form })
      statuses.push(answer.status)
      if (answer.status !== 201) expect(wordsOf(answer)).toContain('This key has been created already')
    }
    expect(statuses).toEqual([201, 400])
    expect((await manage('GET', `/sites/${id}/keys`)).items).toHaveLength(2)
  })

  it('can be sitemap-only, and works to the end of its last day', async () => {
    const { id } = await makeSite()
    const form = { name: 'Sitemap', access: 'sitemap', expiresAt: today() }
    expect((await visit(`/console/sites/${id}/keys`, { cookie: await signIn(), form })).status).toBe(201)
    const { items } = await manage('GET', `/sites/${id}/keys`)
    expect(items[0]).toMatchObject({
      name: 'Sitemap',
      access: 'sitemap',
      expiresAt: `${today()}T23:59:59.999Z`,
    })
  })

  it('can be for published content only, and its page has a first request that works', async () => {
    const site = await makeSite()
    await site.put('draft')
    const cookie = await signIn()
    const form = { name: 'Website', access: 'published' }
    const answer = await visit(`/console/sites/${site.id}/keys`, { cookie, form })
    const [, key, path] = /Bearer (hca_live_\w{38})&quot;.*?(\/api\/v1\/[^&]*)&quot;/s.exec(answer.text)!
    expect(await (await call(path!, { key: key! })).json()).toMatchObject({ items: [], total: 0 })
    expect(wordsOf(await visit(`/console/sites/${site.id}/api`, { cookie }))).toMatch(
      /Website Active hca_live_…\w{4} Published only/,
    )
  })

  it.each([
    [{ name: '', access: 'full' }, 'name', 'Name is required.'],
    [{ name: 'A', access: 'all' }, 'access', 'Access must be full, published or sitemap.'],
    [{ name: 'A', access: 'full', expiresAt: lastYear() }, 'expiresAt', 'Expires must be today or later.'],
    [
      { name: 'A', access: 'full', expiresAt: 'soon' },
      'expiresAt',
      'Expires must be a date such as 2027-01-31.',
    ],
  ])('with %j is refused with an error at the field, and not created', async (form, field, words) => {
    const { id } = await makeSite()
    const answer = await visit(`/console/sites/${id}/keys`, { cookie: await signIn(), form })
    expect(answer.status).toBe(400)
    expect(errorBeside(field, answer)).toBe(words)
    expect((await manage('GET', `/sites/${id}/keys`)).items).toHaveLength(1)
  })

  it('is revoked after a confirmation with its name', async () => {
    const site = await makeSite()
    const cookie = await signIn()
    const path = `/console/sites/${site.id}/keys/${site.keyId}/revocation`
    const question = await visit(path, { cookie })
    expect(wordsOf(question)).toContain(
      `Revoke the key “test”? Programs that use hca_live_…${site.key.slice(-4)}`,
    )
    expect((await site.get('/posts')).status).toBe(200)
    const { status, location } = await visit(path, { cookie, form: {} })
    expect(status).toBe(303)
    expect((await site.get('/posts')).status).toBe(401)
    const page = await visit(location!, { cookie })
    expect(wordsOf(page)).toContain('Key “test” revoked')
    expect(page.text).not.toContain(path)
    // Opening it again does not show that it was just revoked.
    expect((await visit(path, { cookie })).location).toBe(`/console/sites/${site.id}/api`)
    const list = wordsOf(await visit(`/console/sites/${site.id}/api`, { cookie }))
    expect(list).toMatch(/test .* Revoked \d+ \w+ \d{4}, \d\d:\d\d UTC/)
    expect(list).not.toContain('Key “test” revoked')
  })

  it('of another site is not found', async () => {
    const [mine, other] = [await makeSite(), await makeSite()]
    const path = `/console/sites/${mine.id}/keys/${other.keyId}/revocation`
    const cookie = await signIn()
    expect((await visit(path, { cookie })).status).toBe(404)
    expect((await visit(path, { cookie, form: {} })).status).toBe(404)
    expect((await other.get('/posts')).status).toBe(200)
  })
})
