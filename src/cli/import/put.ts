/** Puts a batch; if the API refuses it, one by one, so that only the bad ones are left out. */

import type { ArticleKind } from '../../foundation/article-filters.ts'
import type { Api } from '../client.ts'
import { Failure, relocated } from '../failure.ts'
import type { Schemas } from '../routes.ts'
import type { Skipped } from './source.ts'

type Outcome = Schemas['PutResult']

/** An article, and what names it: its file to the operator, its slug to the API. */
export type Item = { file: string; slug: string; article: object; id: string | undefined }

export async function putItems(
  api: Api,
  kind: ArticleKind,
  site: string,
  items: Item[],
): Promise<{ outcomes: Outcome[]; refused: Skipped[] }> {
  const refused: Skipped[] = []
  try {
    return { outcomes: await putAll(api, kind, site, items), refused }
  } catch (error) {
    if (!isRefusal(error)) throw error
  }
  const outcomes: Outcome[] = []
  for (const item of items) {
    try {
      outcomes.push(...(await putAll(api, kind, site, [item])))
    } catch (error) {
      if (!isRefusal(error)) throw error
      const { message } = relocated(error, (path) => path.replace(/^\w+\[0\]\.?/, ''))
      refused.push({ file: item.file, reason: message })
    }
  }
  return { outcomes, refused }
}

async function putAll(api: Api, kind: ArticleKind, site: string, items: Item[]): Promise<Outcome[]> {
  const ids = items.flatMap(({ id }) => id ?? [])
  const body = { [kind]: items.map(({ article }) => article), ...(ids.length > 0 && { ids }) }
  return (await api(`PUT /sites/{siteId}/${kind}`, [site], { body })).items
}

/** Others are about the token or the site, so the next one would fail too. */
const ABOUT_ONE = [400, 413]

export const isRefusal = (error: unknown): error is Failure =>
  error instanceof Failure && ABOUT_ONE.includes(error.status ?? 0)
