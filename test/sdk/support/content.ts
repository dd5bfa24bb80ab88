/** Entries and commits for stores. */
import type { Commit, Entry, Store } from '../../../src/sdk/client.ts'

/** Only what stores look at, and a title. */
export const post = (id: string, title = id, slug = id) =>
  ({ resource: 'post', round: 1, content: { id, slug, title } }) as Entry
export const guide = (id: string) =>
  ({ resource: 'guide', round: 1, content: { id, slug: id, title: id } }) as Entry

export const commit = (from: string | null, to: string, parts: Partial<Commit> = {}): Commit => ({
  ...{ from, to, put: [], remove: [] },
  ...parts,
})

export async function titlesIn(store: Store): Promise<string[]> {
  const titles: string[] = []
  for await (const { content } of store.list()) titles.push(content.title)
  return titles.sort()
}
