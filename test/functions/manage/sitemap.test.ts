import { describe, expect } from 'vitest'
import { it, ORIGIN, tryManage } from '../../support/site.ts'

const NOT_PUBLISHED = { status: 404, body: { error: 'Sitemap is not published' } }

describe('a sitemap', () => {
  it('is published at URLs that stay the same until it is renewed or stopped', async ({ site }) => {
    expect(await site.tryManage('GET', '/sitemap')).toEqual(NOT_PUBLISHED)
    const { status, body } = await site.tryManage('PUT', '/sitemap')
    const { url } = body as { url: string }
    expect(status).toBe(200)
    expect(url).toMatch(new RegExp(`^${ORIGIN}/sitemaps/[0-9A-Za-z]{38}/sitemap\\.xml$`))
    expect(body).toEqual({
      url,
      proxiedUrl: url.replace('sitemap.xml', 'proxied.xml'),
      rssUrl: url.replace('sitemap.xml', 'feed.xml'),
      jsonFeedUrl: url.replace('sitemap.xml', 'feed.json'),
      proxiedRssUrl: url.replace('sitemap.xml', 'proxied-feed.xml'),
      proxiedJsonFeedUrl: url.replace('sitemap.xml', 'proxied-feed.json'),
    })
    await site.manage('PATCH', '', { name: 'Renamed' })
    expect(await site.tryManage('PUT', '/sitemap')).toEqual({ status: 200, body })
    expect(await site.tryManage('GET', '/sitemap')).toEqual({ status: 200, body })
    const renewed = await site.tryManage('POST', '/sitemap/renewals')
    expect(renewed.status).toBe(201)
    expect(renewed.body).not.toEqual(body)
    expect(await site.tryManage('GET', '/sitemap')).toEqual({ status: 200, body: renewed.body })
    expect(await site.manage('GET', '')).not.toHaveProperty('sitemapId')
    expect(await site.tryManage('DELETE', '/sitemap')).toEqual({ status: 204, body: null })
    for (const [method, below] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/renewals'],
    ])
      expect(await site.tryManage(method!, `/sitemap${below}`)).toEqual(NOT_PUBLISHED)
  })

  it('of an unknown site is 404', async () => {
    for (const [method, below] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/renewals'],
    ]) {
      const answer = await tryManage(method!, `/sites/${crypto.randomUUID()}/sitemap${below}`)
      expect(answer).toEqual({ status: 404, body: { error: 'Site not found' } })
    }
  })
})
