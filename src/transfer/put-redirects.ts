/** Puts redirects in batches, and reports each one that the API refuses. */
import { MAX_REDIRECTS } from '../core/limits.ts'
import type { Api } from './api.ts'
import { inBatches } from './batches.ts'
import { Failure, relocated } from './failure.ts'
import { isRefusal } from './put.ts'
import type { Schemas } from './routes.ts'
import type { Redirect } from './source.ts'

type Outcome = Schemas['PutRedirects']
type Refuse<Item> = (item: Item, reason: string) => Promise<void> | void

/** `onlyNew` leaves existing redirects unchanged. `progress` counts also the batches before an error. */
export async function putRedirects<Item extends { redirect: Redirect }>(
  api: Api,
  site: string,
  items: AsyncIterable<Item>,
  { onlyNew, refuse, progress }: { onlyNew: boolean; refuse: Refuse<Item>; progress?: Outcome },
): Promise<Outcome> {
  const sum = progress ?? { created: 0, updated: 0, unchanged: 0 }
  const send = async (batch: Item[]) => {
    const body = { redirects: batch.map(({ redirect }) => redirect), onlyNew }
    const { created, updated, unchanged } = await api('PUT /sites/{siteId}/redirects', [site], { body })
    sum.created += created
    sum.updated += updated
    sum.unchanged += unchanged
  }
  for await (const batch of inBatches(items, MAX_REDIRECTS, ({ redirect }) => redirect)) {
    let left = batch
    while (left.length > 0) {
      try {
        await send(left)
        break
      } catch (error) {
        if (!isRefusal(error)) throw error
        left = await withoutRefused(left, error, refuse)
      }
    }
  }
  return sum
}

/** Drops the items that the refusal names, or all if it names none. */
async function withoutRefused<Item>(items: Item[], failure: Failure, refuse: Refuse<Item>): Promise<Item[]> {
  const indexOf = (path: string) => /^redirects\[(\d+)\]/.exec(path)?.[1]
  const refused = new Set(failure.issues.flatMap(({ path }) => indexOf(path) ?? []))
  const isNamed = (_: Item, at: number) => refused.size === 0 || refused.has(String(at))
  for (const [at, item] of items.entries()) {
    if (!isNamed(item, at)) continue
    const ownIssues = failure.issues.filter(({ path }) => refused.size === 0 || indexOf(path) === String(at))
    const about = new Failure(failure.message, failure.status, ownIssues)
    await refuse(item, relocated(about, (path) => path.replace(/^redirects\[\d+\]\.?/, '')).message)
  }
  return items.filter((item, at) => !isNamed(item, at))
}
