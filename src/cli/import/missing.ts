/** What an earlier import has brought and the source no longer has: it is named and, if asked for, unpublished or deleted. */
import type { Api } from '../client.ts'
import type { Identities } from './identity.ts'
import type { Report } from './report.ts'

export const DELETE_MISSING = ['unpublish', 'delete'] as const
export type DeleteMissing = (typeof DELETE_MISSING)[number]

const DONE = { unpublish: 'unpublished', delete: 'deleted' }

export async function settleMissing(
  api: Api,
  site: string,
  missing: ReturnType<Identities['missing']>,
  report: Pick<Report, 'add' | 'isWhole'>,
  {
    dryRun,
    deleteMissing,
    isPartial,
  }: { dryRun: boolean; deleteMissing: DeleteMissing | undefined; isPartial: boolean },
): Promise<void> {
  if (missing.length === 0) return
  // What was skipped may be what is missing.
  const verb = report.isWhole() && !isPartial ? deleteMissing : undefined
  for (const { kind, slug } of verb && !dryRun ? missing : []) {
    if (verb === 'unpublish') await api(`DELETE /sites/{siteId}/${kind}/{slug}/publication`, [site, slug])
    else await api(`DELETE /sites/{siteId}/${kind}/{slug}`, [site, slug])
  }
  report.add({
    goneAtSource: missing.map(({ kind, slug, origin }) => `${kind}/${slug} (${origin})`),
    goneArticles: verb
      ? DONE[verb]
      : deleteMissing
        ? `stay, since ${isPartial ? 'the source shows only what is public' : 'something was skipped'}`
        : 'stay',
  })
}
