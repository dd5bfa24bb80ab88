import { expect, it } from 'vitest'
import { browse, decode } from '../../support/console.ts'
import { makeSite, ORIGIN } from '../../support/site.ts'

it('the sitemap is published by a button, with each of its URLs to copy', async () => {
  const site = await makeSite()
  const { at, open, read, submit } = await browse(site, '/settings/sitemap')
  expect(await read()).toContain('Not published Only API keys can read the sitemap.')
  expect((await open()).text).toContain(`action="${at()}"`)
  const { page } = await submit('')
  const published = await site.manage('GET', '/sitemap')
  const { url, proxiedUrl, rssUrl, jsonFeedUrl, proxiedRssUrl, proxiedJsonFeedUrl } = published
  expect(url).toContain(`${ORIGIN}/sitemaps/`)
  const section = page.text.slice(page.text.indexOf('<main'))
  expect(section).toContain('Sitemap published.')
  expect(section).toContain('Let site.example.com serve them through a proxy')
  const copied = [...section.matchAll(/data-copy="([^"]+)"/g)].map(([, text]) => decode(text!))
  expect(copied).toEqual([
    ...[url, `Sitemap: ${url}`, rssUrl, jsonFeedUrl],
    ...[proxiedUrl, proxiedRssUrl, proxiedJsonFeedUrl],
  ])
})
