/** The interface of stores for a copy of a site, and the store in memory. */
import type { Guide, Post } from './types.ts'

export type Resource = 'post' | 'guide'

/** `round` counts full reads of the site: an entry that the last one did not see is gone. */
export type Entry = { round: number } & (
  | { resource: 'post'; content: Post }
  | { resource: 'guide'; content: Guide }
)

export type Key = { resource: Resource; id: string }

export type Commit = {
  from: string | null
  to: string
  /** Each replaces the entry with its id. */
  put: Entry[]
  remove: Key[]
}

/** Only `commit` writes. Several processes may use the same store. */
export type Store = {
  /** `to` of the last commit; null in a new store. */
  state(): Promise<string | null>
  /**
   * Writes if the state is still `from`, otherwise returns false. When interrupted, it may leave the entries without `to`,
   * but never `to` without the entries.
   */
  commit(commit: Commit): Promise<boolean>
  get<Kind extends Resource>(resource: Kind, slug: string): Promise<ContentOf<Kind> | null>
  list(): AsyncIterable<Entry>
  close(): Promise<void>
}

export type ContentOf<Kind extends Resource> = Extract<Entry, { resource: Kind }>['content']

export const nameOf = ({ resource, id }: Key) => `${resource} ${id}`
export const keyOf = ({ resource, content }: Entry): Key => ({ resource, id: content.id })

export function memoryStore(): Store {
  const entries = new Map<string, Entry>()
  let state: string | null = null
  return {
    state: async () => state,
    async commit({ from, to, put, remove }) {
      if (state !== from) return false
      for (const key of remove) entries.delete(nameOf(key))
      for (const entry of put) entries.set(nameOf(keyOf(entry)), entry)
      state = to
      return true
    },
    async get<Kind extends Resource>(resource: Kind, slug: string) {
      const found = [...entries.values()].find(
        (each) => each.resource === resource && each.content.slug === slug,
      )
      return (found?.content ?? null) as ContentOf<Kind> | null
    },
    async *list() {
      yield* [...entries.values()]
    },
    async close() {},
  }
}
