/** What a signature check found, in plain words. */
import { MAX_DELIVERIES_SEARCHED } from '../../../../src/webhooks/signature-check/check.ts'
import type { Diagnosis } from '../../../../src/webhooks/signature-check/diagnose.ts'
import { formatQuantity } from '../../parts/quantity.ts'

type Tone = 'success' | 'warning' | 'danger' | 'neutral'
export type Finding = { tone: Tone; name: string; text: string }

type Result = { tone: Exclude<Tone, 'neutral'>; text: string }

/** The overall result. */
export function describeResult(diagnosis: Diagnosis): Result {
  const { timestamp, body, signature } = diagnosis
  if (timestamp === 'right' && body === 'right') {
    if (signature === 'right') return describeGenuine(diagnosis)
    if (signature === 'previous_secret')
      return {
        tone: 'warning',
        text: `This is signed with ${nameSigner(diagnosis)} previous secret. A receiver that has the new one refuses it.`,
      }
  }
  const text = isOtherWebhook(diagnosis) ? nameBothWebhooks(diagnosis) : 'The signature does not verify.'
  return { tone: 'danger', text }
}

function describeGenuine({ signedBy, sentTo }: Diagnosis): Result {
  if (signedBy === null) return { tone: 'success', text: "Genuine: this is signed with this site's secret." }
  return sentTo === signedBy
    ? {
        tone: 'success',
        text: `Genuine: this went to webhook ${signedBy} and is signed with its secret. Another webhook's receiver must refuse it.`,
      }
    : {
        tone: 'warning',
        text: `This is signed with webhook ${signedBy}'s secret, but the log has no such delivery. Check that your receiver is the one of webhook ${signedBy}.`,
      }
}

const isOtherWebhook = ({ signature }: Diagnosis) =>
  signature === 'other_webhook' || signature === 'other_webhook_previous'

function nameBothWebhooks(diagnosis: Diagnosis): string {
  const { signature, sentTo } = diagnosis
  const secret = signature === 'other_webhook_previous' ? 'previous secret' : 'secret'
  const target = sentTo === 'removed' ? 'a webhook that has been removed' : `webhook ${sentTo}`
  return `This is signed with ${nameSigner(diagnosis)} ${secret}; this delivery went to ${target}.`
}

/** The owner of the secret, in the genitive. */
const nameSigner = ({ signedBy }: Diagnosis) => (signedBy === null ? "this site's" : `webhook ${signedBy}'s`)

export function describeTimestamp({ timestamp, age }: Diagnosis, typed: string): Finding {
  if (timestamp !== 'right' && timestamp !== 'unknown')
    return { tone: 'danger', ...TIMESTAMPS[timestamp](typed) }
  if (age && !age.fresh) return describeAge(age.seconds)
  const text = 'It is less than 5 minutes old.'
  return timestamp === 'right'
    ? { tone: 'success', name: 'As signed', text }
    : { tone: 'neutral', name: 'Unknown', text: `${text} It may not belong to the signature.` }
}

function describeAge(seconds: number): Finding {
  return seconds > 0
    ? {
        tone: 'warning',
        name: `${formatAge(seconds)} old`,
        text: 'Receivers now refuse it, as they should: the limit is 5 minutes. If yours refused it when it arrived, its clock is ahead.',
      }
    : {
        tone: 'danger',
        name: `${formatAge(-seconds)} ahead`,
        text: 'It is more than 5 minutes in the future. We never send such a time: check the clock.',
      }
}

function formatAge(seconds: number): string {
  const [amount, unit]: [number, string] =
    seconds < 7_200
      ? [seconds / 60, 'minute']
      : seconds < 172_800
        ? [seconds / 3_600, 'hour']
        : [seconds / 86_400, 'day']
  return formatQuantity(Math.floor(amount), unit)
}

type Description = Pick<Finding, 'name' | 'text'>

const TIMESTAMPS: Record<'not_a_number' | 'milliseconds' | 'differs', (typed: string) => Description> = {
  not_a_number: () => ({
    name: 'Not a number',
    text: 'It must be the seconds since 1970, in digits only, exactly as in X-Service-Timestamp.',
  }),
  milliseconds: (typed) => ({
    name: 'Milliseconds',
    text: `It is sent and signed in seconds: ${typed.trim().slice(0, -3)}.`,
  }),
  differs: () => ({
    name: 'Differs',
    text: 'The closest delivery was sent with another timestamp. Take all parts from the same request.',
  }),
}

export function describeBody({ body }: Diagnosis): Finding {
  return BODIES[body]
}

