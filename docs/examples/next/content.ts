/** Reads the API on the server only, so that the key never reaches a browser. */
import 'server-only'
import type { PartialPostList, Post } from 'headless-content-api/client'

const { CONTENT_URL, CONTENT_SITE, CONTENT_KEY } = process.env
const POSTS = `${CONTENT_URL}/api/v1/sites/${CONTENT_SITE}/posts`

/** After a lost event, a page updates within an hour. */
const REVALIDATE_S = 3_600

export const LIST_TAG = 'posts'
export const tagOf = (slug: string) => `post:${slug}`

/** The newest 50. */
export async function readPosts(): Promise<PartialPostList['items']> {
  const query = '?status=published&sort=publishedAt&pageSize=50&fields=title,excerpt'
  const list = await read<PartialPostList>(query, CONTENT_KEY, {
    next: { tags: [LIST_TAG], revalidate: REVALIDATE_S },
  })
  return list!.items
}

/** @returns null for an unknown slug and for a draft, because the key has the access `published` */
export const readPost = (slug: string) =>
  read<Post>(`/${encodeURIComponent(slug)}`, CONTENT_KEY, {
    next: { tags: [tagOf(slug)], revalidate: REVALIDATE_S },
  })

/** @returns the current post, or null if the preview token is invalid, expired or for another post */
export const readDraft = (idOrSlug: string, token: string) =>
  read<Post>(`/${encodeURIComponent(idOrSlug)}`, token, { cache: 'no-store' })

async function read<Answer>(path: string, token: string | undefined, caching: RequestInit) {
  const response = await fetch(POSTS + path, { headers: { Authorization: `Bearer ${token}` }, ...caching })
  if (response.ok) return (await response.json()) as Answer
  const { status } = response
  if (status === 404 || (status === 401 && token !== CONTENT_KEY)) return null
  throw new Error(`${status} ${await response.text()}`)
}
