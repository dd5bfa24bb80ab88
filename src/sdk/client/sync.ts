/**
 * Brings a copy up to date from the change feed, one page per commit. If another sync commits first, this one drops its
 * page and continues from the other's cursor: so the store always has everything before the cursor.
 */
import { ContentApiError } from './error.ts'
import { checkId, checkSlug } from './names.ts'
import type { Operations } from './operations.ts'
import { hasNextPage } from './pages.ts'
import { type Entry, type Key, keyOf, nameOf, type Store } from './store.ts'
import type { CallOptions, Change } from './types.ts'

export type SyncOptions = CallOptions & {
  /** Changes per page, 1 to 500; 100 by default. */
  limit?: number | undefined
  /** Reads everything and removes deleted entries, for example after a restore of the service's database. */
  again?: boolean | undefined
}

export type SyncResult = {
  put: number
  removed: number
  /** True if the feed was read again from its beginning. */
  restarted: boolean
}

type State = {
  site: string
  cursor: string | null
  round: number
  /** At the end of the feed, remove entries that were last seen in an earlier round. */
  sweeps: boolean
}

type Api = Pick<Operations, 'listChanges'>

const EXPIRED = 410

export async function syncSite(
  api: Api,
  site: string,
  store: Store,
  { signal, limit = 100, again = false }: SyncOptions = {},
): Promise<SyncResult> {
  const result: SyncResult = { put: 0, removed: 0, restarted: false }
  for (let mustRestart = again; ; ) {
    const from = await store.state()
    const state = parseState(from, site)
    const page = mustRestart ? null : await readPage(api, state.cursor, { signal, limit })
    if (!page) {
      const to = JSON.stringify({ site, cursor: null, round: state.round + 1, sweeps: true })
      const restarted = await store.commit({ from, to, put: [], remove: [] })
      result.restarted ||= restarted
      mustRestart &&= !restarted
      continue
    }
    const { put, remove } = effectsOf(page.items, state.round)
    const isLast = !hasNextPage(page, state.cursor)
    if (isLast && state.sweeps) remove.push(...(await unseen(store, state.round, put)))
    const next: State = { ...state, cursor: page.cursor, sweeps: state.sweeps && !isLast }
    const to = JSON.stringify(next)
    signal?.throwIfAborted()
    if (to !== from) {
      if (!(await store.commit({ from, to, put, remove }))) continue
      result.put += put.length
      result.removed += remove.length
    }
    if (isLast) return result
  }
}

/** @throws Error for the copy of another site */
function parseState(text: string | null, site: string): State {
  const own = site.toLowerCase()
  if (text === null) return { site: own, cursor: null, round: 1, sweeps: false }
  const state: State = JSON.parse(text)
  if (state.site !== own) throw new Error(`The store has a copy of another site, ${state.site}`)
  return state
}

async function readPage(
  { listChanges }: Api,
  cursor: string | null,
  { signal, limit }: { signal: AbortSignal | undefined; limit: number },
) {
  try {
    return await listChanges({ limit, include: 'content', ...(cursor !== null && { cursor }) }, { signal })
  } catch (error) {
    if (error instanceof ContentApiError && error.status === EXPIRED) return null
    throw error
  }
}

/** Reduces a page to the last change of each article. @throws Error for a malformed id or slug */
function effectsOf(changes: Change[], round: number) {
  const put = new Map<string, Entry>()
  const remove = new Map<string, Key>()
  for (const change of changes) {
    const { resource } = change
    // From a later version of the service.
    if (resource !== 'post' && resource !== 'guide') continue
    const id = checkId(change.id)
    const name = nameOf(change)
    if (change.type === 'delete') {
      put.delete(name)
      remove.set(name, { resource, id })
      continue
    }
    const entry = entryOf(change, round)
    // The article is gone, which a later change reports.
    if (!entry) continue
    if (checkId(entry.content.id) !== id)
      throw new Error(`The service answered with ${entry.content.id} as ${id}`)
    checkSlug(entry.content.slug)
    remove.delete(name)
    put.set(name, entry)
  }
  return { put: [...put.values()], remove: [...remove.values()] }
}

/** Null if the article has been deleted or unpublished since. */
function entryOf(change: Change, round: number): Entry | null {
  if (change.resource === 'post') {
    return change.post ? { resource: 'post', round, content: change.post } : null
  }
  return change.guide ? { resource: 'guide', round, content: change.guide } : null
}

async function unseen(store: Store, round: number, put: Entry[]): Promise<Key[]> {
  const seen = new Set(put.map((entry) => nameOf(keyOf(entry))))
  const keys: Key[] = []
  for await (const entry of store.list()) {
    if (entry.round < round && !seen.has(nameOf(keyOf(entry)))) keys.push(keyOf(entry))
  }
  return keys
}
