/** Ways to keep a copy of a site's posts over HTTP; each `round` brings the copy up to date. */

export type Post = {
  id: string
  slug: string
  title: string
  contentHtml: string
  status: string
  language: string | null
  updatedAt: string
}

/** Posts as they are compared, by id. */
type Copy = Map<string, string>

/** Reads below the site's path; returns the body, even after a 304. */
export type Get = <Answer>(below: string) => Promise<Answer>

export type Poller = {
  name: string
  copy: Copy
  reads: number
  /** It should have this post. It may still have one that left its filter or was deleted. */
  follows: (post: Post) => boolean
  hearsOfDeletions: boolean
  round: () => Promise<void>
}

export const faceOf = ({ slug, title, contentHtml, status }: Post) =>
  JSON.stringify([slug, status, title, contentHtml])

/**
 * The usual loop: send the latest received `updatedAt` until there are no items. `query` is the rest of the query, such as
 * `pageSize=5&status=published`.
 */
export function onePager(get: Get, query: string, follows: Poller['follows'] = () => true): Poller {
  let updatedAfter = '1970-01-01T00:00:00.000Z'
  const poller: Poller = { name: query, copy: new Map(), reads: 0, follows, hearsOfDeletions: false, round }
  return poller

  async function round() {
    for (;;) {
      const { items } = await get<{ items: Post[] }>(`/posts?updatedAfter=${updatedAfter}&${query}`)
      poller.reads++
      if (items.length === 0) return
      for (const post of items) poller.copy.set(post.id, faceOf(post))
      updatedAfter = items.map((post) => post.updatedAt).reduce((a, b) => (a > b ? a : b))
    }
  }
}

type Feed = {
  items: { type: string; resource: string; id: string; post?: Post }[]
  cursor: string
  hasMore: boolean
}

/** Follows the change feed from its beginning. */
export function follower(get: Get): Poller {
  let cursor = ''
  const poller: Poller = {
    name: 'change feed',
    copy: new Map(),
    reads: 0,
    follows: () => true,
    hearsOfDeletions: true,
    round,
  }
  return poller

  async function round() {
    for (let hasMore = true; hasMore; ) {
      const feed = await get<Feed>(`/changes?limit=20&include=content${cursor && `&cursor=${cursor}`}`)
      poller.reads++
      for (const { type, id, post } of feed.items) {
        if (type === 'delete') poller.copy.delete(id)
        else if (post) poller.copy.set(id, faceOf(post))
      }
      cursor = feed.cursor
      hasMore = feed.hasMore
    }
  }
}
