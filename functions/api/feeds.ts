/** Feeds of a site's published posts, next to its published sitemap. */

import { type Feed, readFeed } from '../../src/content/feeds/feed.ts'
import { writeJsonFeed } from '../../src/content/feeds/json-feed.ts'
import { writeRss } from '../../src/content/feeds/rss.ts'
import { siteUrl } from '../../src/content/model/urls.ts'
import type { Resource } from '../http/read.ts'

/** `self` is the feed's own URL. Null for the feed on the site's domain. */
type FeedInput = { self: string | null }

const loaderOf =
  (write: (feed: Feed, self: string) => string, file: string): Resource<FeedInput>['load'] =>
  async (ctx, site, _view, { self }) => ({
    body: write(await readFeed(ctx, site), self ?? `${siteUrl(site)}${file}`),
  })

export const rssResource = {
  // Raise the number when the HTML allow-list changes, so that caches drop the old feed.
  name: 'rss-2',
  contentType: 'application/rss+xml; charset=utf-8',
  alwaysExists: () => true,
  load: loaderOf(writeRss, 'feed.xml'),
} satisfies Partial<Resource<FeedInput>>

export const jsonFeedResource = {
  name: 'json-feed-2',
  contentType: 'application/feed+json; charset=utf-8',
  alwaysExists: () => true,
  load: loaderOf(writeJsonFeed, 'feed.json'),
} satisfies Partial<Resource<FeedInput>>
