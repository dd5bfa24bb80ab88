/** Reports articles that an earlier import created and the source no longer has; unpublishes or deletes them on request. */
import type { Api } from './api.ts'
import type { Missing } from './identity.ts'
import { eventsQuery, type Unsent } from './put.ts'
import type { Report } from './report.ts'

export const DELETE_MISSING = ['unpublish', 'delete'] as const
export type DeleteMissing = (typeof DELETE_MISSING)[number]

const DONE = { unpublish: 'unpublished', delete: 'deleted' }

export async function settleMissing(
  api: Api,
  site: string,
  missing: Missing[],
  report: Pick<Report, 'add' | 'isWhole'>,
  {
    dryRun,
    deleteMissing,
    isPartial,
    unsent,
  }: {
    dryRun: boolean
    deleteMissing: DeleteMissing | undefined
    isPartial: boolean
    unsent: Unsent | null
  },
): Promise<void> {
  const gone = missing.filter(({ isOfSource }) => isOfSource)
  const perhaps = missing.filter(({ isOfSource }) => !isOfSource)
  if (perhaps.length > 0) report.add({ perhapsGoneAtSource: perhaps.map(nameOf) })
  if (gone.length === 0) return
  // An article that was skipped is not gone.
  const verb = report.isWhole() && !isPartial ? deleteMissing : undefined
  const query = eventsQuery(unsent)
  for (const { kind, slug } of verb && !dryRun ? gone : []) {
    const answer =
      verb === 'unpublish'
        ? await api(`DELETE /sites/{siteId}/${kind}/{slug}/publication`, [site, slug], { query })
        : await api(`DELETE /sites/{siteId}/${kind}/{slug}`, [site, slug], { query })
    unsent?.add(answer)
  }
  report.add({
    goneAtSource: gone.map(nameOf),
    goneArticles: verb
      ? DONE[verb]
      : deleteMissing
        ? `stay, since ${isPartial ? 'the source shows only public articles' : 'some items were skipped'}`
        : 'stay',
  })
}

const nameOf = ({ kind, slug, origin }: Missing) => `${kind}/${slug} (${origin})`
