/** `GET /sites/{siteId}/posts` and `GET /sites/{siteId}/posts/{slug}`. */
import { Post, toPost } from '../../src/posts/post.ts'
import { getPost, isComplete, listPosts, PostList, withBodies } from '../../src/posts/read.ts'
import { requireKey } from '../http/api-key.ts'
import { createApp, createRoute, named, pathParameter, z } from '../http/openapi.ts'
import { instant, integer, languagePrefix, oneOf, search, text } from '../http/query.ts'
import { read } from '../http/read.ts'
import {
  ifNoneMatch,
  internal,
  invalidQuery,
  json,
  missing,
  notModifiedAnswer,
  overQuota,
  rateHeaders,
  tagHeaders,
  unauthorized,
} from '../http/responses.ts'

const CACHE_CONTROL = 'private, no-cache'
const JSON_TYPE = 'application/json'

export const posts = createApp(requireKey)

export const PostAnswer = named('Post', Post)
const PostListAnswer = named('PostListResponse', PostList.extend({ items: z.array(PostAnswer) }))

const listPostsRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/posts',
  operationId: 'listPosts',
  summary: 'List drafts and published posts',
  description:
    'Newest `updatedAt` first; with `updatedAfter` oldest first. To sync, begin with `updatedAfter=1970-01-01T00:00:00Z`, take the newest `updatedAt` of each answer as the next `updatedAfter`, and ask until `items` is empty: with any `pageSize` and any filter, no update is skipped. A post that was deleted or has left the filter is not told of: see `listChanges`.',
  security: [{ apiKey: [] }],
  parameters: [ifNoneMatch],
  request: {
    params: z.object({ siteId: pathParameter('The site', 'uuid') }),
    query: z.object({
      page: integer({
        minimum: 1,
        fallback: 1,
        description: 'Page, from 1. Pages shift while posts are written or deleted, so do not sync by them.',
      }),
      pageSize: integer({ minimum: 1, maximum: 50, fallback: 12, description: 'Posts a page' }),
      search,
      status: oneOf(['draft', 'published', 'all'], {
        fallback: 'all',
        description: 'Status; `all` gives both',
      }),
      language: languagePrefix,
      updatedAfter: instant('Only posts updated strictly after this time, oldest update first'),
    }),
  },
  responses: {
    200: json(PostListAnswer, 'A page of posts', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedAnswer,
    ...invalidQuery,
    ...unauthorized,
    ...overQuota,
    ...internal,
  },
})

posts.openapi(listPostsRoute, (c) => {
  const query = c.req.valid('query')
  const input = {
    page: query.page ?? 1,
    pageSize: query.pageSize ?? 12,
    search: query.search ?? null,
    status: query.status ?? 'all',
    language: query.language?.toLowerCase() ?? null,
    updatedAfter: query.updatedAfter ?? null,
  }
  return read(c, {
    cacheKey: ['posts', input],
    cacheControl: CACHE_CONTROL,
    contentType: JSON_TYPE,
    matchAny: true,
    counted: true,
    prefetch: true,
    async load(ctx, site) {
      const found = await listPosts(ctx, site, input)
      const { page, pageSize } = input
      const paging = { page, pageSize, total: found.total, totalPages: found.totalPages }
      // A page that is too heavy for one answer of the database goes out while its bodies come in.
      const body = isComplete(found)
        ? JSON.stringify({ items: found.rows.map(toPost), ...paging })
        : pageJson(withBodies(ctx, site, found), paging)
      return { body, contentVersion: found.contentVersion }
    },
  }) as never
})

const getPostRoute = createRoute({
  method: 'get',
  path: '/sites/{siteId}/posts/{slug}',
  operationId: 'getPost',
  summary: 'Get one post, draft or published',
  security: [{ apiKey: [] }],
  parameters: [ifNoneMatch],
  request: {
    params: z.object({ siteId: pathParameter('The site', 'uuid'), slug: pathParameter("The post's slug") }),
    query: z.object({ include: text('Comma-separated expansions: `provenance`') }),
  },
  responses: {
    200: json(PostAnswer, 'The post', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedAnswer,
    ...invalidQuery,
    ...unauthorized,
    ...missing('Post', rateHeaders),
    ...overQuota,
    ...internal,
  },
})

posts.openapi(getPostRoute, (c) => {
  const { slug } = c.req.valid('param')
  const include = (c.req.valid('query').include ?? '').split(',').map((name) => name.trim())
  const provenance = include.includes('provenance')
  return read(c, {
    cacheKey: ['post', slug, provenance],
    cacheControl: CACHE_CONTROL,
    contentType: JSON_TYPE,
    // `*` asks whether there is a post at all, which the version cannot tell.
    matchAny: false,
    counted: true,
    prefetch: true,
    async load(ctx, site) {
      const { post, contentVersion } = await getPost(ctx, site, slug, { provenance })
      return { body: JSON.stringify(post), contentVersion }
    },
  }) as never
})

async function* pageJson(posts: AsyncIterable<Post>, paging: object): AsyncGenerator<string> {
  yield '{"items":['
  let separator = ''
  for await (const post of posts) {
    yield separator + JSON.stringify(post)
    separator = ','
  }
  yield `],${JSON.stringify(paging).slice(1)}`
}
