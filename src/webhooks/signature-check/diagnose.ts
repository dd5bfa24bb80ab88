/** Says which part of a signed request is wrong, and how. The diagnosis reveals nothing of a secret. */
import { type BodyChange, compareBodies } from './body.ts'
import { identifySigning, isStandardSignature, type SigningFinding, type SigningSecrets } from './signing.ts'

/** As in Standard Webhooks and the receivers of docs/guide and docs/receivers. */
const TOLERANCE_SECONDS = 300

/** What a receiver says it got. `signature` is X-Service-Signature, or webhook-signature with its webhook-id. */
export type ReceivedRequest = { timestamp: string; body: string; signature: string; id: string }

/** What was really sent. */
export type SentDelivery = {
  deliveryId: string
  eventId: string
  webhookId: string
  timestamp: string
  body: string
  /** X-Service-Signature. */
  serviceSignature: string
  /** webhook-signature. */
  standardSignature: string
}

/** `webhooks` are those of the site, in the order of its list; without secrets where they cannot be decrypted. */
export type DiagnosisInput = {
  webhooks: { id: string; secrets: SigningSecrets | null }[]
  deliveries: SentDelivery[]
  now: Date
}

/** `differs`: not the one of the delivery that it comes from. */
type Part<Problem> = 'right' | 'unknown' | 'differs' | Problem
export type Diagnosis = {
  timestamp: Part<'not_a_number' | 'milliseconds'>
  /** Whether a receiver accepts the timestamp now; null when it is not a number. */
  age: { seconds: number; fresh: boolean } | null
  body: Part<BodyChange>
  signature: Part<
    | 'not_hex'
    | 'prefixed'
    | 'base64'
    | 'length'
    | 'malformed_id'
    | 'old_secret'
    | 'other_id'
    | 'other_webhook'
    | 'other_webhook_previous'
    | SigningFinding
  >
  /** The webhook whose secret gives the signature; null if none does, or if the site has only one. */
  signedBy: WebhookNumber | null
  /** The webhook that `sent` went to; null without a delivery. */
  sentTo: WebhookNumber | 'removed' | null
  /** The delivery that it comes from, or that is most like it. */
  sent: SentDelivery | null
}

/** A webhook's place in the list, from 1. */
type WebhookNumber = number

/** Tries the ways of signing first, then compares with what was sent. */
export async function diagnoseSignature(
  received: ReceivedRequest,
  { webhooks, deliveries, now }: DiagnosisInput,
): Promise<Diagnosis> {
  const timestampProblem = findTimestampProblem(received.timestamp.trim())
  const request = {
    timestamp:
      timestampProblem === 'milliseconds'
        ? received.timestamp.trim().slice(0, -3)
        : received.timestamp.trim(),
    body: received.body,
    signature: received.signature.trim(),
    id: received.id.trim(),
  }
  const signatureProblem = findSignatureProblem(request)
  const sent = findNearest(request, deliveries)
  // Without their forms, dots could be moved between id, timestamp and body, with the same signature.
  const isWellFormed = !signatureProblem && timestampProblem !== 'not_a_number'
  const signing = isWellFormed ? await findSigner(request, webhooks, sent) : null
  const found = signing ?? compareWithSent(request, sent)
  return {
    timestamp: timestampProblem ?? found.timestamp,
    age: ageOf(request.timestamp, now),
    body: found.body,
    signature: signatureProblem ?? found.signature,
    signedBy: signing && webhooks.length > 1 ? webhooks.indexOf(signing.webhook) + 1 : null,
    sentTo: sent && (webhooks.findIndex(({ id }) => id === sent.webhookId) + 1 || 'removed'),
    sent,
  }
}

/** The webhook that a delivery went to comes first: only its secret may sign that delivery. */
async function findSigner(
  request: ReceivedRequest,
  webhooks: DiagnosisInput['webhooks'],
  sent: SentDelivery | null,
) {
  const signings = await Promise.all(
    webhooks.map(async (webhook) => {
      const signing = webhook.secrets && (await identifySigning(request, webhook.secrets))
      return signing && { webhook, ...signing }
    }),
  )
  const found = signings.filter((signing) => signing !== null)
  const own = found.find(({ webhook }) => webhook.id === sent?.webhookId)
  if (own) return own
  const other = found.find(({ signature }) => signature === 'right') ?? found[0]
  if (!other || !sent || !isSameDelivery(sent, request)) return other
  const isPrevious = other.signature === 'previous_secret'
  return {
    ...other,
    signature: isPrevious ? ('other_webhook_previous' as const) : ('other_webhook' as const),
  }
}

/** An event that is named by its id went to one webhook. Without an id, its timestamp and body tell. */
function isSameDelivery(sent: SentDelivery, { id, timestamp, body }: ReceivedRequest): boolean {
  if (sent.eventId === id.toLowerCase()) return true
  return sent.timestamp === timestamp && compareBodies(sent.body, body) !== 'differs'
}

function findTimestampProblem(text: string): 'not_a_number' | 'milliseconds' | null {
  if (!/^\d{1,16}$/.test(text)) return 'not_a_number'
  return text.length >= 12 ? 'milliseconds' : null
}

function ageOf(timestamp: string, now: Date): Diagnosis['age'] {
  if (findTimestampProblem(timestamp)) return null
  const seconds = Math.round(now.getTime() / 1_000 - Number(timestamp))
  return { seconds, fresh: Math.abs(seconds) < TOLERANCE_SECONDS }
}

function findSignatureProblem({ signature: text, id }: ReceivedRequest) {
  if (isStandardSignature(text)) return /^[A-Za-z0-9_-]+$/.test(id) ? null : 'malformed_id'
  if (/^sha256=/i.test(text)) return 'prefixed'
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return 'base64'
  if (!/^[0-9a-f]*$/i.test(text)) return 'not_hex'
  return text.length === 64 ? null : 'length'
}

function findNearest({ signature, body, timestamp, id }: ReceivedRequest, deliveries: SentDelivery[]) {
  const named = deliveries.filter((sent) => sent.eventId === id.toLowerCase())
  const attempt = named.find((sent) => sent.timestamp === timestamp)
  // Two webhooks get the same body in the same second: their ids alone tell them apart.
  if (attempt?.body === body) return attempt
  return (
    deliveries.find((sent) => hasSignature(sent, signature)) ??
    attempt ??
    named[0] ??
    deliveries.find((sent) => sent.body === body || sent.body === body.trim()) ??
    deliveries.find((sent) => sent.timestamp === timestamp) ??
    null
  )
}

/** For a signature that none of the site's secrets gives. */
function compareWithSent(
  request: ReceivedRequest,
  sent: SentDelivery | null,
): Pick<Diagnosis, 'timestamp' | 'body' | 'signature'> {
  if (!sent) return { timestamp: 'unknown', body: 'unknown', signature: 'unknown' }
  const timestamp = sent.timestamp === request.timestamp ? 'right' : 'differs'
  const body = compareBodies(sent.body, request.body)
  if (!hasSignature(sent, request.signature)) return { timestamp, body, signature: 'differs' }
  if (isStandardSignature(request.signature) && request.id !== sent.eventId)
    return { timestamp, body, signature: 'other_id' }
  const isAsSent = timestamp === 'right' && body === 'right'
  return { timestamp, body, signature: isAsSent ? 'old_secret' : 'right' }
}

function hasSignature(sent: SentDelivery, signature: string): boolean {
  if (!isStandardSignature(signature)) return sent.serviceSignature === signature.toLowerCase()
  const signatures = sent.standardSignature.split(' ')
  return signature.split(' ').some((each) => signatures.includes(each))
}
