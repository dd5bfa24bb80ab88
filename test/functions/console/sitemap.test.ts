import { describe, expect, it } from 'vitest'
import { decode, signIn, unsigned, visit, wordsOf } from '../../support/console.ts'
import { makeSite, ORIGIN, type TestSite } from '../../support/site.ts'

const settingsOf = (site: TestSite) => `/console/sites/${site.id}/settings`

async function signedIn() {
  const site = await makeSite()
  const cookie = await signIn()
  const open = (below = '') => visit(settingsOf(site) + below, { cookie })
  /** Posts a form without fields, and follows the redirect. */
  const post = async (below: string) => {
    const answer = await visit(settingsOf(site) + below, { cookie, form: {} })
    expect(answer.status).toBe(303)
    return visit(answer.location!, { cookie })
  }
  return { site, open, post }
}

describe('the published sitemap', () => {
  it('is off by default, and published by a button', async () => {
    const { site, open, post } = await signedIn()
    const before = await open()
    expect(wordsOf(before)).toContain(
      'Not published: only API keys can read the sitemap, and there are no feeds.',
    )
    expect(before.text).toContain(`action="${settingsOf(site)}/sitemap"`)
    const after = await post('/sitemap')
    const { url, proxiedUrl, rssUrl, jsonFeedUrl, ...proxied } = await site.manage('GET', '/sitemap')
    expect(url).toContain(`${ORIGIN}/sitemaps/`)
    const section = after.text.slice(after.text.indexOf('id="sitemap"'))
    expect(wordsOf({ text: section })).toContain('Sitemap published.')
    const copied = [...after.text.matchAll(/data-copy="([^"]+)"/g)].map(([, text]) => decode(text!))
    expect(copied).toEqual([
      url,
      `Sitemap: ${url}`,
      proxiedUrl,
      rssUrl,
      jsonFeedUrl,
      proxied.proxiedRssUrl,
      proxied.proxiedJsonFeedUrl,
    ])
    expect(wordsOf(after)).toContain('Add the line to the robots.txt of site.example.com.')
  })

  it('is renewed and stopped after a confirmation', async () => {
    const { site, open, post } = await signedIn()
    await post('/sitemap')
    const { url } = await site.manage('GET', '/sitemap')
    expect(wordsOf(await open('/sitemap/renewal'))).toContain('the old ones return 404')
    expect((await site.manage('GET', '/sitemap')).url).toBe(url)
    const renewed = await post('/sitemap/renewal')
    expect(wordsOf(renewed)).toContain('The sitemap has new URLs.')
    expect(renewed.text).not.toContain(url)
    expect(wordsOf(await open('/sitemap/removal'))).toContain('Stop publishing the sitemap?')
    const stopped = await post('/sitemap/removal')
    expect(wordsOf(stopped)).toContain('The sitemap is no longer published. ')
    expect(wordsOf(stopped)).toContain('Not published:')
    expect((await site.tryManage('GET', '/sitemap')).status).toBe(404)
  })

  it('that somebody else has stopped is shown as stopped', async () => {
    const { site, open, post } = await signedIn()
    for (const form of ['/sitemap/renewal', '/sitemap/removal']) {
      expect(unsigned((await open(form)).location)).toBe(`${settingsOf(site)}?done=stopped#sitemap`)
      expect(wordsOf(await post(form))).toContain('Not published:')
    }
    expect((await site.tryManage('GET', '/sitemap')).status).toBe(404)
  })
})
