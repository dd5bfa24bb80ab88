/** Texts for the findings of a signature check. */
import type { CheckedSignature } from '../../../../src/webhooks/signature-check/check.ts'
import type { Diagnosis } from '../../../../src/webhooks/signature-check/diagnose.ts'
import { formatQuantity } from '../../parts/quantity.ts'

type Tone = 'success' | 'warning' | 'danger'

/** `tone` defaults to danger. */
export type Finding = { tone?: Tone; name: string; text: string }

export function describeResult(diagnosis: CheckedSignature): { tone: Tone; text: string } {
  const { timestamp, body, signature, signedBy, sentTo, names } = diagnosis
  const signer = nameSigner(diagnosis)
  const isAsSigned = timestamp === 'right' && body === 'right'
  if (isAsSigned && signature === 'previous_secret')
    return {
      tone: 'warning',
      text: `Signed with ${signer} previous secret. A receiver with the new secret refuses it.`,
    }
  if (isAsSigned && signature === 'right') {
    const { age } = diagnosis
    const isOld = age && !age.fresh && age.seconds > 0
    const tone = isOld ? 'warning' : 'success'
    const genuine = isOld ? `Genuine, but ${formatAge(age.seconds)} old` : 'Genuine'
    if (signedBy === null) return { tone, text: `${genuine}: signed with the webhook's secret.` }
    if (sentTo === signedBy)
      return {
        tone,
        text: `${genuine}: sent to ${names.get(signedBy)} and signed with its secret. The receiver of another webhook must refuse it.`,
      }
    return {
      tone: 'warning',
      text: `Signed with ${signer} secret, but the log has no matching delivery. Check that your receiver belongs to ${names.get(signedBy)}.`,
    }
  }
  const target = sentTo === 'removed' ? 'a webhook that has been removed' : names.get(sentTo ?? '')
  if (signature === 'other_webhook')
    return { tone: 'danger', text: `Signed with ${signer} secret, but this delivery went to ${target}.` }
  if (signature === 'other_webhook_previous')
    return {
      tone: 'danger',
      text: `Signed with ${signer} previous secret, but this delivery went to ${target}.`,
    }
  return { tone: 'danger', text: 'The signature does not verify.' }
}

/** The owner of the secret, as a possessive. */
function nameSigner({ signedBy, names }: CheckedSignature): string {
  return signedBy === null ? "the webhook's" : `${names.get(signedBy)}'s`
}

/** Null if there is nothing to compare it with. */
export function describeTimestamp({ timestamp, age }: Diagnosis, typed: string): Finding | null {
  if (timestamp === 'not_a_number')
    return {
      name: 'Not a number',
      text: 'The timestamp must be seconds since 1970, digits only, exactly as in X-Service-Timestamp.',
    }
  if (timestamp === 'milliseconds')
    return { name: 'Milliseconds', text: `The timestamp is in seconds: ${typed.trim().slice(0, -3)}.` }
  if (timestamp === 'differs')
    return {
      name: 'Differs',
      text: 'The closest delivery was sent with another timestamp. Take all parts from the same request.',
    }
  if (age && !age.fresh && age.seconds > 0)
    return {
      tone: 'warning',
      name: `${formatAge(age.seconds)} old`,
      text: 'Older than 5 minutes, so receivers refuse it now.',
    }
  if (age && !age.fresh)
    return {
      name: `${formatAge(-age.seconds)} ahead`,
      text: 'The timestamp is more than 5 minutes in the future. We never send a future timestamp, so check the clock.',
    }
  return timestamp === 'right'
    ? { tone: 'success', name: 'As signed', text: 'Less than 5 minutes old.' }
    : null
}

function formatAge(seconds: number): string {
  if (seconds < 7_200) return formatQuantity(Math.floor(seconds / 60), 'minute')
  if (seconds < 172_800) return formatQuantity(Math.floor(seconds / 3_600), 'hour')
  return formatQuantity(Math.floor(seconds / 86_400), 'day')
}

