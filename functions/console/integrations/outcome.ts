/** What became of a delivery, in plain words, and what to try when it failed. */
import type { z } from 'zod'
import type { Delivery } from '../../../src/webhooks/log.ts'

export type SiteDelivery = z.infer<typeof Delivery>
type Failure = NonNullable<SiteDelivery['error']>
type Words = { happened: string; advice: string }

export type Described = { tone: 'success' | 'neutral' | 'danger'; name: string } & Words

export function describeOutcome({ status, error }: Pick<SiteDelivery, 'status' | 'error'>): Described {
  if (error) {
    const name = error === 'http_status' ? `Answered ${status}` : FAILURE_NAMES[error]
    const words = error === 'http_status' ? ofStatus(status ?? 0) : FAILURES[error]
    return { tone: 'danger', name, ...words }
  }
  if (status !== null)
    return { tone: 'success', name: 'Delivered', happened: `The receiver answered ${status}.`, advice: '' }
  return {
    tone: 'neutral',
    name: 'Under way',
    happened: 'It is being sent, or the answer is awaited.',
    advice: 'Load this page again in a few seconds.',
  }
}

/** As they stand in lists. */
export const FAILURE_NAMES: Record<Failure, string> = {
  timeout: 'Timed out',
  dns: 'Host not found',
  refused: 'Refused',
  tls: 'TLS failed',
  connection_lost: 'Connection lost',
  blocked_address: 'URL not allowed',
  redirect: 'Redirected',
  http_status: 'Answered with an error',
  endpoint_removed: 'No webhook',
  interrupted: 'Interrupted',
}

const FAILURES: Record<Exclude<Failure, 'http_status'>, Words> = {
  timeout: {
    happened: 'The receiver did not answer within 8 seconds. It may have got the event all the same.',
    advice:
      'Answer 2xx at once and do the work afterwards. If it should be fast, see whether it was reached.',
  },
  dns: {
    happened: 'The host name of the URL leads nowhere.',
    advice: 'Look for a typing error in the URL, and whether the name has an A or AAAA record in public DNS.',
  },
  refused: {
    happened: 'Nothing takes connections at this host and port.',
    advice: 'See whether the receiver is running, on this port, and whether a firewall lets it be reached.',
  },
  tls: {
    happened: 'No secure connection could be made.',
    advice: 'The certificate may have expired, name another host, or lack its intermediate certificates.',
  },
  connection_lost: {
    happened: 'The receiver closed the connection without an answer. It may have got the event all the same.',
    advice: 'Look in its log at this time for a crash or a restart, and at a proxy in front of it.',
  },
  blocked_address: {
    happened: 'Nothing was sent, since the URL breaks a rule for webhook URLs.',
    advice: 'Set a URL with https on port 443 or 8443, at a public host name.',
  },
  redirect: {
    happened: 'The receiver answered with a redirect, which is not followed.',
    advice: 'Set the URL that it leads to. Often http should be https, or a slash is missing at the end.',
  },
  endpoint_removed: {
    happened: 'Nothing was sent: the webhook was removed before the event could be.',
    advice: 'Set a webhook, then send this event again.',
  },
  interrupted: {
    happened: 'The service stopped during the attempt. Whether the receiver got the event is not known.',
    advice: 'Look in the log of the receiver. Sending again is safe if it knows events by their webhook-id.',
  },
}

function ofStatus(status: number): Words {
  const happened = `The receiver answered ${status}; only 2xx counts as delivered.`
  const [, advice] = BY_STATUS.find(([statuses]) => statuses.includes(status)) ?? [
    [],
    status >= 500
      ? 'The receiver failed. Look in its log at this time, mend it, then send again.'
      : 'See what the receiver says below, and answer 2xx once an event is taken.',
  ]
  return { happened, advice }
}

const BY_STATUS: [number[], string][] = [
  [
    [401, 403],
    'The receiver does not believe the signature, or something before it wants a login. See below to check the signature; take firewalls and passwords away from this URL.',
  ],
  [[404, 410], 'There is nothing at this path. Compare the path of the URL with that of your receiver.'],
  [[405], 'The path exists but takes no POST. Look for a missing slash at the end, or route POST to it.'],
  [[413], 'The receiver takes no bodies of this size. Raise its limit, which a proxy before it may set.'],
  [[415], 'The receiver does not take application/json at this path. Let it.'],
  [[429], 'The receiver counts too many requests. Leave this path out of its rate limit, then send again.'],
  [
    [502, 503, 504],
    'A proxy answered since the receiver behind it is down or slow. Bring it up, then send again.',
  ],
]
