/** Entries and commits for stores. */
import { createHash } from 'node:crypto'
import type { Commit, Entry, Store } from '../../../src/sdk/client.ts'

/** The same UUID for the same name. */
export const idOf = (name: string) =>
  createHash('md5')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** Only the fields that stores read, and a title. */
export const post = (name: string, title = name, slug = name) =>
  ({ resource: 'post', round: 1, content: { id: idOf(name), slug, title } }) as Entry
export const guide = (name: string) =>
  ({ resource: 'guide', round: 1, content: { id: idOf(name), slug: name, title: name } }) as Entry

export const commit = (from: string | null, to: string, parts: Partial<Commit> = {}): Commit => ({
  ...{ from, to, put: [], remove: [] },
  ...parts,
})

export async function titlesIn(store: Store): Promise<string[]> {
  const titles: string[] = []
  for await (const { content } of store.list()) titles.push(content.title)
  return titles.sort()
}
