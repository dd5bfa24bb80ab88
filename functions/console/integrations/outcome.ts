/** The outcome of a delivery in plain words, and what to try if it failed. */
import type * as z from 'zod/mini'
import { findBotCheck } from '../../../src/webhooks/bot-checks.ts'
import { USER_AGENT } from '../../../src/webhooks/deliver.ts'
import type { Delivery, DeliveryInFull } from '../../../src/webhooks/log.ts'
import { nameCause, OUTCOMES } from '../../../src/webhooks/outcome.ts'

export type SiteDelivery = z.infer<typeof Delivery>
type Failure = NonNullable<SiteDelivery['error']>
type Explanation = { happened: string; advice: string }

export const isDelivered = ({ status, error }: Pick<SiteDelivery, 'status' | 'error'>) =>
  status !== null && error === null

export type OutcomeDescription = { tone: 'success' | 'neutral' | 'danger'; name: string } & Explanation

type Outcome = Pick<SiteDelivery, 'status' | 'error'> &
  Partial<Pick<z.infer<typeof DeliveryInFull>, 'url' | 'answerHeaders' | 'answerExcerpt'>>

export function describeOutcome(outcome: Outcome): OutcomeDescription {
  const { status, error } = outcome
  if (error) {
    const name = nameCause({ error, status })
    const explanation = explain(error, outcome)
    const target = error === 'redirect' && targetOf(outcome)
    const advice = target ? `Set the URL that it leads to: ${target}` : explanation.advice
    return { tone: 'danger', name, happened: explanation.happened, advice }
  }
  if (status !== null)
    return {
      tone: 'success',
      name: OUTCOMES.delivered,
      happened: `The receiver answered ${status}.`,
      advice: '',
    }
  return {
    tone: 'neutral',
    name: OUTCOMES.under_way,
    happened: 'It is being sent, or has not been answered yet.',
    advice: 'Reload this page in a few seconds.',
  }
}

function explain(error: Failure, outcome: Outcome): Explanation {
  if (error === 'bot_check') return explainBotCheck(outcome)
  return error === 'http_status' ? explainStatus(outcome.status ?? 0) : FAILURES[error]
}

/** Lists have no headers, so that they do not name the check. */
function explainBotCheck({ url, status, answerHeaders, answerExcerpt }: Outcome): Explanation {
  const header = (name: string) => answerHeaders?.[name]
  const name = findBotCheck({ status: status ?? 0, header }, answerExcerpt)
  const path = url && URL.canParse(url) ? new URL(url).pathname : "the path of the webhook's URL"
  return {
    happened: `A bot check${name ? ` of ${name}` : ''} answered ${status} in place of the receiver, which did not get the event.`,
    advice: `Let POST requests to ${path} through without a check${name ? ` at ${name}` : ''}, or those with the User-Agent ${USER_AGENT}. Then send the event again.`,
  }
}

/** Where a redirect leads to. A `location` may be relative, or cut: then it is shown as it was kept. */
function targetOf({ url, answerHeaders }: Outcome): string | undefined {
  const location = answerHeaders?.location
  if (!location || location.endsWith('…') || !URL.canParse(location, url)) return location
  return new URL(location, url).href
}

const FAILURES: Record<Exclude<Failure, 'http_status' | 'bot_check'>, Explanation> = {
  timeout: {
    happened: 'The receiver did not answer within 8 seconds. It may still have received the event.',
    advice:
      'Answer 2xx at once and do the work afterwards. If it already does, check that the request reached it.',
  },
  unreachable: {
    happened: 'The receiver could not be reached, or did not answer in HTTP.',
    advice:
      'Check the URL for typos, that its name has an A or AAAA record in public DNS, and that the certificate is valid, for this name and with its intermediate certificates.',
  },
  dns: {
    happened: "Cloudflare found no address for the receiver's host name.",
    advice: 'Check the URL for typos, and that the name has an A or AAAA record in public DNS.',
  },
  refused: {
    happened: 'Cloudflare could not connect to the receiver.',
    advice: 'Check that the receiver is running, that the port is right, and that no firewall blocks it.',
  },
  tls: {
    happened: 'Cloudflare could not make a secure connection to the receiver.',
    advice: 'The certificate may have expired, name another host, or lack its intermediate certificates.',
  },
  connection_lost: {
    happened:
      'The connection was refused, or broke before an answer. The receiver may still have received the event.',
    advice:
      'Check that the receiver is running at this host and port and that no firewall blocks it. If it is, look in its log at this time for a crash or a restart, and check any proxy in front of it.',
  },
  blocked_address: {
    happened: 'Nothing was sent, because the URL breaks a rule for webhook URLs.',
    advice: 'Set a URL with https on port 443 or 8443 and a public host name.',
  },
  redirect: {
    happened: 'The receiver answered with a redirect, which is not followed.',
    advice: 'Set the URL that it leads to. Often http should be https, or a slash is missing at the end.',
  },
  endpoint_removed: {
    happened: 'Nothing was sent: the webhook was removed first.',
    advice: 'Set a webhook, then send this event again.',
  },
  secret_undecryptable: {
    happened: "Nothing was sent: the webhook's secret cannot be decrypted with the service's WEBHOOK_KEYS.",
    advice:
      'Rotate the secret on the page of the webhook and give the receiver the new one, or let the operator of the service put the lost key back into WEBHOOK_KEYS. Then send this event again.',
  },
  interrupted: {
    happened: 'The service stopped during the attempt. The receiver may or may not have received the event.',
    advice: "Look in the receiver's log. Sending again is safe if it ignores a webhook-id that it has seen.",
  },
}

function explainStatus(status: number): Explanation {
  const happened = `The receiver answered ${status}; only 2xx counts as delivered.`
  const [, advice] = BY_STATUS.find(([statuses]) => statuses.includes(status)) ?? [
    [],
    status >= 500
      ? 'The receiver failed. Look in its log at this time, fix it, then send again.'
      : 'See what the receiver says below, and answer 2xx once it has accepted the event.',
  ]
  return { happened, advice }
}

const BY_STATUS: [number[], string][] = [
  [
    [401, 403],
    `The receiver refused the signature, or something in front of it wants a login or takes us for a bot. Check the signature below, and exempt this URL from firewalls and passwords. Our User-Agent is ${USER_AGENT}.`,
  ],
  [[404, 410], "There is nothing at this path. Compare the URL's path with your receiver's."],
  [
    [405],
    'The path exists but does not accept POST. Check for a missing slash at the end, or route POST to it.',
  ],
  [[413], 'The receiver accepts no bodies of this size. Raise its limit, or that of a proxy in front of it.'],
  [[415], 'The receiver does not accept application/json at this path. Change it to accept that type.'],
  [[429], 'The receiver limits the rate of requests. Exempt this path from the limit, then send again.'],
  [
    [502, 503, 504],
    'Often a proxy answers like this because the receiver behind it is down or slow. Bring it up, then send again.',
  ],
]
