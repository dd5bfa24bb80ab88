/** One method for each operation of `/api/v1`, named by its `operationId`. */
import createFetchClient from 'openapi-fetch'
import type { operations, paths, webhooks } from './openapi.ts'
import { createTransport, type TransportOptions } from './transport.ts'
import type {
  CallOptions,
  ChangeList,
  Guide,
  GuideList,
  PartialChangeList,
  PartialPost,
  PartialPostList,
  Post,
  PostList,
  Query,
  RedirectList,
  TrainingPage,
  WebhookTestResult,
} from './types.ts'

export type ClientOptions = TransportOptions & {
  /** For example `https://content.example.com`, with or without `/api/v1`. */
  url: string
  site: string
  key: string
}

/** Responses have only these fields. The overload without `fields` comes last, since `ReturnType` takes it. */
export type WithFields<Id extends 'listPosts' | 'getPost' | 'listChanges'> = Query<Id> & { fields: string }

export type Operations = {
  listPosts(query: WithFields<'listPosts'>, options?: CallOptions): Promise<PartialPostList>
  listPosts(query?: Query<'listPosts'>, options?: CallOptions): Promise<PostList>
  getPost(slug: string, query: WithFields<'getPost'>, options?: CallOptions): Promise<PartialPost>
  getPost(slug: string, query?: Query<'getPost'>, options?: CallOptions): Promise<Post>
  listGuides(query?: Query<'listGuides'>, options?: CallOptions): Promise<GuideList>
  getGuide(slug: string, options?: CallOptions): Promise<Guide>
  /** XML. */
  getSitemap(query?: Pick<Query<'getSitemap'>, 'page'>, options?: CallOptions): Promise<string>
  listRedirects(query?: { format?: 'json' }, options?: CallOptions): Promise<RedirectList>
  /** Lines of a `_redirects` file, or nginx locations. */
  listRedirects(query: { format: 'cloudflare' | 'nginx' }, options?: CallOptions): Promise<string>
  listChanges(query: WithFields<'listChanges'>, options?: CallOptions): Promise<PartialChangeList>
  listChanges(query?: Query<'listChanges'>, options?: CallOptions): Promise<ChangeList>
  exportTraining(query?: Query<'exportTraining'>, options?: CallOptions): Promise<TrainingPage>
  testWebhook(options?: CallOptions): Promise<WebhookTestResult>
}

type Event = webhooks[keyof webhooks]['post']
/** Leaves out webhook events, which a receiver implements. */
type Called = { [Id in keyof operations]: operations[Id] extends Event ? never : Id }[keyof operations]

type Missing = Exclude<Called, keyof Operations>

/** A type error here names an operation without a method. */
true satisfies [Missing] extends [never] ? true : Missing

/** @throws TypeError when `url`, `site` or `key` is missing, for example because an environment variable is not set */
export function createOperations({ url, site, key, ...options }: ClientOptions): Operations {
  for (const [name, value] of Object.entries({ url, site, key })) {
    if (typeof value !== 'string' || value === '') throw new TypeError(`The client needs ${name}`)
  }
  const { GET, POST } = createFetchClient<paths>({
    baseUrl: `${url.replace(/(\/api\/v1)?\/*$/, '')}/api/v1`,
    headers: { Authorization: `Bearer ${key}` },
    fetch: createTransport(options),
  })
  const path = { siteId: site }
  const signalOf = ({ signal }: CallOptions = {}) => ({ signal: signal ?? null })
  const data = async <Data>(answer: Promise<{ data?: Data }>) => (await answer).data as Data & {}

  return {
    listPosts: ((query: Query<'listPosts'> = {}, options?: CallOptions) =>
      data(
        GET('/sites/{siteId}/posts', { params: { path, query }, ...signalOf(options) }),
      )) as Operations['listPosts'],

    getPost: ((slug: string, query: Query<'getPost'> = {}, options?: CallOptions) =>
      data(
        GET('/sites/{siteId}/posts/{slug}', {
          params: { path: { ...path, slug }, query },
          ...signalOf(options),
        }),
      )) as Operations['getPost'],

    listGuides: (query = {}, options) =>
      data(GET('/sites/{siteId}/guides', { params: { path, query }, ...signalOf(options) })),

    getGuide: (slug, options) =>
      data(
        GET('/sites/{siteId}/guides/{slug}', { params: { path: { ...path, slug } }, ...signalOf(options) }),
      ),

    getSitemap: (query = {}, options) =>
      data(
        GET('/sites/{siteId}/sitemap.xml', {
          params: { path, query },
          parseAs: 'text',
          ...signalOf(options),
        }),
      ),

    listRedirects: ((query: Query<'listRedirects'> = {}, options?: CallOptions) =>
      data(
        GET('/sites/{siteId}/redirects', {
          params: { path, query },
          parseAs: (query.format ?? 'json') === 'json' ? 'json' : 'text',
          ...signalOf(options),
        }),
      )) as Operations['listRedirects'],

    listChanges: ((query: Query<'listChanges'> = {}, options?: CallOptions) =>
      data(
        GET('/sites/{siteId}/changes', { params: { path, query }, ...signalOf(options) }),
      )) as Operations['listChanges'],

    async exportTraining(query = {}, options) {
      const { data, response } = await GET('/sites/{siteId}/training/export', {
        params: { path, query },
        parseAs: 'text',
        ...signalOf(options),
      })
      const lines = (data ?? '').split('\n').filter((line) => line !== '')
      const next = /[?&]after=([^&>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')
      return { rows: lines.map((line) => JSON.parse(line)), next: next?.[1] ?? null }
    },

    testWebhook: (options) => data(POST('/webhooks/test', signalOf(options))),
  }
}
