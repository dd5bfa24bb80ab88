/** Explains the outcome of a delivery, with advice for failures. */
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
    const advice = target
      ? `Change the webhook URL to the target of the redirect: ${target}`
      : explanation.advice
    return { tone: 'danger', name, happened: explanation.happened, advice }
  }
  if (status !== null)
    return {
      tone: 'success',
      name: OUTCOMES.delivered,
      happened: `The receiver responded with ${status}.`,
      advice: '',
    }
  return {
    tone: 'neutral',
    name: OUTCOMES.under_way,
    happened: 'The event is being sent, or the receiver has not responded yet.',
    advice: 'Reload this page in a few seconds.',
  }
}

function explain(error: Failure, outcome: Outcome): Explanation {
  if (error === 'bot_check') return explainBotCheck(outcome)
  return error === 'http_status' ? explainStatus(outcome.status ?? 0) : FAILURES[error]
}

/** Lists don't load headers, so they can't name the bot check. */
function explainBotCheck({ url, status, answerHeaders, answerExcerpt }: Outcome): Explanation {
  const header = (name: string) => answerHeaders?.[name]
  const name = findBotCheck({ status: status ?? 0, header }, answerExcerpt)
  const path = url && URL.canParse(url) ? new URL(url).pathname : "the path of the webhook's URL"
  return {
    happened: `A bot check${name ? ` by ${name}` : ''} responded with ${status} instead of the receiver, which did not get the event.`,
    advice: `Exempt POST requests to ${path} from the check${name ? ` at ${name}` : ''}, or requests with the User-Agent ${USER_AGENT}. Then resend the event.`,
  }
}

/** The target of a redirect. A cut `location` is shown as stored. */
function targetOf({ url, answerHeaders }: Outcome): string | undefined {
  const location = answerHeaders?.location
  if (!location || location.endsWith('…') || !URL.canParse(location, url)) return location
  return new URL(location, url).href
}

const FAILURES: Record<Exclude<Failure, 'http_status' | 'bot_check'>, Explanation> = {
  timeout: {
    happened: 'The receiver did not respond within 8 seconds. It may still have received the event.',
    advice:
      'Respond with 2xx right away and do the work afterwards. If it already does, check that the request reached it.',
  },
  unreachable: {
    happened: 'The receiver could not be reached, or did not respond with HTTP.',
    advice:
      'Check the URL for typos. Check that its host name has an A or AAAA record in public DNS, and that the certificate is valid for this name and includes its intermediate certificates.',
  },
  dns: {
    happened: "Cloudflare found no address for the receiver's host name.",
    advice: 'Check the URL for typos, and that the host name has an A or AAAA record in public DNS.',
  },
  refused: {
    happened: 'Cloudflare could not connect to the receiver.',
    advice: 'Check that the receiver is running, that the port is right, and that no firewall blocks it.',
  },
  tls: {
    happened: 'Cloudflare could not establish a secure connection to the receiver.',
    advice: 'The certificate may have expired, be for another host, or lack its intermediate certificates.',
  },
  connection_lost: {
    happened:
      'Nothing answered, or the connection closed early, so the receiver may still have received the event.',
    advice: 'Check that the receiver runs, and look at its log.',
  },
  blocked_address: {
    happened: 'Nothing was sent because the URL breaks a rule for webhook URLs.',
    advice: 'Set a URL with https on port 443 or 8443 and a public host name.',
  },
  redirect: {
    happened: 'The receiver responded with a redirect, which we do not follow.',
    advice:
      'Change the webhook URL to the target of the redirect. Often http should be https, or the trailing slash is missing.',
  },
  endpoint_removed: {
    happened: 'Nothing was sent because the webhook had been removed.',
    advice: 'Add a webhook, then resend this event.',
  },
  secret_undecryptable: {
    happened: "Nothing was sent because the service's WEBHOOK_KEYS cannot decrypt the webhook's secret.",
    advice:
      'Rotate the secret of the webhook and give the receiver the new one, or ask the operator of the service to restore the lost key in WEBHOOK_KEYS. Then resend this event.',
  },
  interrupted: {
    happened: 'The service stopped during the attempt. The receiver may or may not have received the event.',
    advice:
      "Check the receiver's log. Resending is safe if the receiver ignores a webhook-id that it has seen.",
  },
}

function explainStatus(status: number): Explanation {
  const [, advice] = BY_STATUS.find(([statuses]) => statuses.includes(status)) ?? [
    [],
    status >= 500
      ? 'The receiver failed. Check its log at this time, fix it, then resend.'
      : 'See the response below. Respond with 2xx once the receiver has accepted the event.',
  ]
  return { happened: 'Only 2xx counts as delivered.', advice }
}

const BY_STATUS: [number[], string][] = [
  [
    [401, 403],
    `The receiver refused the signature, or something in front of it requires a login or takes us for a bot. Check the signature below, and exempt this URL from firewalls and passwords. Our User-Agent is ${USER_AGENT}.`,
  ],
  [[404, 410], 'There is nothing at this path. Compare the path of the URL with the path of your receiver.'],
  [
    [405],
    'The path exists but does not accept POST. Check for a missing trailing slash, or route POST to it.',
  ],
  [[413], 'The body is too large for the receiver. Raise its limit, or the limit of a proxy in front of it.'],
  [[415], 'The receiver does not accept application/json at this path. Change it to accept this type.'],
  [[429], 'The receiver limits the request rate. Exempt this path from the limit, then resend.'],
  [
    [502, 503, 504],
    'Usually a proxy responds like this because the receiver behind it is down or slow. Fix the receiver, then resend.',
  ],
]
