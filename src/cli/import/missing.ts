/** What an earlier import has brought and the source no longer has: it is named and, if asked for, unpublished or deleted. */
import type { Api } from '../client.ts'
import type { Missing } from './identity.ts'
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
  }: { dryRun: boolean; deleteMissing: DeleteMissing | undefined; isPartial: boolean },
): Promise<void> {
  const gone = missing.filter(({ isOfSource }) => isOfSource)
  const perhaps = missing.filter(({ isOfSource }) => !isOfSource)
  if (perhaps.length > 0) report.add({ perhapsGoneAtSource: perhaps.map(nameOf) })
  if (gone.length === 0) return
  // What was skipped may be what is missing.
  const verb = report.isWhole() && !isPartial ? deleteMissing : undefined
  for (const { kind, slug } of verb && !dryRun ? gone : []) {
    if (verb === 'unpublish') await api(`DELETE /sites/{siteId}/${kind}/{slug}/publication`, [site, slug])
    else await api(`DELETE /sites/{siteId}/${kind}/{slug}`, [site, slug])
  }
  report.add({
    goneAtSource: gone.map(nameOf),
    goneArticles: verb
      ? DONE[verb]
      : deleteMissing
        ? `stay, since ${isPartial ? 'the source shows only what is public' : 'something was skipped'}`
        : 'stay',
  })
}

const nameOf = ({ kind, slug, origin }: Missing) => `${kind}/${slug} (${origin})`
