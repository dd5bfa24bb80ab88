/** `event resend SITE --failed-since T`: a part at a time, at most so many a second, until nothing is left. */

import { setTimeout as sleep } from 'node:timers/promises'
import { MAX_RESENT } from '../../foundation/limits.ts'
import type { Api } from '../client.ts'
import type { Result } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { progress, writeError } from '../output.ts'
import type { Schemas } from '../routes.ts'

export type ResendFlags = {
  failedSince?: string
  failedUntil?: string
  includeInterrupted?: boolean
  limitPerSecond?: number
  dryRun?: boolean
}

const DEFAULT_PER_SECOND = 5

export async function resendFailed(
  io: Io,
  api: Api,
  site: string,
  {
    failedSince,
    failedUntil: givenUntil,
    includeInterrupted,
    limitPerSecond = DEFAULT_PER_SECOND,
    dryRun,
  }: ResendFlags & { failedSince: string },
): Promise<Result> {
  if (limitPerSecond === 0) throw new Failure('--limit-per-second must be at least 1')
  const resend = (body: object) =>
    api('POST /sites/{siteId}/events/resends', [site], {
      body: { failedSince, ...(includeInterrupted && { includeInterrupted }), ...body },
    })
  const {
    remaining: found,
    interrupted,
    failedUntil,
  } = await resend({
    ...(givenUntil && { failedUntil: givenUntil }),
    limit: 0,
  })
  const none = { found, failedUntil, interrupted, arrived: 0, failed: 0, notSent: found }
  const leftOut =
    interrupted > 0
      ? `; ${interrupted} more may have arrived, since the service died while it sent them: --include-interrupted sends them too`
      : ''
  const counted = `${found} failed from ${failedSince} to ${failedUntil} and ${found === 1 ? 'has' : 'have'} not arrived`
  if (dryRun || found === 0) return { json: none, text: counted + leftOut }
  // Whoever stops it knows where to go on.
  writeError(io, counted + leftOut)
  const limit = Math.min(MAX_RESENT, limitPerSecond)
  const bar = progress(io, 'Sending again', found)
  const resent: Schemas['ResentFailed']['resent'] = []
  let left = found
  let stopped: string | null = null
  while (left > 0) {
    const started = performance.now()
    const part = await resend({ failedUntil, limit }).catch((error: Error) => error)
    // What was sent by then is reported all the same.
    if (part instanceof Error) {
      if (resent.length === 0) throw part
      stopped = part.message
      break
    }
    if (part.resent.length === 0) {
      stopped = 'another process is sending the rest'
      break
    }
    resent.push(...part.resent)
    left = part.remaining
    bar.at(resent.length)
    const due = (part.resent.length / limitPerSecond) * 1_000
    if (left > 0) await sleep(Math.max(0, due - (performance.now() - started)))
  }
  bar.end()
  const failed = resent.filter(({ error }) => error !== null)
  const report = {
    found,
    failedUntil,
    interrupted,
    arrived: resent.length - failed.length,
    failed: failed.length,
    notSent: left,
  }
  const lines = failed.map(({ slug, eventId, error, status }) =>
    `${slug ?? eventId}  ${error} ${status ?? ''}`.trim(),
  )
  const text = [
    `${counted}: ${report.arrived} arrived, ${report.failed} failed again, ${left} not sent${leftOut}`,
    ...lines,
    ...(stopped === null ? [] : [`Stopped: ${stopped}`]),
  ]
  return {
    json: { ...report, stopped, resent },
    text: text.join('\n'),
    complete: failed.length === 0 && left === 0,
  }
}
