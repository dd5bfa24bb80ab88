import { storeKeyUses } from './access/activity.ts'
import { renewSharedAuths } from './access/keys.ts'
import { pruneAlerts, requeueDueAlerts } from './alerts/alert.ts'
import { raiseQuotaAlerts } from './alerts/quota.ts'
import { reencryptAlertTargets } from './alerts/settings.ts'
import { foldTitles } from './content/articles/fold-titles.ts'
import { pruneTombstones } from './content/changes.ts'
import { publishDuePosts } from './content/posts/due.ts'
import type { Context } from './context.ts'
import { purgeSitemaps } from './freshness/purges.ts'
import { storeStaleVersions } from './freshness/site-versions.ts'
import * as sweeper from './freshness/sweep.ts'
import { pruneAuditLog } from './people/audit-log.ts'
import { pruneSessions } from './people/sessions.ts'
import { continueDeletions } from './sites/deletion.ts'
import { continueImports, pruneImports } from './sites/imports.ts'
import { rollUpUsage } from './sites/usage.ts'
import { closeInterruptedAttempts } from './webhooks/attempt.ts'
import { pruneEvents, requeueOverdueEvents } from './webhooks/event.ts'
import { countSecretsLeft, reencryptSecrets } from './webhooks/reencryption.ts'
import { pruneResends } from './webhooks/resend.ts'
import { continueResends } from './webhooks/resend-turns.ts'

const ofSites = {
  // Before requeueing events, because a receiver must see the post that its event is about.
  storeStaleVersions,
  closeInterruptedAttempts,
  requeueOverdueEvents,
  continueResends,
  continueImports,
  requeueDueAlerts,
  storeKeyUses,
  purgeSitemaps,
  continueDeletions,
}

const all = {
  publishDuePosts,
  // Before storing versions, because folding changes search results.
  foldTitles,
  ...ofSites,
  renewSharedAuths,
  rollUpUsage,
  raiseQuotaAlerts,
  pruneEvents,
  pruneResends,
  pruneImports,
  pruneAlerts,
  reencryptSecrets,
  reencryptAlertTargets,
  countSecretsLeft,
  pruneTombstones,
  pruneSessions,
  pruneAuditLog,
}

const keepMarks: (keyof typeof ofSites)[] = ['purgeSitemaps']
const jobs = { all, ofSites, keepMarks, due: 'publishDuePosts' satisfies keyof typeof all }

export const sweep = (ctx: Context, now: Date) => sweeper.sweep(ctx, jobs, now)

export const sweepAll = (ctx: Context, now: Date) => sweeper.sweepAll(ctx, jobs, now)
