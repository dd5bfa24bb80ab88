/** `/sites/{siteId}/posts`. */
import { PutResult } from '../../src/articles/put-result.ts'
import { PostInput } from '../../src/posts/input.ts'
import { putPosts } from '../../src/posts/put.ts'
import { deletePost, markPostReady, Readiness, setPostStatus } from '../../src/posts/states.ts'
import { createApp, named } from '../http/openapi.ts'
import { failure } from '../http/responses.ts'
import {
  body,
  createRoute,
  MAX_BULK,
  refusals,
  siteOf,
  sitePath,
  slugOf,
  slugPath,
  tooLarge,
  written,
  z,
} from './route.ts'
import { addStates } from './states.ts'

export const posts = createApp()

const PutAnswer = named('PutResult', PutResult)

const putPostsRoute = createRoute({
  method: 'put',
  path: '/sites/{siteId}/posts',
  operationId: 'putPosts',
  summary: 'Insert or update up to 100 posts by slug, all or none',
  request: {
    params: sitePath,
    body: body(z.strictObject({ posts: z.array(PostInput).min(1).max(MAX_BULK) })),
  },
  responses: {
    200: written(z.object({ items: z.array(PutAnswer) }), 'What became of each'),
    ...refusals,
    ...tooLarge,
  },
})

posts.openapi(putPostsRoute, async (c) => {
  const site = await siteOf(c)
  return c.json({ items: await putPosts(c.get('ctx'), site, c.req.valid('json').posts) }, 200)
})

const putPostRoute = createRoute({
  method: 'put',
  path: '/sites/{siteId}/posts/{slug}',
  operationId: 'putPost',
  summary: 'Insert or update a post',
  request: { params: slugPath, body: body(PostInput.partial({ slug: true }).openapi('PostInput')) },
  responses: {
    200: written(PutAnswer, 'Updated, or unchanged'),
    201: written(PutAnswer, 'Created'),
    ...refusals,
    ...tooLarge,
  },
})

posts.openapi(putPostRoute, async (c) => {
  const input = c.req.valid('json')
  const slug = slugOf(c, input.slug)
  const [result] = await putPosts(c.get('ctx'), await siteOf(c), [{ ...input, slug }], () => '')
  return c.json(result!, result!.outcome === 'created' ? 201 : 200)
})

addStates(posts, { path: '/posts', noun: 'Post', remove: deletePost, setStatus: setPostStatus })

const markPostReadyRoute = createRoute({
  method: 'put',
  path: '/sites/{siteId}/posts/{slug}/readiness',
  operationId: 'markPostReady',
  summary: 'Mark a quality-checked draft ready, which sends article.ready',
  request: { params: slugPath },
  responses: {
    200: written(named('Readiness', Readiness), 'The draft is ready'),
    ...refusals,
    ...tooLarge,
    409: failure('The post is published, or has not been quality-checked'),
  },
})

posts.openapi(markPostReadyRoute, async (c) =>
  c.json(await markPostReady(c.get('ctx'), await siteOf(c), c.req.valid('param').slug), 200),
)
