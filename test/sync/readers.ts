/** Three ways to keep a copy of a site's posts; each `round` brings the copy up to date. */
import { list as listChanges, readCursor } from '../../src/changes.ts'
import type { Context } from '../../src/context.ts'
import { type Post, toPost } from '../../src/posts/post.ts'
import { isComplete, list } from '../../src/posts/read.ts'
import type { SiteScope } from '../../src/sites.ts'

/** What a post looks like to whoever compares: its slug with everything that may differ. */
export type Copy = Map<string, string>

export type Reader = { name: string; copy: Copy; reads: number; round: () => Promise<void> }

export const faceOf = (post: Pick<Post, 'title' | 'contentHtml' | 'status'>) =>
  JSON.stringify([post.status, post.title, post.contentHtml])

/** Walks `page=1…n` of what came after the newest post of its last first page. */
export function walker(ctx: Context, site: SiteScope, name: string, pageSize: number): Reader {
  let updatedAfter: Date | null = null
  const reader: Reader = { name, copy: new Map(), reads: 0, round }
  return reader

  async function round() {
    let newest: Date | null = updatedAfter
    for (let page = 1, pages = 1; page <= pages; page++) {
      const found = await list(ctx, site, {
        page,
        pageSize,
        search: null,
        status: 'all',
        language: null,
        updatedAfter,
      })
      reader.reads++
      if (!isComplete(found)) throw new Error('bodies are missing')
      if (page === 1) newest = found.rows[0]?.updatedAt ?? updatedAfter
      pages = found.totalPages
      // The newest state of a post stands on the earliest page.
      for (const post of found.rows.map(toPost)) reader.copy.set(post.slug, faceOf(post))
    }
    updatedAfter = newest
  }
}

/** Follows the change feed from its beginning. */
export function follower(ctx: Context, site: SiteScope): Reader {
  let cursor: string | null = null
  const reader: Reader = { name: 'change feed', copy: new Map(), reads: 0, round }
  return reader

  async function round() {
    for (let hasMore = true; hasMore; ) {
      const parsed = cursor === null ? null : await readCursor(site, cursor)
      const feed = await listChanges(ctx, site, { cursor: parsed, limit: 100, content: true })
      reader.reads++
      for (const change of feed.items) {
        if (change.type === 'delete') reader.copy.delete(change.slug)
        else if (change.post) reader.copy.set(change.slug, faceOf(change.post))
      }
      cursor = feed.cursor
      hasMore = feed.hasMore
    }
  }
}
