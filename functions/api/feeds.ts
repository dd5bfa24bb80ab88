/** The feeds of a site's published posts, which are beside its published sitemap. */
import { type Feed, readFeed } from '../../src/content/feeds/feed.ts'
import { writeJsonFeed } from '../../src/content/feeds/json-feed.ts'
import { writeRss } from '../../src/content/feeds/rss.ts'
import type { Loader, Resource } from '../http/resource.ts'

/** `self` is the feed's own URL. */
type FeedInput = { self: string }

const loaderOf =
  (write: (feed: Feed, self: string) => string): Loader<FeedInput>['load'] =>
  async (ctx, site, { self }) => ({ body: write(await readFeed(ctx, site), self) })

export const rssResource = {
  name: 'rss',
  contentType: 'application/rss+xml; charset=utf-8',
  matchAny: () => true,
  load: loaderOf(writeRss),
} satisfies Partial<Resource<FeedInput>>

export const jsonFeedResource = {
  name: 'json-feed',
  contentType: 'application/feed+json; charset=utf-8',
  matchAny: () => true,
  load: loaderOf(writeJsonFeed),
} satisfies Partial<Resource<FeedInput>>
