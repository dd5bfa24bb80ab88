/** Writes a whole site as lines of JSON that an import can read. */
import type { Api } from './api.ts'
import type { StoredChange } from './changes.ts'
import { itemsOf } from './pages.ts'
import type { Schemas } from './routes.ts'
import { redirectsOf } from './site-redirects.ts'

export const FORMAT = 'headless-content-api/1'

type Site = Schemas['Site']
export type Settings = Omit<Site, 'id' | 'createdAt'>
export type Counts = { posts: number; guides: number; redirects: number; trainingRows: number }

const TRAINING_PAGE = 100

/** All posts or guides, as of the moment when the change feed was read to its end. */
type Articles = (resource: StoredChange['resource']) => AsyncIterable<StoredChange>

export async function* exportLines(
  api: Api,
  { id, createdAt: _, ...settings }: Site,
  articles: Articles,
  onRow: (rows: number) => void = () => {},
): AsyncGenerator<object, Counts> {
  const counts = { posts: 0, guides: 0, redirects: 0, trainingRows: 0 }
  yield { format: FORMAT, siteId: id, settings }
  for await (const { id, createdAt, updatedAt, post } of articles('post')) {
    yield { type: 'post', id, createdAt, updatedAt, post }
    counts.posts++
  }
  for await (const { id, createdAt, updatedAt, guide } of articles('guide')) {
    yield { type: 'guide', id, createdAt, updatedAt, guide }
    counts.guides++
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
