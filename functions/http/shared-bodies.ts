/** Bodies shared by a data centre in Cloudflare's Cache API. Keys contain version and format, so no entry needs a purge. */
import type { CachedBody } from '../../src/caches.ts'

/** Detects truncated bodies. */
export const LENGTH = 'X-Length'
const TOTAL_PAGES = 'X-Total-Pages'
/** Deployments keep the cache, so this bounds how long a wrong body can live. */
const MAX_AGE_S = 86_400

type SharedBody = Pick<CachedBody, 'body' | 'totalPages'>

/** The Cache API requires the Worker's own host. `name` contains everything that the body depends on. */
export const sharedUrl = (requested: string, name: string) =>
  new URL(`/bodies/${encodeURIComponent(name)}`, requested).href

/** Null if the body is missing or truncated, or if the cache fails. */
export async function findSharedBody(url: string): Promise<SharedBody | null> {
  try {
    const response = await (await openCache()).match(url)
    if (!response) return null
    const body = new Uint8Array(await response.arrayBuffer())
    const isWhole = body.byteLength === Number(response.headers.get(LENGTH))
    const pages = response.headers.get(TOTAL_PAGES)
    return isWhole ? { body, totalPages: pages === null ? null : Number(pages) } : null
  } catch {
    return null
  }
}

export async function shareBody(url: string, { body, totalPages }: SharedBody): Promise<void> {
  const headers = new Headers({ 'Cache-Control': `max-age=${MAX_AGE_S}`, [LENGTH]: String(body.byteLength) })
  if (totalPages !== null) headers.set(TOTAL_PAGES, String(totalPages))
  await (await openCache()).put(url, new Response(body, { headers }))
}

/** Another format of the entries needs another name. */
const openCache = () => caches.open('bodies-2')
