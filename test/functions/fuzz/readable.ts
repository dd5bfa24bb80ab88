/** Checks that accepted content can be read: at once by its slug or id, and at the end in every list. */
import { expect } from 'vitest'
import { apiNames } from '../../../src/content/articles/field-table.ts'
import { POST_FIELDS } from '../../../src/content/posts/fields.ts'
import { bodyFaults, type Operation } from '../../support/openapi.ts'
import { call, operatorToken, post, type TestSite } from '../../support/site.ts'
import { setWebhook } from '../../support/webhook.ts'
import type { Api } from './apis.ts'
import type { Body } from './body.ts'
import { words } from './values.ts'
import { UNLIMITED } from './world.ts'

type Json = Record<string, unknown>
type Written = {
  id?: string
  slug?: string
  key?: string
  expiresAt?: string | null
  items?: { slug?: string }[]
}
type Article = Json & { slug: string; title: string; metadata?: Json }
type Page = {
  items: Article[]
  totalPages?: number
  hasMore?: boolean
  cursor?: string
  next?: string | null
}
type Read = (operationId: string, path: string, key?: string) => Promise<Response>

const MAX_PAGES = 100
const MAX_SEARCH_LENGTH = 200
/** Fields that the API derives, normalizes, or sets by another operation. */
const NOT_AS_GIVEN = words(
  'id slug status updatedAt publishedAt readingTimeMinutes sourcePostId seo provenance',
)

/** A read that must succeed and match its description. */
export function reader(apis: Api[]): Read {
  return async (operationId, path, key = operatorToken) => {
    const { api, operation } = find(apis, operationId)
    const response = await call(api.root + path, { key })
    if (response.status !== 200) throw new Error(`${path} can no longer be read: ${response.status}`)
    const faults = await bodyFaults(response.clone(), operation.responses[200]!, api.document.components)
    if (faults.length > 0) throw new Error(`${path} is read otherwise than described: ${faults.join('; ')}`)
    return response
  }
}

/** Reads the result of a write; the last article for a bulk put. */
export async function readWritten(
  read: Read,
  site: TestSite,
  operationId: string,
  { given, written }: { given: Body | undefined; written: Written },
): Promise<void> {
  const { path, key } = site
  switch (operationId) {
    case 'putPost':
    case 'putPosts': {
      const slug = slugOf(written)
      const answer = await read('getPost', `${path}/posts/${slug}?include=provenance,metadata`, key)
      const post = await answer.json<Article>()
      await compare(site, `/posts/${slug}`, post, given)
      await findByTitle(read, site, post)
      return
    }
    case 'putGuide':
    case 'putGuides': {
      const slug = slugOf(written)
      await site.manage('PUT', `/guides/${slug}/publication`)
      const answer = await read('getGuide', `${path}/guides/${slug}`, key)
      await compare(site, `/guides/${slug}`, await answer.json<Article>(), given)
      return
    }
    case 'createSite':
      await read('getSite', `/sites/${written.id}`)
      return
    case 'updateSite':
      await site.manage('PATCH', '', UNLIMITED)
      await read('getSitemap', `${path}/sitemap.xml`, key)
      return
    case 'createKey':
      await read('listKeys', `${path}/keys`)
      if (written.expiresAt === null) await read('getSitemap', `${path}/sitemap.xml`, written.key)
      return
    case 'setWebhook':
      await read('getWebhook', `${path}/webhook`)
  }
}

function slugOf({ items, slug }: Written): string {
  return encodeURIComponent(items?.at(-1)?.slug ?? slug!)
}

/**
 * The article must be as it was put. Putting it back as it was read, without its id and with its metadata, must change
 * nothing.
 */
async function compare(site: TestSite, below: string, article: Article, given: Body | undefined) {
  expect(article).toMatchObject(asGiven(given))
  const { metadata, ...fields } = article
  const { outcome } = await site.manage('PUT', below, { ...fields, ...metadata, id: undefined })
  if (outcome !== 'unchanged') throw new Error(`${below}, put back as it was read, is ${outcome}`)
}

