/**
 * Content loaders for Astro. A build reads only the changes since the last one, because Astro keeps the entries. An entry's
 * id is its slug, its data is the API's object, and `render` shows its HTML.
 */
import type { Loader, LoaderContext } from 'astro/loaders'
import { checkSlug } from './client/names.ts'
import {
  type Change,
  type ClientOptions,
  ContentApiError,
  createClient,
  type Guide,
  type Post,
} from './client.ts'

export type PostData = Omit<Post, 'contentHtml'>
export type GuideData = Omit<Guide, 'contentHtml'>

export type PostLoaderOptions = ClientOptions & {
  /** `published` by default. */
  status?: 'published' | 'draft' | 'all' | undefined
}

type Client = ReturnType<typeof createClient>
type Article = Post | Guide

type Feed = {
  client: Client
  resource: Change['resource']
  /** The service, site and filter that the cursor and the entries belong to. */
  source: string
  /** The article as it is now; null if it is gone, which a later change reports. */
  read(change: Change): Promise<Article | null>
  has(article: Article): boolean
}

const STATE = 'state'
/** The service's limit. */
const CHANGES_A_PAGE = 500
const NOT_FOUND = 404
const CURSOR_EXPIRED = 410

export function postLoader({ status = 'published', ...options }: PostLoaderOptions): Loader {
  return loaderOf('PostData', {
    client: createClient(options),
    resource: 'post',
    source: sourceOf(options, status),
    read: async ({ post }) => post ?? null,
    has: (post) => status === 'all' || post.status === status,
  })
}

/** Published guides only. */
export function guideLoader(options: ClientOptions): Loader {
  const client = createClient(options)
  return loaderOf('GuideData', {
    client,
    resource: 'guide',
    source: sourceOf(options, 'published'),
    read: ({ slug }) => client.getGuide(slug).catch(nullFor(NOT_FOUND)),
    has: () => true,
  })
}

function loaderOf(data: 'PostData' | 'GuideData', feed: Feed): Loader {
  return {
    name: 'headless-content-api',
    load: (context) => load(context, feed),
    async createSchema() {
      const { z } = await import('astro/zod')
      const text = z.string()
      return {
        schema: z.looseObject({ id: text, slug: text, title: text, status: text, updatedAt: text }),
        types: `export type Entry = import('headless-content-api/astro').${data}\n`,
      }
    },
  }
}

async function load(context: LoaderContext, feed: Feed): Promise<void> {
  const { source, cursor } = JSON.parse(context.meta.get(STATE) ?? '{}')
  const isKnown =
    source === feed.source && (await follow(context, feed, cursor).catch(nullFor(CURSOR_EXPIRED)))
  if (!isKnown) await follow(context, feed)
}

/** Stores the changes since the cursor. Without a cursor it reads everything, and removes entries that no longer exist. */
async function follow(context: LoaderContext, feed: Feed, since?: string): Promise<true> {
  const { store, meta, logger } = context
  const { client, resource, source } = feed
  const gone = new Set(since === undefined ? store.keys() : [])
  const include = resource === 'post' ? ({ include: 'content' } as const) : {}
  const from = since === undefined ? {} : { cursor: since }
  let cursor = since
  let changes = 0
  for await (const page of client.changePages({ limit: CHANGES_A_PAGE, ...include, ...from })) {
    for (const change of page.items.filter((each) => each.resource === resource)) {
      const stored = await apply(context, feed, change)
      if (stored !== null) gone.delete(stored)
      changes += 1
    }
    cursor = page.cursor
  }
  for (const id of gone) store.delete(id)
  meta.set(STATE, JSON.stringify({ source, cursor }))
  logger.info(`${changes} changes, ${store.keys().length} ${resource}s`)
  return true
}

/** Returns the id of the stored entry; null if nothing was stored. */
async function apply(
  { store, parseData }: LoaderContext,
  feed: Feed,
  change: Change,
): Promise<string | null> {
  if (change.type === 'delete') {
    store.delete(change.slug)
    return null
  }
  checkSlug(change.slug)
  const article = await feed.read(change)
  if (!article) return null
  const { contentHtml, ...data } = article
  // The id becomes the name of a folder in the built site.
  const id = checkSlug(data.slug)
  if (!feed.has(article)) {
    store.delete(id)
    return null
  }
  const digest = `${data.id} ${data.updatedAt}`
  store.set({ id, data: await parseData({ id, data }), rendered: { html: contentHtml }, digest })
  return id
}

const sourceOf = ({ url, site }: ClientOptions, status: string) => `${url} ${site} ${status}`

/** A handler for `catch` that returns null for errors with this HTTP status. */
function nullFor(status: number) {
  return (error: unknown): null => {
    if (error instanceof ContentApiError && error.status === status) return null
    throw error
  }
}
