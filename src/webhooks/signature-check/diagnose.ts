/** Explains what is wrong with a signed request, without revealing a secret. */
import { type BodyChange, compareBodies } from './body.ts'
import {
  identifySigning,
  isStandardSignature,
  type ReceivedRequest,
  type SigningFinding,
  type SigningSecrets,
  signaturesIn,
} from './signing.ts'

/** From Standard Webhooks. The receivers in docs/guide and docs/receivers use it, too. */
const TOLERANCE_SECONDS = 300

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

/** In list order. `secrets` is null if they cannot be decrypted. */
export type DiagnosisInput = {
  webhooks: { id: string; secrets: SigningSecrets | null }[]
  deliveries: SentDelivery[]
  now: Date
}

/** `differs`: not the same as in the delivery. */
type Part<Problem> = 'right' | 'unknown' | 'differs' | Problem
export type Diagnosis = {
  timestamp: Part<'not_a_number' | 'milliseconds'>
  /** `fresh` if a receiver accepts the timestamp now. Null if it is not a number. */
  age: { seconds: number; fresh: boolean } | null
  body: Part<BodyChange>
  signature: Part<MalformedSignature | 'old_secret' | 'other_id' | OtherWebhook | SigningFinding>
  /** A webhook's id. Null if no secret gives the signature or the site has only one webhook. */
  signedBy: string | null
  sentTo: string | 'removed' | null
  /** The most similar delivery. */
  sent: SentDelivery | null
}

type MalformedSignature = 'not_hex' | 'prefixed' | 'base64' | 'length' | 'malformed_id'
type OtherWebhook = 'other_webhook' | 'other_webhook_previous'

/** Tries ways of signing first, then compares with the most similar delivery. */
export async function diagnoseSignature(
  received: ReceivedRequest,
  { webhooks, deliveries, now }: DiagnosisInput,
): Promise<Diagnosis> {
  const timestamp = received.timestamp.trim()
  const timestampProblem = findTimestampProblem(timestamp)
  const request = {
    timestamp: timestampProblem === 'milliseconds' ? timestamp.slice(0, -3) : timestamp,
    body: received.body,
    signature: received.signature.trim(),
    id: received.id.trim(),
  }
  const signatureProblem = findSignatureProblem(request)
  const sent = findNearest(request, deliveries)
  // Otherwise dots could move between id, timestamp and body under the same signature.
  const isWellFormed = !signatureProblem && timestampProblem !== 'not_a_number'
  const signing = isWellFormed ? await findSigner(request, webhooks, sent) : null
  const found = signing ?? compareWithSent(request, sent)
  return {
    timestamp: timestampProblem ?? found.timestamp,
    age: ageOf(request.timestamp, now),
    body: found.body,
    signature: signatureProblem ?? found.signature,
    signedBy: signing && webhooks.length > 1 ? signing.webhook.id : null,
    sentTo: sent && (webhooks.some(({ id }) => id === sent.webhookId) ? sent.webhookId : 'removed'),
    sent,
  }
}

function findTimestampProblem(text: string): 'not_a_number' | 'milliseconds' | null {
  if (!/^\d{1,16}$/.test(text)) return 'not_a_number'
  return text.length >= 12 ? 'milliseconds' : null
}

function findSignatureProblem({ signature: text, id }: ReceivedRequest): MalformedSignature | null {
  if (isStandardSignature(text)) return /^[A-Za-z0-9_-]+$/.test(id) ? null : 'malformed_id'
  if (/^sha256=/i.test(text)) return 'prefixed'
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return 'base64'
  if (!/^[0-9a-f]*$/i.test(text)) return 'not_hex'
  return text.length === 64 ? null : 'length'
}

function ageOf(timestamp: string, now: Date): Diagnosis['age'] {
  if (findTimestampProblem(timestamp)) return null
  const seconds = Math.round(now.getTime() / 1_000 - Number(timestamp))
  return { seconds, fresh: Math.abs(seconds) < TOLERANCE_SECONDS }
}

function findNearest(request: ReceivedRequest, deliveries: SentDelivery[]): SentDelivery | null {
  const named = deliveries.filter((sent) => isNamed(sent, request))
  const attempt = named.find((sent) => sent.timestamp === request.timestamp)
  // Two webhooks get the same body in the same second, so only their ids differ.
  if (attempt?.body === request.body) return attempt
  return (
    deliveries.find((sent) => hasSignature(sent, request)) ??
    attempt ??
    named[0] ??
    deliveries.find(({ body }) => body === request.body || body === request.body.trim()) ??
    deliveries.find(({ timestamp }) => timestamp === request.timestamp) ??
    null
  )
}

/** Tries the delivery's own webhook first, because only its secret may sign it. */
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
  const signature: OtherWebhook =
    other.signature === 'previous_secret' ? 'other_webhook_previous' : 'other_webhook'
  return { ...other, signature }
}

/** For a signature that no secret of the site gives. */
function compareWithSent(
  request: ReceivedRequest,
  sent: SentDelivery | null,
): Pick<Diagnosis, 'timestamp' | 'body' | 'signature'> {
  if (!sent) return { timestamp: 'unknown', body: 'unknown', signature: 'unknown' }
  const timestamp = sent.timestamp === request.timestamp ? 'right' : 'differs'
  const body = compareBodies(sent.body, request.body)
  if (!hasSignature(sent, request)) return { timestamp, body, signature: 'differs' }
  if (isStandardSignature(request.signature) && request.id !== sent.eventId)
    return { timestamp, body, signature: 'other_id' }
  const isAsSent = timestamp === 'right' && body === 'right'
  return { timestamp, body, signature: isAsSent ? 'old_secret' : 'right' }
}

/** An event id belongs to one webhook. Without an id, compares timestamp and body. */
function isSameDelivery(sent: SentDelivery, request: ReceivedRequest): boolean {
  if (isNamed(sent, request)) return true
  return sent.timestamp === request.timestamp && compareBodies(sent.body, request.body) !== 'differs'
}

function isNamed(sent: SentDelivery, { id }: ReceivedRequest): boolean {
  return sent.eventId === id.toLowerCase()
}

function hasSignature({ serviceSignature, standardSignature }: SentDelivery, { signature }: ReceivedRequest) {
  const sent = [serviceSignature, ...standardSignature.split(' ')]
  return signaturesIn(signature).some((each) => sent.includes(each))
}
