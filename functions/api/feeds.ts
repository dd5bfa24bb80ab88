/** The feeds of a site's published posts, which are beside its published sitemap. */

import { type Feed, readFeed } from '../../src/content/feeds/feed.ts'
import { writeJsonFeed } from '../../src/content/feeds/json-feed.ts'
import { writeRss } from '../../src/content/feeds/rss.ts'
import { siteUrl } from '../../src/content/model/urls.ts'
import type { Resource } from '../http/read.ts'

/** `self` is the feed's own URL; null for the one on the site's domain. */
type FeedInput = { self: string | null }

const loaderOf =
  (write: (feed: Feed, self: string) => string, file: string): Resource<FeedInput>['load'] =>
  async (ctx, site, _view, { self }) => ({
    body: write(await readFeed(ctx, site), self ?? `${siteUrl(site)}${file}`),
  })

export const rssResource = {
  // Numbered since its HTML is an allow-list: no cache or reader keeps a feed from before.
  name: 'rss-2',
  contentType: 'application/rss+xml; charset=utf-8',
  matchAny: () => true,
  load: loaderOf(writeRss, 'feed.xml'),
} satisfies Partial<Resource<FeedInput>>

export const jsonFeedResource = {
  name: 'json-feed-2',
  contentType: 'application/feed+json; charset=utf-8',
  matchAny: () => true,
  load: loaderOf(writeJsonFeed, 'feed.json'),
} satisfies Partial<Resource<FeedInput>>
