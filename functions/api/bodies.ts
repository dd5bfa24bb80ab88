/** The entrypoint that makes bodies, behind Workers Cache. Nothing but this Worker can call it. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import { type BodyProps, makeBody } from '../http/bodies.ts'
import type { Bindings } from '../http/env.ts'
import type { Loaders } from '../http/resource.ts'
import { sitemapResource } from '../http/sitemap.ts'
import { changeFeed } from './changes.ts'
import { jsonFeedResource, rssResource } from './feeds.ts'
import { guide, guideList } from './guides.ts'
import { post, postList } from './posts.ts'
import { redirectList } from './redirects.ts'
import { trainingExport } from './training.ts'

export const loaders: Loaders = {
  posts: postList,
  post,
  guides: guideList,
  guide,
  sitemap: sitemapResource,
  rss: rssResource,
  'json-feed': jsonFeedResource,
  redirects: redirectList,
  changes: changeFeed,
  training: trainingExport,
}

export class Bodies extends WorkerEntrypoint<Bindings, BodyProps> {
  override fetch(request: Request): Promise<Response> {
    return makeBody(loaders, request, this.env, this.ctx)
  }
}
