import { describe, expect, it } from 'vitest'
import { browse } from '../../support/console.ts'
import { call, makeSite } from '../../support/site.ts'

describe('a new key', () => {
  it.each([
    ['full', 'Full', 1],
    ['published', 'Published only', 0],
  ])('with the access %s has a first request that works', async (access, shown, total) => {
    const site = await makeSite()
    await site.put('draft')
    const { read, submit } = await browse(site)
    const { text } = await submit('/keys', { name: 'CMS', access })
    const [, key, path] = /Bearer (hca_live_\w{38})&quot;.*?(\/api\/v1\/[^&]*)&quot;/s.exec(text)!
    expect(await (await call(path!, { key: key! })).json()).toMatchObject({ total })
    expect(await read('/api')).toMatch(
      new RegExp(`CMS hca_live_…${key!.slice(-4)} ${shown} \\d+ \\w+ \\d+, \\S+ UTC .* Never Revoke`),
    )
  })

  it('can be sitemap-only with a first request that works, to the end of its last day', async () => {
    const site = await makeSite()
    const { submit } = await browse(site)
    const today = new Date().toISOString().slice(0, 10)
    const { text } = await submit('/keys', { name: 'Sitemap', access: 'sitemap', expiresAt: today })
    const [, key, path] = /Bearer (hca_live_\w{38})&quot;.*?(\/api\/v1\/[^&]*)&quot;/s.exec(text)!
    expect(await (await call(path!, { key: key! })).text()).toContain('<urlset')
    const { items } = await site.manage('GET', '/keys')
    expect(items[0]).toMatchObject({
      name: 'Sitemap',
      access: 'sitemap',
      expiresAt: `${today}T23:59:59.999Z`,
    })
  })
})
