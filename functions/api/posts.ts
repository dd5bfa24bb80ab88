/** `GET /sites/{siteId}/posts` and `GET /sites/{siteId}/posts/{slug}`. */
import { zValidator } from '@hono/zod-validator'
import { Hono } from 'hono'
import * as z from 'zod/mini'
import { Post, toPost } from '../../src/posts/post.ts'
import { getPost, isComplete, listPosts, PostList, withBodies } from '../../src/posts/read.ts'
import type { Operation } from '../http/document.ts'
import type { Env } from '../http/env.ts'
import {
  includeParam,
  integerParam,
  languageParam,
  searchParam,
  statusParam,
  updatedAfterParam,
} from '../http/query.ts'
import { serveRead } from '../http/read.ts'
import type { Resource } from '../http/resource.ts'
import {
  ifNoneMatch,
  internalErrorResponse,
  invalidQueryResponse,
  jsonResponse,
  keyRefusedResponse,
  notFoundResponse,
  notModifiedResponse,
  overQuotaResponse,
  rateHeaders,
  tagHeaders,
} from '../http/responses.ts'
import { requireKeyFirst } from '../http/validation.ts'

const CACHE_CONTROL = 'private, no-cache'
const JSON_TYPE = 'application/json'

export const posts = new Hono<Env>()

const ListQuery = z.object({
  page: integerParam({
    minimum: 1,
    fallback: 1,
    description: 'Page, from 1. Pages shift while posts are written or deleted, so do not use them to sync.',
  }),
  pageSize: integerParam({ minimum: 1, maximum: 50, fallback: 12, description: 'Posts a page' }),
  search: searchParam,
  status: statusParam,
  language: languageParam,
  updatedAfter: updatedAfterParam,
})

export const listPostsOperation = (): Operation => ({
  route: 'GET /sites/:siteId/posts',
  operationId: 'listPosts',
  summary: 'List drafts and published posts',
  description:
    'Newest `updatedAt` first; with `updatedAfter` oldest first. To sync, start with `updatedAfter=1970-01-01T00:00:00Z`, take the newest `updatedAt` of each answer as the next `updatedAfter`, and ask until `items` is empty: with any `pageSize` and any filter, no update is skipped. A post that was deleted, or no longer matches the filter, is not listed: see `listChanges`.',
  headers: ifNoneMatch,
  query: ListQuery,
  responses: {
    200: jsonResponse(PostList, 'A page of posts', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedResponse,
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    ...overQuotaResponse,
    ...internalErrorResponse,
  },
})

type ListInput = {
  page: number
  pageSize: number
  search: string | null
  status: 'draft' | 'published' | 'all'
  language: string | null
  updatedAfter: string | null
}

export const postList: Resource<ListInput> = {
  name: 'posts',
  cacheControl: CACHE_CONTROL,
  contentType: JSON_TYPE,
  matchAny: () => true,
  counted: true,
  async load(ctx, site, { updatedAfter, ...input }) {
    const found = await listPosts(ctx, site, {
      ...input,
      updatedAfter: updatedAfter === null ? null : new Date(updatedAfter),
    })
    const { page, pageSize } = input
    const paging = { page, pageSize, total: found.total, totalPages: found.totalPages }
    // A page that is too large for one response of the database is streamed while its bodies are fetched.
    const body = isComplete(found)
      ? JSON.stringify({ items: found.rows.map(toPost), ...paging })
      : pageJson(withBodies(ctx, site, found), paging)
    return { body }
  },
}

posts.get('/sites/:siteId/posts', zValidator('query', ListQuery, requireKeyFirst()), (c) => {
  const query = c.req.valid('query')
  return serveRead(c, postList, {
    page: query.page ?? 1,
    pageSize: query.pageSize ?? 12,
    search: query.search ?? null,
    status: query.status ?? 'all',
    language: query.language?.toLowerCase() ?? null,
    updatedAfter: query.updatedAfter?.toISOString() ?? null,
  })
})

const PostQuery = z.object({ include: includeParam('provenance') })

export const getPostOperation = (): Operation => ({
  route: 'GET /sites/:siteId/posts/:slug',
  operationId: 'getPost',
  summary: 'Get one post, draft or published',
  headers: ifNoneMatch,
  query: PostQuery,
  responses: {
    200: jsonResponse(Post, 'The post', { ...tagHeaders, ...rateHeaders }),
    304: notModifiedResponse,
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    ...notFoundResponse('Post', rateHeaders),
    ...overQuotaResponse,
    ...internalErrorResponse,
  },
})

export const post: Resource<{ slug: string; provenance: boolean }> = {
  name: 'post',
  cacheControl: CACHE_CONTROL,
  contentType: JSON_TYPE,
  // `*` asks whether the post exists, which the version does not tell.
  matchAny: () => false,
  counted: true,
  load: async (ctx, site, { slug, provenance }) => ({
    body: JSON.stringify(await getPost(ctx, site, slug, { provenance })),
  }),
}

posts.get('/sites/:siteId/posts/:slug', zValidator('query', PostQuery, requireKeyFirst()), (c) => {
  const slug = c.req.param('slug')
  return serveRead(c, post, { slug, provenance: c.req.valid('query').include ?? false })
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
