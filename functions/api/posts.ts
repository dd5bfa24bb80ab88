/** `GET /sites/{siteId}/posts` and `GET /sites/{siteId}/posts/{slug}`. */
import * as z from 'zod/mini'
import { includable } from '../../src/content/articles/field-table.ts'
import {
  type FieldSelection,
  getArticle,
  type ListInput,
  listArticles,
} from '../../src/content/articles/read.ts'
import { POST_FIELDS } from '../../src/content/posts/fields.ts'
import { PartialPost, PartialPostList, POST, Post, PostList } from '../../src/content/posts/post.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { filterParams, filtersIn, pageBody, pageInput, pageParams } from '../http/list.ts'
import { fieldsParam, includeParam, sortParam } from '../http/query.ts'
import { type Resource, serveRead } from '../http/read.ts'
import {
  ifNoneMatch,
  internalErrorResponse,
  invalidQueryResponse,
  jsonWithFields,
  keyRefusedResponse,
  linkHeader,
  notFoundResponse,
  notModifiedResponse,
  overQuotaResponse,
  rateHeaders,
  tagHeaders,
} from '../http/responses.ts'
import { validQuery } from '../http/validation.ts'

const CACHE_CONTROL = 'private, no-cache'
const JSON_TYPE = 'application/json'

export const posts = createApp()

const ListQuery = z
  .object({
    ...pageParams,
    ...filterParams('api', 'posts'),
    sort: sortParam,
    include: includeParam(includable(POST_FIELDS, { alone: false }), { 'x-addition': true }),
    fields: fieldsParam,
  })
  .check(
    z.refine(({ sort, updatedAfter }) => sort !== 'publishedAt' || !updatedAfter, {
      path: ['sort'],
      error: 'must not be publishedAt with updatedAfter, which sorts by updatedAt',
    }),
  )

export const listPostsOperation = (): Operation => ({
  route: 'GET /sites/:siteId/posts',
  operationId: 'listPosts',
  summary: 'List drafts and published posts',
  description:
    'Sorted by `updatedAt`, newest first, or oldest first with `updatedAfter`. To sync, start with `updatedAfter=1970-01-01T00:00:00Z`. Use the newest `updatedAt` of each response as the next `updatedAfter`, until `items` is empty. This skips no update, with any `pageSize` and any filter. Posts that were deleted or no longer match the filter are not listed: use `listChanges` for those. With `ready=true`, this poll finds each draft that is marked ready, because marking it updates `updatedAt`. `include` adds the same fields as for a single post. Keys with the access `published` list only published posts.',
  headers: ifNoneMatch,
  query: ListQuery,
  responses: {
    200: jsonWithFields(PostList, PartialPostList, 'A page of posts; with `fields` a `PartialPostList`', {
      ...tagHeaders,
      ...rateHeaders,
      ...linkHeader,
    }),
    304: notModifiedResponse,
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    ...overQuotaResponse,
    ...internalErrorResponse,
  },
})

export const postList: Resource<ListInput> = {
  name: 'posts',
  access: 'published',
  visibility: (opened, { status }) => (status === 'published' ? 'published' : opened),
  cacheControl: CACHE_CONTROL,
  contentType: JSON_TYPE,
  alwaysExists: () => true,
  counted: true,
  load: async (ctx, site, { visibility }, input) =>
    pageBody(await listArticles(ctx, POST, site, visibility, input), input),
}

posts.get('/sites/:siteId/posts', validQuery(ListQuery, postList), (c) => {
  const query = c.req.valid('query')
  return serveRead(c, postList, {
    ...pageInput(query),
    ...filtersIn('api', 'posts', query),
    sort: query.sort ?? 'updatedAt',
    fields: query.fields ?? null,
    include: query.include ?? [],
  })
})

const PostQuery = z.object({
  include: includeParam(includable(POST_FIELDS, { alone: true })),
  fields: fieldsParam,
})

export const getPostOperation = (): Operation => ({
  route: 'GET /sites/:siteId/posts/:slug',
  operationId: 'getPost',
  summary: 'Get one post, draft or published',
  description:
    'Slugs are unique within a site, so the slug determines the language. `include=provenance` adds the sources. `include=metadata` adds authors, image, categories, tags, the canonical URL and when the author last changed the post. `include=readiness` adds when the draft was marked ready, or null. Keys with the access `published` get 404 for drafts. The token of a preview link, sent like a key, opens only its post, by slug or `id`.',
  headers: ifNoneMatch,
  query: PostQuery,
  responses: {
    200: jsonWithFields(Post, PartialPost, 'The post; with `fields` a `PartialPost`', {
      ...tagHeaders,
      ...rateHeaders,
    }),
    304: notModifiedResponse,
    ...invalidQueryResponse,
    ...keyRefusedResponse,
    ...notFoundResponse('Post', rateHeaders),
    ...overQuotaResponse,
    ...internalErrorResponse,
  },
})

export const post: Resource<Required<FieldSelection> & { slug: string }> = {
  name: 'post',
  access: 'published',
  visibility: (opened) => opened,
  isForLinks: true,
  slugOf: ({ slug }) => slug,
  cacheControl: CACHE_CONTROL,
  contentType: JSON_TYPE,
  // `*` asks if the post exists, which the version does not show.
  alwaysExists: () => false,
  counted: true,
  load: async (ctx, site, { visibility, postId }, { slug, ...asked }) => ({
    body: await getArticle(ctx, POST, site, slug, { ...asked, status: visibility, postId }),
  }),
}

posts.get('/sites/:siteId/posts/:slug', validQuery(PostQuery, post), (c) => {
  const { include = [], fields = null } = c.req.valid('query')
  return serveRead(c, post, { slug: c.req.param('slug'), include, fields })
})
