/** The entrypoint that makes bodies, behind Workers Cache. Nothing but this Worker can call it. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import { changeFeed } from './api/changes.ts'
import { guide, guideList } from './api/guides.ts'
import { post, postList } from './api/posts.ts'
import { redirectList } from './api/redirects.ts'
import { trainingExport } from './api/training.ts'
import { type BodyProps, makeBody } from './http/bodies.ts'
import type { Bindings } from './http/env.ts'
import { sitemapResource } from './http/sitemap.ts'

export const loaders = [
  postList,
  post,
  guideList,
  guide,
  sitemapResource,
  redirectList,
  changeFeed,
  trainingExport,
]

export class Bodies extends WorkerEntrypoint<Bindings, BodyProps> {
  override fetch(request: Request): Promise<Response> {
    return makeBody(loaders, request, this.env, this.ctx)
  }
}
