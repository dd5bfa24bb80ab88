import { expect, it } from 'vitest'
import { browse, decode, unsigned } from '../../support/console.ts'
import { makeSite, ORIGIN } from '../../support/site.ts'

it('the sitemap is published by a button, renewed and stopped after a confirmation', async () => {
  const site = await makeSite()
  const { at, open, read, submit } = await browse(site, '/settings')
  expect(await read()).toContain('Not published: only API keys can read the sitemap, and there are no feeds.')
  expect((await open()).text).toContain(`action="${at('/sitemap')}"`)
  const { page } = await submit('/sitemap')
  const published = await site.manage('GET', '/sitemap')
  const { url, proxiedUrl, rssUrl, jsonFeedUrl, proxiedRssUrl, proxiedJsonFeedUrl } = published
  expect(url).toContain(`${ORIGIN}/sitemaps/`)
  const section = page.text.slice(page.text.indexOf('id="sitemap"'))
  expect(section).toContain('Sitemap published.')
  expect(section).toContain('Add the line to the robots.txt of site.example.com.')
  const copied = [...page.text.matchAll(/data-copy="([^"]+)"/g)].map(([, text]) => decode(text!))
  expect(copied).toEqual([
    ...[url, `Sitemap: ${url}`, proxiedUrl, rssUrl, jsonFeedUrl],
    ...[proxiedRssUrl, proxiedJsonFeedUrl],
  ])

  expect(await read('/sitemap/renewal')).toContain('the old ones return 404')
  expect((await site.manage('GET', '/sitemap')).url).toBe(url)
  const renewed = await submit('/sitemap/renewal')
  expect(renewed.words).toContain('The sitemap has new URLs.')
  expect(renewed.page.text).not.toContain(url)
  expect(await read('/sitemap/removal')).toContain('Stop publishing the sitemap?')
  expect((await submit('/sitemap/removal')).words).toMatch(
    /The sitemap is no longer published\. .*Not published:/,
  )
  expect((await site.tryManage('GET', '/sitemap')).status).toBe(404)
  // Opened by somebody who does not know yet that it was stopped.
  for (const form of ['/sitemap/renewal', '/sitemap/removal']) {
    expect(unsigned((await open(form)).location)).toBe(`${at()}?done=stopped#sitemap`)
    expect((await submit(form)).words).toContain('Not published:')
  }
  expect((await site.tryManage('GET', '/sitemap')).status).toBe(404)
})
