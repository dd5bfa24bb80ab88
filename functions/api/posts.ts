/** `GET /sites/{siteId}/posts` and `GET /sites/{siteId}/posts/{slug}`. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod'
import { Post, toPost } from '../../src/posts/post.ts'
import { getPost, isComplete, listPosts, PostList, withBodies } from '../../src/posts/read.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import { include, instant, integer, languagePrefix, oneOf, search } from '../http/query.ts'
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
import { requireKeyFirst } from '../http/validation.ts'

const CACHE_CONTROL = 'private, no-cache'
const JSON_TYPE = 'application/json'

export const posts = new Hono<Env>()

const ListQuery = z.object({
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
})

export const listPostsOperation = (): Operation => ({
  route: 'GET /sites/:siteId/posts',
  operationId: 'listPosts',
  summary: 'List drafts and published posts',
  description:
    'Newest `updatedAt` first; with `updatedAfter` oldest first. To sync, begin with `updatedAfter=1970-01-01T00:00:00Z`, take the newest `updatedAt` of each answer as the next `updatedAfter`, and ask until `items` is empty: with any `pageSize` and any filter, no update is skipped. A post that was deleted or has left the filter is not told of: see `listChanges`.',
  headers: ifNoneMatch,
  query: ListQuery,
  responses: {
    200: json(PostList, 'A page of posts', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedAnswer,
    ...invalidQuery,
    ...unauthorized,
    ...overQuota,
    ...internal,
  },
})

posts.get('/sites/:siteId/posts', zValidator('query', ListQuery, requireKeyFirst()), (c) => {
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
  })
})

const PostQuery = z.object({ include: include('provenance') })

export const getPostOperation = (): Operation => ({
  route: 'GET /sites/:siteId/posts/:slug',
  operationId: 'getPost',
  summary: 'Get one post, draft or published',
  headers: ifNoneMatch,
  query: PostQuery,
  responses: {
    200: json(Post, 'The post', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedAnswer,
    ...invalidQuery,
    ...unauthorized,
    ...missing('Post', rateHeaders),
    ...overQuota,
    ...internal,
  },
})

posts.get('/sites/:siteId/posts/:slug', zValidator('query', PostQuery, requireKeyFirst()), (c) => {
  const slug = c.req.param('slug')
  const provenance = c.req.valid('query').include ?? false
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
  })
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