export const BODIES: Record<Diagnosis['body'], Finding | null> = {
  right: { tone: 'success', name: 'As signed', text: 'Byte for byte.' },
  unknown: null,
  trimmed: {
    name: 'Differs at the ends',
    text: 'Spaces or line breaks were added or removed at the start or end. Verify the body exactly as it arrives.',
  },
  line_ends: {
    name: 'Other line endings',
    text: 'Line endings changed in transit. Verify the body as bytes, not as lines.',
  },
  reserialised: {
    name: 'Reserialised',
    text: 'Same content, different bytes: the body was parsed and turned back into JSON. Verify the raw body before parsing it.',
  },
  differs: {
    name: 'Differs',
    text: 'The closest delivery had a different body. Something changed it, or it belongs to another request.',
  },
}

export function describeSignature(diagnosis: CheckedSignature): Finding {
  const { signature, body, sentTo, names } = diagnosis
  if (signature === 'right' && body === 'right')
    return { tone: 'success', name: 'Valid', text: `Created with ${nameSigner(diagnosis)} secret.` }
  if (sentTo === 'removed' && signature === 'old_secret') return SIGNATURES.removed_webhook
  if (signature !== 'other_webhook' && signature !== 'other_webhook_previous') return SIGNATURES[signature]
  return {
    name: 'Another secret',
    text:
      sentTo === 'removed'
        ? 'The webhook of this receiver has been removed, so it gets no more events.'
        : `Give this receiver the secret of ${names.get(sentTo ?? '')}.`,
  }
}

const SIGNATURES: Record<
  Exclude<Diagnosis['signature'], 'other_webhook' | 'other_webhook_previous'> | 'removed_webhook',
  Finding
> = {
  right: {
    tone: 'success',
    name: 'Valid',
    text: 'Created by us, but for the body and timestamp that we sent.',
  },
  unknown: {
    name: 'Does not match',
    text: 'Not created with the secret of any webhook of this site for this timestamp and body, and none of the latest deliveries is similar. Was it sent by another site?',
  },
  removed_webhook: {
    name: 'Removed webhook',
    text: 'We sent exactly this request, to a webhook that has since been removed.',
  },
  not_hex: {
    name: 'Not hex',
    text: 'X-Service-Signature has 64 characters, each 0 to 9 or a to f. A webhook-signature begins with v1,',
  },
  length: { name: 'Wrong length', text: 'X-Service-Signature has 64 characters. Part of it may be missing.' },
  base64: { name: 'Base64', text: 'X-Service-Signature is hex. Use the hex digest of your library.' },
  prefixed: {
    name: 'Prefixed',
    text: 'X-Service-Signature has no prefix such as sha256=. Compare only the hex digits.',
  },
  malformed_id: {
    name: 'Malformed ID',
    text: 'A webhook-id has only letters, digits, hyphens and underscores. Receivers must refuse any other, since dots could be moved between it, the timestamp and the body.',
  },
  previous_secret: {
    tone: 'warning',
    name: 'Previous secret',
    text: 'Created with the secret from before the rotation. If your receiver computed it, give it the new secret. If we sent it, it was signed before the rotation or in the 24 hours after it.',
  },
  old_secret: {
    name: 'Old secret',
    text: 'We sent exactly this request, but signed it with a secret that has since been replaced.',
  },
  secret_without_prefix: {
    name: 'Part of the secret',
    text: 'Created without whsec_. For X-Service-Signature, the key is the whole secret, including whsec_.',
  },
  secret_decoded: {
    name: 'Decoded secret',
    text: 'Created with the decoded bytes of the secret. For X-Service-Signature, the key is the secret as text, including whsec_.',
  },
  secret_not_decoded: {
    name: 'Undecoded secret',
    text: 'Created with the secret as text. For webhook-signature, the key is the part after whsec_, decoded from base64.',
  },
  other_id: {
    name: 'Another ID',
    text: 'We sent it with another webhook-id, which is also signed. Take all parts from the same request.',
  },
  body_alone: {
    name: 'Body alone',
    text: 'The timestamp is missing. Sign the timestamp, a dot, then the body.',
  },
  body_first: {
    name: 'Wrong order',
    text: 'The body comes first. Sign the timestamp, a dot, then the body.',
  },
  without_dot: { name: 'No dot', text: 'There must be a dot between the timestamp and the body.' },
  standard_as_hex: {
    name: 'Other scheme',
    text: 'Created with the scheme of webhook-signature. Compare it with that header, or leave out the ID.',
  },
  differs: {
    name: 'Differs',
    text: 'The closest delivery was sent with another signature. Is the secret that of a webhook of this site?',
  },
}
