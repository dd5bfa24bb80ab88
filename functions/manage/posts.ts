/** `/sites/{siteId}/posts`, and the URLs in their schema bundles. */
import { zValidator } from '@hono/zod-validator'
import { ListedPost, POST, PostInput, StoredPost } from '../../src/content/posts/post.ts'
import { putPosts } from '../../src/content/posts/put.ts'
import { markPostReady, Readiness } from '../../src/content/posts/readiness.ts'
import { RebuiltBundles, rebuildBundles } from '../../src/content/posts/schema-bundles.ts'
import type { Operation } from '../http/document.ts'
import { errorResponse } from '../http/responses.ts'
import { refuseInvalid } from '../http/validation.ts'
import { type Articles, articleOperations, articleRoutes } from './articles.ts'
import { bodyErrors, siteErrors, writtenResponse } from './responses.ts'
import { NoQuery, siteOf } from './route.ts'

const POSTS: Articles<PostInput> = { kind: POST, Input: PostInput, put: putPosts }

export const posts = articleRoutes(POSTS)

export const postOperations = () => articleOperations(POSTS, { Listed: ListedPost, Stored: StoredPost })

export const markPostReadyOperation = (): Operation => ({
  route: 'PUT /sites/:siteId/posts/:slug/readiness',
  operationId: 'markPostReady',
  summary: 'Mark a draft ready and send `article.ready`',
  description:
    'The draft must have a `qualityBand`. If it is already ready, nothing changes and no event is sent.',
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
  summary: 'Rebuild the URLs in the schemaBundle of up to 500 posts',
  description:
    'Call it after you change `domain`, `postPath` or `defaultLanguage`. Each call continues with the remaining posts: repeat it until `outdated` is 0. Only derived values are rebuilt; parts of `schemaBundle` from a put stay. A rebuild updates `updatedAt` and sends `post.updated` for published posts if that event is on.',
  responses: {
    200: writtenResponse(RebuiltBundles, 'The number of posts rebuilt and left'),
    ...siteErrors,
    ...bodyErrors,
  },
})

posts.post('/sites/:siteId/schema-bundles/rebuilds', zValidator('query', NoQuery, refuseInvalid), async (c) =>
  c.json(await rebuildBundles(c.get('ctx'), await siteOf(c))),
)
