/** `event resend SITE --failed`: starts a resend in the service, and shows its progress. */

import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_RESENT_PER_SECOND } from '../../core/limits.ts'
import type { Api } from '../../transfer/api.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Schemas } from '../../transfer/routes.ts'
import type { Result } from '../command.ts'
import type { Io } from '../io.ts'
import { progress, writeError } from '../output.ts'

export type ResendFlags = {
  failed?: boolean
  failedSince?: string
  failedUntil?: string
  webhook?: string
  includeInterrupted?: boolean
  limitPerSecond?: number
  dryRun?: boolean
  stop?: boolean
}

const WATCHED_EVERY_MS = 1_000

export async function resendFailed(io: Io, api: Api, site: string, flags: ResendFlags): Promise<Result> {
  const { failedSince, failedUntil, webhook, includeInterrupted, limitPerSecond, dryRun } = flags
  if (limitPerSecond === 0) throw new Failure('--limit-per-second must be at least 1')
  const which = {
    ...(webhook && { webhookId: webhook }),
    ...(failedSince && { failedSince }),
    ...(failedUntil && { failedUntil }),
    ...(includeInterrupted && { includeInterrupted }),
  }
  if (dryRun) {
    const query = { ...which, includeInterrupted: includeInterrupted ? 'true' : undefined }
    const count = await api('GET /sites/{siteId}/events/failed', [site], { query })
    const { total, interrupted, failedUntil } = count
    const text = `${total} failed until ${failedUntil} and ${total === 1 ? 'was' : 'were'} not delivered since`
    return { json: { ...count, dryRun: true }, text: text + leftOut(interrupted) }
  }
  const begun = await api('POST /sites/{siteId}/resends', [site], {
    body: {
      ...which,
      ...(limitPerSecond && { perSecond: Math.min(limitPerSecond, MAX_RESENT_PER_SECOND) }),
    },
  })
  return watch(io, api, site, begun)
}

/** Waits for the end. Interrupting the command does not stop the resend. */
async function watch(io: Io, api: Api, site: string, begun: Schemas['Resend']): Promise<Result> {
  const { id, total } = begun
  if (begun.ending === null)
    writeError(io, `The service resends ${total}, even if you leave. Use --stop to stop it`)
  const bar = progress(io, 'Resending', total)
  let resend = begun
  while (resend.ending === null) {
    await sleep(WATCHED_EVERY_MS)
    resend = await api('GET /sites/{siteId}/resends/{resendId}', [site, id])
    bar.at(resend.arrived + resend.failed)
  }
  bar.end()
  return report(resend)
}

export async function stopResend(api: Api, site: string): Promise<Result> {
  const query = { limit: '1' }
  const { items } = await api('GET /sites/{siteId}/resends', [site], { query })
  const [newest] = items
  if (!newest || newest.ending !== null) throw new Failure('No resend is running')
  return {
    ...report(await api('PUT /sites/{siteId}/resends/{resendId}/stop', [site, newest.id])),
    complete: true,
  }
}

function report(resend: Schemas['Resend']): Result {
  const { total, arrived, failed, notSent, ending, failedUntil, interrupted } = resend
  const end = {
    done: '',
    stopped: `. Stopped: --failed-until ${failedUntil} sends the rest`,
    webhook_removed: '. Its webhook was removed',
  }[ending!]
  const failures = failed > 0 ? '. List them with: delivery list SITE --outcome not_arrived' : ''
  return {
    json: resend,
    text: `${total} resent: ${arrived} delivered, ${failed} failed again, ${notSent} not sent${leftOut(interrupted)}${end}${failures}`,
    complete: failed === 0 && notSent === 0,
  }
}

const leftOut = (interrupted: number) =>
  interrupted > 0
    ? `; ${interrupted} more may have been delivered, since a crash interrupted their delivery: --include-interrupted resends them, too`
    : ''
