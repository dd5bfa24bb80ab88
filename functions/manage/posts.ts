/** `/sites/{siteId}/posts`, and the URLs in their schema bundles. */
import { zValidator } from '@hono/zod-validator'
import * as z from 'zod/mini'
import { POST, PostInput } from '../../src/content/posts/post.ts'
import { putPosts } from '../../src/content/posts/put.ts'
import { markPostReady, Readiness } from '../../src/content/posts/readiness.ts'
import { RebuiltBundles, rebuildBundles } from '../../src/content/posts/schema-bundles.ts'
import { ListedPost, StoredPost } from '../../src/content/posts/stored.ts'
import type { Operation } from '../http/document.ts'
import { errorResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { type Articles, articleOperations, articleRoutes, manyOf } from './articles.ts'
import { bodyErrors, siteErrors, writtenResponse } from './responses.ts'
import { NoQuery, siteOf } from './route.ts'

const POSTS: Articles<PostInput> = {
  kind: POST,
  One: z.partial(PostInput, { slug: true }),
  Many: manyOf('posts', PostInput),
  put: putPosts,
}

export const posts = articleRoutes(POSTS)

export const postOperations = () => articleOperations(POSTS, { Listed: ListedPost, Stored: StoredPost })

export const markPostReadyOperation = (): Operation => ({
  route: 'PUT /sites/:siteId/posts/:slug/readiness',
  operationId: 'markPostReady',
  summary: 'Mark a quality-checked draft ready, which sends article.ready',
  description: 'Only a draft with a quality band. One that is ready already stays so, and no event is sent.',
  responses: {
    200: writtenResponse(Readiness, 'The draft is ready'),
    ...siteErrors,
    ...bodyErrors,
    409: errorResponse('The post is published, or has not been quality-checked'),
  },
})

posts.put('/sites/:siteId/posts/:slug/readiness', zValidator('query', NoQuery, refuseInvalid), async (c) =>
  c.json(await markPostReady(c.get('ctx'), await siteOf(c), c.req.param('slug'))),
)

export const rebuildSchemaBundlesOperation = (): Operation => ({
  route: 'POST /sites/:siteId/schema-bundles/rebuilds',
  operationId: 'rebuildSchemaBundles',
  summary: "Give up to 500 posts the site's present URLs in their schemaBundle",
  description:
    'After a change of `domain`, `postPath` or `defaultLanguage`, as long as `outdated` is not 0. What the service derived is renewed, which moves `updatedAt`, and sends `post.updated` of published posts where that is switched on; what a put gave of `schemaBundle` stays. Sent again, it goes on with those that are left.',
  responses: {
    200: writtenResponse(RebuiltBundles, 'What is done, and what is left'),
    ...siteErrors,
    ...bodyErrors,
  },
})

posts.post('/sites/:siteId/schema-bundles/rebuilds', zValidator('query', NoQuery, refuseInvalid), async (c) =>
  c.json(await rebuildBundles(c.get('ctx'), await siteOf(c))),
)
