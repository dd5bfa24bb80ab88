/** A client of `/api/v1` for every runtime with `fetch`. */
import { type Follower, type FollowOptions, follow } from './client/follow.ts'
import { type ClientOptions, createOperations } from './client/operations.ts'
import { createPages } from './client/pages.ts'
import type { Store } from './client/store.ts'
import { type SyncOptions, type SyncResult, syncSite } from './client/sync.ts'

export { ContentApiError } from './client/error.ts'
export type { Follower, FollowOptions } from './client/follow.ts'
export type { ClientOptions } from './client/operations.ts'
export {
  type Commit,
  type ContentOf,
  type Entry,
  type Key,
  memoryStore,
  type Resource,
  type Store,
} from './client/store.ts'
export type { SyncOptions, SyncResult } from './client/sync.ts'
export type * from './client/types.ts'

export type Client = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const operations = createOperations(options)
  /** Brings the copy in `store` up to date. Safe to interrupt and to run concurrently. */
  const sync = (store: Store, syncOptions?: SyncOptions): Promise<SyncResult> =>
    syncSite(operations, options.site, store, syncOptions)
  return {
    ...operations,
    ...createPages(operations),
    sync,
    /** Syncs at intervals and on `wake`, until it is stopped. */
    follow: (store: Store, followOptions?: FollowOptions): Follower =>
      follow((each) => sync(store, each), followOptions),
  }
}
