/**
 * Serves each published file from one Workers Cache entry. Otherwise HEAD, extra query parameters, path spellings and headers
 * would miss the cache and cost a Redis call each.
 */
import { AppError } from '../../src/core/errors.ts'
import type { Http } from '../http/env.ts'
import { matchesEtag } from '../http/read.ts'

export type PublishedFile = { file: string; page: number | null }

type Execution = {
  /** Set only by this Worker. */
  props?: { isCanonical?: boolean }
  exports: { default: (options: { props: object }) => Pick<Fetcher, 'fetch'> }
}

const executionOf = (c: Http) => c.executionCtx as unknown as Execution

/** Marks the Worker's own GET of the canonical URL. */
export const isCanonical = (c: Http) => executionOf(c).props?.isCanonical === true

/** Builds the URL from the id, because the path may be percent-encoded in many ways. */
export const urlOf = (c: Http, file: string) =>
  `${new URL(c.req.url).origin}/sitemaps/${c.req.param('sitemapId')}/${file}`

/** @throws AppError not_found for an unknown page, without asking Redis or Postgres */
export async function respondFromCache(c: Http, { file, page }: PublishedFile): Promise<Response> {
  const url = urlOf(c, file)
  const whole = await fetchCanonical(c, url)
  if (page === null || !whole.ok) return toResponse(c, whole)
  if (!(await hasPage(whole, page))) throw new AppError('not_found')
  return toResponse(c, await fetchCanonical(c, `${url}?page=${page}`))
}

/** Drops conditional headers, because a 304 would not fill the cache. */
function fetchCanonical(c: Http, url: string): Promise<Response> {
  const headers = new Headers({ 'X-Request-Id': c.get('requestId') })
  const address = c.req.header('CF-Connecting-IP')
  if (address !== undefined) headers.set('CF-Connecting-IP', address)
  return executionOf(c)
    .exports.default({ props: { isCanonical: true } })
    .fetch(url, { headers })
}

/** A sitemap without an index has one page. */
async function hasPage({ body }: Response, page: number): Promise<boolean> {
  let text = ''
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('<urlset')) return page === 1
  }
  return text.includes(`page=${page}<`)
}

async function toResponse(c: Http, { status, headers, body }: Response): Promise<Response> {
  const etag = headers.get('ETag')
  if (status === 200 && etag !== null && matchesEtag(c.req.header('If-None-Match'), etag, true)) {
    await body?.cancel()
    return new Response(null, { status: 304, headers })
  }
  return new Response(body, { status, headers })
}