const BODIES: Record<Diagnosis['body'], Finding> = {
  right: { tone: 'success', name: 'As signed', text: 'Byte for byte.' },
  unknown: { tone: 'neutral', name: 'Unknown', text: 'No signature was found that belongs to it.' },
  trimmed: {
    tone: 'danger',
    name: 'Differs at the ends',
    text: 'Spaces or line breaks were added or removed there. Verify the body exactly as it arrives.',
  },
  line_ends: {
    tone: 'danger',
    name: 'Other line endings',
    text: 'Line endings were changed on the way. Verify the body as bytes, not as lines.',
  },
  reserialised: {
    tone: 'danger',
    name: 'Serialised again',
    text: 'It means the same, but has other bytes: it was parsed and turned back into JSON. Verify the raw body, before anything parses it.',
  },
  differs: {
    tone: 'danger',
    name: 'Differs',
    text: 'The closest delivery had another body. Something changed it, or it belongs to another request.',
  },
}

export function describeSignature(diagnosis: Diagnosis): Finding {
  const { signature, body, sentTo } = diagnosis
  if (signature === 'right')
    return {
      tone: 'success',
      name: 'Ours',
      text:
        body === 'right'
          ? `It was made with ${nameSigner(diagnosis)} secret.`
          : 'It is ours, but was made for the body and timestamp that we sent.',
    }
  if (signature === 'unknown')
    return {
      tone: 'danger',
      name: 'Does not match',
      text: `It was not made with this site's secret for this timestamp and body, and none of the last ${MAX_DELIVERIES_SEARCHED.toLocaleString('en')} deliveries is like it. Was it sent by another site?`,
    }
  if (signature === 'other_webhook' || signature === 'other_webhook_previous')
    return {
      tone: 'danger',
      name: 'Another secret',
      text:
        sentTo === 'removed'
          ? 'The receiver of a webhook that has been removed gets nothing more.'
          : `Give this receiver the secret of webhook ${sentTo}.`,
    }
  if (signature === 'old_secret' && sentTo === 'removed')
    return {
      tone: 'danger',
      name: 'Removed webhook',
      text: 'We sent it exactly like this, to a webhook that has been removed since.',
    }
  return { tone: signature === 'previous_secret' ? 'warning' : 'danger', ...SIGNATURES[signature] }
}

const SIGNATURES: Record<
  Exclude<Diagnosis['signature'], 'right' | 'unknown' | 'other_webhook' | 'other_webhook_previous'>,
  Description
> = {
  not_hex: {
    name: 'Not hex',
    text: 'X-Service-Signature has 64 characters, each 0 to 9 or a to f. A webhook-signature begins with v1,',
  },
  length: {
    name: 'Wrong length',
    text: 'X-Service-Signature has 64 characters. Part of it may be missing.',
  },
  base64: { name: 'Base64', text: 'X-Service-Signature is in hex: ask your library for the hex digest.' },
  prefixed: {
    name: 'Prefixed',
    text: 'X-Service-Signature has no prefix such as sha256=. Compare the hex digits alone.',
  },
  malformed_id: {
    name: 'Malformed ID',
    text: 'A webhook-id has letters, digits, hyphens and underscores only. Receivers must refuse any other, since dots could be moved between it, the timestamp and the body.',
  },
  previous_secret: {
    name: 'Previous secret',
    text: 'It was made with the secret from before the rotation. If your receiver made it, give it the new secret. If we sent it, it was signed before the rotation or in the 24 hours after it.',
  },
  old_secret: {
    name: 'Old secret',
    text: 'We sent it exactly like this, but signed it with a secret that has been replaced since.',
  },
  secret_without_prefix: {
    name: 'Part of the secret',
    text: 'It was made without whsec_. For X-Service-Signature the key is the whole secret, whsec_ included.',
  },
  secret_decoded: {
    name: 'Decoded secret',
    text: 'It was made with the decoded bytes of the secret. For X-Service-Signature the key is the secret as text, whsec_ included.',
  },
  secret_not_decoded: {
    name: 'Undecoded secret',
    text: 'It was made with the secret as text. For webhook-signature the key is the part after whsec_, decoded from base64.',
  },
  other_id: {
    name: 'Another ID',
    text: 'It was sent with another webhook-id, which is signed too. Take all parts from the same request.',
  },
  body_alone: {
    name: 'Body alone',
    text: 'The timestamp is missing: sign the timestamp, a dot, then the body.',
  },
  body_first: {
    name: 'Wrong order',
    text: 'The body comes first: sign the timestamp, a dot, then the body.',
  },
  without_dot: { name: 'No dot', text: 'There must be a dot between the timestamp and the body.' },
  standard_as_hex: {
    name: 'Other scheme',
    text: 'It was made in the way of webhook-signature. Compare it with that header, or leave out the ID.',
  },
  differs: {
    name: 'Differs',
    text: "The closest delivery was sent with another signature. Is the secret this site's?",
  },
}
