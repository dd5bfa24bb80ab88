/** Puts a batch; if the API refuses it, puts its items one by one, so that only the invalid ones are left out. */

import type { ArticleKind } from '../content/model/article-filters.ts'
import type { Api } from './api.ts'
import { Failure, relocated } from './failure.ts'
import type { Schemas } from './routes.ts'
import type { Skipped } from './source.ts'

type Outcome = Pick<Schemas['PutResult'], 'outcome'> & Pick<Item, 'file' | 'slug'>

/** `file` names the article to the operator, `slug` to the API. */
export type Item = { file: string; slug: string; article: object; id: string | undefined }

export type Unsent = { add(answer: { eventsNotSent?: number } | null): void; count(): number }

export function countUnsent(): Unsent {
  let count = 0
  return {
    add(answer) {
      count += answer?.eventsNotSent ?? 0
    },
    count: () => count,
  }
}

export const eventsQuery = (unsent: Unsent | null) => (unsent ? { events: 'none' } : {})

export async function putItems(
  api: Api,
  kind: ArticleKind,
  site: string,
  items: Item[],
  unsent: Unsent | null,
): Promise<{ outcomes: Outcome[]; refused: Skipped[] }> {
  const refused: Skipped[] = []
  try {
    return { outcomes: await putAll(api, kind, site, items, unsent), refused }
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
  const outcomes: Outcome[] = []
  for (const item of items) {
    try {
      outcomes.push(...(await putAll(api, kind, site, [item], unsent)))
    } catch (error) {
      if (!isRefusal(error)) throw error
      const { message, issues } = relocated(error, (path) => path.replace(/^\w+\[0\]\.?/, ''))
      refused.push({ file: item.file, reason: message, issues })
    }
  }
  return { outcomes, refused }
}

async function putAll(
  api: Api,
  kind: ArticleKind,
  site: string,
  items: Item[],
  unsent: Unsent | null,
): Promise<Outcome[]> {
  const ids = items.flatMap(({ id }) => id ?? [])
  const body = { [kind]: items.map(({ article }) => article), ...(ids.length > 0 && { ids }) }
  const answer = await api(`PUT /sites/{siteId}/${kind}`, [site], { body, query: eventsQuery(unsent) })
  unsent?.add(answer)
  return answer.items.map(({ outcome }, at) => ({ outcome, file: items[at]!.file, slug: items[at]!.slug }))
}

/** Statuses that concern one item. Others concern the token or the site, so every item would fail. */
const ABOUT_ONE = [400, 413]

export const isRefusal = (error: unknown): error is Failure =>
  error instanceof Failure && ABOUT_ONE.includes(error.status ?? 0)
