import { describe, expect, it } from 'vitest'
import { browse } from '../../support/console.ts'
import { call, makeSite, manage } from '../../support/site.ts'

describe('a key', () => {
  it.each([
    ['full', 'Full', 1],
    ['published', 'Published only', 0],
  ])('with the access %s is shown once, with a first request that works', async (access, shown, total) => {
    const site = await makeSite()
    await site.put('draft')
    const { read, open, submit } = await browse(site)
    const answer = await submit('/keys', { name: 'CMS', access })
    expect([answer.status, answer.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
    expect(answer.words).toContain('You will not be able to see it again')
    const [, key, path] = /Bearer (hca_live_\w{38})&quot;.*?(\/api\/v1\/[^&]*)&quot;/s.exec(answer.text)!
    expect(await (await call(path!, { key: key! })).json()).toMatchObject({ total })
    expect((await open('/api')).text).not.toContain(key)
    expect(await read('/api')).toMatch(
      new RegExp(`CMS Active hca_live_…${key!.slice(-4)} ${shown} today · \\S+ used .*· never expires`),
    )
  })

  it('is created once, even if the form is submitted again', async () => {
    const { id } = await makeSite()
    const { open, submit } = await browse({ id })
    const form = { name: 'CMS', access: 'full' }
    const once = { ...form, id: /name="id" value="([^"]+)"/.exec((await open('/keys/new')).text)![1]! }
    expect((await submit('/keys', once)).status).toBe(201)
    const again = await submit('/keys', once)
    expect([again.status, again.words]).toEqual([
      400,
      expect.stringContaining('This key has been created already'),
    ])
    expect((await manage('GET', `/sites/${id}/keys`)).items).toHaveLength(2)
  })

  it('can be sitemap-only, and works to the end of its last day', async () => {
    const { id } = await makeSite()
    const { submit } = await browse({ id })
    const today = new Date().toISOString().slice(0, 10)
    expect((await submit('/keys', { name: 'Sitemap', access: 'sitemap', expiresAt: today })).status).toBe(201)
    expect((await manage('GET', `/sites/${id}/keys`)).items[0]).toMatchObject({
      name: 'Sitemap',
      access: 'sitemap',
      expiresAt: `${today}T23:59:59.999Z`,
    })
  })

  it('is revoked after a confirmation with its name', async () => {
    const site = await makeSite()
    const { read, open, submit, at } = await browse(site)
    const path = `/keys/${site.keyId}/revocation`
    expect(await read(path)).toContain(
      `Revoke the key “test”? Programs that use hca_live_…${site.key.slice(-4)}`,
    )
    expect((await site.get('/posts')).status).toBe(200)
    const { page, words } = await submit(path)
    expect((await site.get('/posts')).status).toBe(401)
    expect(words).toContain('Key “test” revoked')
    expect(page.text).not.toContain(path)
    // Opening it again does not show that it was just revoked.
    expect((await open(path)).location).toBe(at('/api'))
    const list = await read('/api')
    expect(list).toMatch(/test .* Revoked \d+ \w+ \d{4}, \d\d:\d\d UTC/)
    expect(list).not.toContain('Key “test” revoked')
  })
})