/** The fields of a body that must be read back unchanged. */
function asGiven(body: Body | undefined): Json {
  const parsed = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as Json
  const article = [parsed.posts ?? parsed.guides ?? parsed].flat().at(-1) as Json
  const kept = apiNames(POST_FIELDS).all.filter(
    (name) => !NOT_AS_GIVEN.includes(name) && article[name] != null,
  )
  return Object.fromEntries(kept.map((name) => [name, article[name]]))
}

async function findByTitle(read: Read, { path, key }: TestSite, { slug, title }: Article): Promise<void> {
  if (title.length > MAX_SEARCH_LENGTH) return
  const query = `pageSize=5&search=${encodeURIComponent(title)}`
  const { items, totalPages } = await (await read('listPosts', `${path}/posts?${query}`, key)).json<Page>()
  if (totalPages! > 1 || items.some((item) => item.slug === slug)) return
  throw new Error(`${slug} is not found by its title ${JSON.stringify(title)}`)
}

/** Reads the whole site with every read operation, to the last page. */
export async function readEverything(read: Read, site: TestSite): Promise<void> {
  await restore(site)
  const { path, key } = site
  await readPages(read, 'listPosts', `${path}/posts?`, key)
  await readPages(read, 'listChanges', `${path}/changes?include=content&limit=50&`, key)
  await readPages(read, 'listPosts', `${path}/posts?sort=publishedAt&`, key)
  await readPages(read, 'listGuides', `${path}/guides?`, key)
  await read('getPost', `${path}/posts/kept?include=provenance`, key)
  await read('getGuide', `${path}/guides/kept`, key)
  await read('getSitemap', `${path}/sitemap.xml`, key)
  await readExport(read, site)
  await readPages(read, 'listSites', '/sites?')
  await readPages(read, 'listEvents', `${path}/events?`)
  await readPages(read, 'listDeliveries', `${path}/deliveries?`)
  await read('listKeys', `${path}/keys`)
  await read('getWebhook', `${path}/webhook`)
  await read('listWebhookEndpoints', `${path}/webhooks`)
  await read('getPublishedSitemap', `${path}/sitemap`)
  await read('getSite', path)
}

async function readPages(read: Read, operationId: string, path: string, key?: string): Promise<void> {
  for (let at = 1, query: string | null = ''; query !== null; at++) {
    if (at > MAX_PAGES) throw new Error(`${path} does not end`)
    query = queryAfter(await (await read(operationId, path + query, key)).json<Page>(), at)
  }
}

function queryAfter({ next, hasMore, cursor, totalPages = 0 }: Page, at: number): string | null {
  if (next) return `cursor=${next}`
  if (hasMore) return `cursor=${cursor}`
  return at < totalPages ? `page=${at + 1}` : null
}

async function readExport(read: Read, { path, key }: TestSite): Promise<void> {
  for (let below: string | undefined = `${path}/training/export`; below; ) {
    const response: Response = await read('exportTraining', below, key)
    below = /<https:\/\/[^/]+\/api\/v1([^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
    await response.body?.cancel()
  }
}

/** Restores whatever the fuzz may have removed, and checks that these writes succeed. */
async function restore(site: TestSite): Promise<void> {
  await site.manage('PATCH', '', UNLIMITED)
  await site.put('kept', { status: 'published' })
  await site.manage('PUT', '/guides/kept', post({ status: 'published' }))
  await setWebhook(site, 'ok')
  await site.manage('PUT', '/sitemap')
}

function find(apis: Api[], operationId: string): { api: Api; operation: Operation } {
  for (const api of apis) {
    const operation = api.operations.find((each) => each.operationId === operationId)
    if (operation) return { api, operation }
  }
  throw new Error(`There is no operation ${operationId}`)
}
