/** What a checked signature shows, in plain words. */
import { MAX_DELIVERIES_SEARCHED } from '../../../src/signature-check/check.ts'
import type { Diagnosis } from '../../../src/signature-check/diagnose.ts'

type Tone = 'success' | 'warning' | 'danger' | 'neutral'
export type Finding = { tone: Tone; name: string; words: string }

/** The whole in a sentence. */
export function describeWhole({ timestamp, body, signature }: Diagnosis): {
  tone: Exclude<Tone, 'neutral'>
  words: string
} {
  const isAsSigned = timestamp === 'right' && body === 'right'
  if (isAsSigned && signature === 'right')
    return { tone: 'success', words: 'Genuine: this is signed with the secret of this site.' }
  if (isAsSigned && signature === 'previous_secret')
    return {
      tone: 'warning',
      words: 'This is signed with the previous secret: a receiver that has the new one does not believe it.',
    }
  return { tone: 'danger', words: 'This would not be believed.' }
}

export function describeTimestamp({ timestamp, age }: Diagnosis, typed: string): Finding {
  if (timestamp !== 'right' && timestamp !== 'unknown')
    return { tone: 'danger', ...TIMESTAMPS[timestamp](typed) }
  if (age && !age.fresh) return ofAge(age.seconds)
  const words = 'It is less than 5 minutes old.'
  return timestamp === 'right'
    ? { tone: 'success', name: 'As signed', words }
    : {
        tone: 'neutral',
        name: 'Not known',
        words: `${words} Whether it belongs to the signature is not known.`,
      }
}

function ofAge(seconds: number): Finding {
  return seconds > 0
    ? {
        tone: 'warning',
        name: `${lapse(seconds)} old`,
        words:
          'Now a receiver refuses it, as it should: 5 minutes are the limit. If yours refused it when it arrived, the clock there is ahead.',
      }
    : {
        tone: 'danger',
        name: `${lapse(-seconds)} ahead`,
        words:
          'It lies in the future by more than 5 minutes. Nothing is sent with such a time: look at the clock.',
      }
}

function lapse(seconds: number): string {
  const [amount, unit] =
    seconds < 7_200
      ? [seconds / 60, 'minute']
      : seconds < 172_800
        ? [seconds / 3_600, 'hour']
        : [seconds / 86_400, 'day']
  const whole = Math.floor(amount)
  return `${whole.toLocaleString('en')} ${unit}${whole === 1 ? '' : 's'}`
}

type Words = Pick<Finding, 'name' | 'words'>

const TIMESTAMPS: Record<'not_a_number' | 'milliseconds' | 'differs', (typed: string) => Words> = {
  not_a_number: () => ({
    name: 'Not a number',
    words: 'It should be the seconds since 1970, digits alone, just as X-Service-Timestamp has them.',
  }),
  milliseconds: (typed) => ({
    name: 'Milliseconds',
    words: `It is sent, and signed, in seconds: ${typed.trim().slice(0, -3)}.`,
  }),
  differs: () => ({
    name: 'Differs',
    words: 'The delivery that this comes from was sent with another timestamp. Take both from one request.',
  }),
}

export function describeBody({ body }: Diagnosis): Finding {
  return BODIES[body]
}

const BODIES: Record<Diagnosis['body'], Finding> = {
  right: { tone: 'success', name: 'As signed', words: 'Byte for byte.' },
  unknown: { tone: 'neutral', name: 'Not known', words: 'No signature could be found that belongs to it.' },
  trimmed: {
    tone: 'danger',
    name: 'Differs at its ends',
    words: 'A space or line break was added or taken away there. Verify the body just as it arrives.',
  },
  line_ends: {
    tone: 'danger',
    name: 'Other line ends',
    words: 'Line breaks were changed on the way. Verify the body as bytes, not as lines.',
  },
  reserialised: {
    tone: 'danger',
    name: 'Written anew',
    words:
      'It means the same, but has other bytes: it was parsed and turned into JSON again. Verify the raw body, before anything parses it.',
  },
  differs: {
    tone: 'danger',
    name: 'Differs',
    words:
      'The delivery that this comes from had another body. Something changed it, or it is of another request.',
  },
}

export function describeSignature({ signature, body }: Diagnosis): Finding {
  if (signature === 'right')
    return {
      tone: 'success',
      name: 'Ours',
      words:
        body === 'right' ? 'It is made with the secret of this site.' : 'It is ours, but of what was sent.',
    }
  if (signature === 'unknown')
    return {
      tone: 'danger',
      name: 'Does not match',
      words: `It is not made with this site’s secret over this timestamp and body, and none of the last ${MAX_DELIVERIES_SEARCHED.toLocaleString('en')} deliveries is like it. Was it sent by another site?`,
    }
  return { tone: signature === 'previous_secret' ? 'warning' : 'danger', ...SIGNATURES[signature] }
}

const SIGNATURES: Record<Exclude<Diagnosis['signature'], 'right' | 'unknown'>, Words> = {
  not_hex: {
    name: 'Not hex',
    words:
      'X-Service-Signature has 64 characters, each 0 to 9 or a to f. A webhook-signature begins with v1,',
  },
  length: {
    name: 'Wrong length',
    words: 'X-Service-Signature has 64 characters. Part of it may be missing.',
  },
  base64: { name: 'Base64', words: 'X-Service-Signature is in hex: ask your library for the hex digest.' },
  prefixed: { name: 'Prefixed', words: 'There is no sha256= before ours: compare the hex alone.' },
  previous_secret: {
    name: 'Previous secret',
    words:
      'It is made with the secret from before the rotation. If your receiver made it, give it the new secret; if it was sent, it was signed before the rotation or signs along for 24 hours.',
  },
  old_secret: {
    name: 'Old secret',
    words: 'It was sent just so, with a secret that has been replaced since. Now another one signs.',
  },
  secret_without_prefix: {
    name: 'Part of the secret',
    words: 'It is made without whsec_. For X-Service-Signature the key is the whole secret, whsec_ included.',
  },
  secret_decoded: {
    name: 'Decoded secret',
    words:
      'It is made with the bytes that the secret decodes to. For X-Service-Signature the key is the secret as text, whsec_ included.',
  },
  secret_not_decoded: {
    name: 'Undecoded secret',
    words:
      'It is made with the secret as text. For webhook-signature the key is the bytes that the part after whsec_ stands for in base64.',
  },
  other_id: {
    name: 'Another ID',
    words: 'It was sent with another webhook-id, which is signed as well. Take all parts from one request.',
  },
  body_alone: {
    name: 'Body alone',
    words: 'The timestamp is missing: sign the timestamp, a dot, then the body.',
  },
  body_first: {
    name: 'Wrong order',
    words: 'The body stands first: sign the timestamp, a dot, then the body.',
  },
  without_dot: { name: 'No dot', words: 'Between the timestamp and the body there must be a dot.' },
  standard_as_hex: {
    name: 'Other scheme',
    words: 'It is made as webhook-signature is. Compare it with that header, or leave the id away.',
  },
  differs: {
    name: 'Differs',
    words:
      'The delivery that this comes from was sent with another signature. Is the secret the one of this site?',
  },
}
