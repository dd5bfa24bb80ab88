/** Writes a whole site as lines of JSON that an import can read. */
import type { Api } from './api.ts'
import type { StoredChange } from './changes.ts'
import { itemsOf } from './pages.ts'
import type { Schemas } from './routes.ts'
import { redirectsOf } from './site-redirects.ts'

export const FORMAT = 'headless-content-api/1'
/** An article may have several lines, of which the last counts. Earlier importers would take all of them. */
export const REPEATING_FORMAT = 'headless-content-api/2'

type Site = Schemas['Site']
export type Settings = Omit<Site, 'id' | 'createdAt'>
export type Counts = { posts: number; guides: number; redirects: number; trainingRows: number }

const TRAINING_PAGE = 100

/** The articles of a site as of the end of the change feed. With `repeats` they come as in the feed: the last line of each counts. */
type Articles = { changes: AsyncIterable<StoredChange>; repeats: boolean }

export async function* exportLines(
  api: Api,
  { id, createdAt: _, ...settings }: Site,
  { changes, repeats }: Articles,
  onRow: (rows: number) => void = () => {},
): AsyncGenerator<object, Counts> {
  const counts = { posts: 0, guides: 0, redirects: 0, trainingRows: 0 }
  yield { format: repeats ? REPEATING_FORMAT : FORMAT, siteId: id, settings }
  const seen = new Set<string>()
  for await (const { id, type, resource, createdAt, updatedAt, post, guide } of changes) {
    const count = resource === 'post' ? 'posts' : 'guides'
    const isSeen = seen.has(id)
    if (type === 'upsert' && (post ?? guide)) {
      yield { type: resource, id, createdAt, updatedAt, ...(post ? { post } : { guide }) }
      if (!isSeen) counts[count]++
      if (repeats) seen.add(id)
    } else if (isSeen) {
      yield { type: 'deleted', id }
      counts[count]--
      seen.delete(id)
    }
  }
  for await (const redirect of redirectsOf(api, id)) {
    yield { type: 'redirect', redirect }
    counts.redirects++
  }
  const rows = itemsOf((query) => api('GET /sites/{siteId}/training-rows', [id], { query }), TRAINING_PAGE)
  for await (const { id, postId: _, createdAt, ...row } of rows) {
    yield { type: 'trainingRow', id, createdAt, row }
    onRow(++counts.trainingRows)
  }
  // Marks the file as complete.
  yield { type: 'end', ...counts }
  return counts
}

/** Only the last change of an article counts, and it moves the article to the end. */
export function noteChange<Kept>(kept: Map<string, Kept>, change: StoredChange, what: Kept): void {
  kept.delete(change.id)
  // An upsert without content: the article has been deleted since, and its deletion follows in the feed.
  if (change.type === 'upsert' && (change.post ?? change.guide)) kept.set(change.id, what)
}
