/** Why a signature does not match: the mistakes that receivers make are tried one by one. Tells nothing of a secret. */
import { base64, equalSecrets, fromBase64, hex } from '../digest.ts'
import { SECRET_PREFIX } from './secret.ts'
import { hmac } from './signature.ts'

const TOLERANCE_SECONDS = 300

/** What a receiver says it got. `signature` is X-Service-Signature, or webhook-signature with its webhook-id. */
export type Claimed = { timestamp: string; body: string; signature: string; id: string }

/** What a delivery really consisted of. */
export type Sent = {
  deliveryId: string
  id: string
  timestamp: string
  body: string
  /** X-Service-Signature. */
  own: string
  /** webhook-signature. */
  standard: string
}

export type Known = { secret: string; previousSecret: string | null; sent: Sent[]; now: Date }

type Part<Finding> = 'right' | 'unknown' | Finding
export type Diagnosis = {
  timestamp: Part<'not_a_number' | 'milliseconds' | 'not_sent'>
  /** Whether a receiver would take the timestamp now; null when it is none. */
  age: { seconds: number; fresh: boolean } | null
  body: Part<'trimmed' | 'line_ends' | 'reserialised' | 'not_sent'>
  signature: Part<
    | 'not_hex'
    | 'prefixed'
    | 'base64'
    | 'length'
    | 'previous_secret'
    | 'old_secret'
    | 'secret_without_prefix'
    | 'secret_decoded'
    | 'secret_not_decoded'
    | 'body_alone'
    | 'body_first'
    | 'without_dot'
    | 'standard_as_hex'
    | 'other_id'
    | 'not_sent'
  >
  /** The delivery it is, or is nearest to. */
  sent: Sent | null
}

export async function diagnoseSignature(claimed: Claimed, known: Known): Promise<Diagnosis> {
  const got = { ...claimed, timestamp: claimed.timestamp.trim(), signature: claimed.signature.trim() }
  const timestamp = timestampForm(got.timestamp)
  const seconds = timestamp === 'milliseconds' ? got.timestamp.slice(0, -3) : got.timestamp
  const sent = nearest(got, known.sent)
  const base = { timestamp, age: ageOf(seconds, known.now), sent }
  const malformed = signatureForm(got.signature)
  const found = malformed ? null : await tryMistakes({ ...got, timestamp: seconds }, known)
  if (found) return { ...base, ...found }
  const compared = compare(base, got)
  return { ...base, ...compared, signature: malformed ?? compared.signature }
}

function nearest({ signature, body, timestamp }: Claimed, sent: Sent[]): Sent | null {
  return (
    sent.find((each) => bears(each, signature)) ??
    sent.find((each) => each.body === body || each.body === body.trim()) ??
    sent.find((each) => each.timestamp === timestamp) ??
    null
  )
}

function ageOf(timestamp: string, now: Date): Diagnosis['age'] {
  if (timestampForm(timestamp) !== 'right') return null
  const seconds = Math.round(now.getTime() / 1_000 - Number(timestamp))
  return { seconds, fresh: Math.abs(seconds) < TOLERANCE_SECONDS }
}

function timestampForm(text: string): 'right' | 'not_a_number' | 'milliseconds' {
  if (!/^\d{1,16}$/.test(text)) return 'not_a_number'
  return text.length >= 12 ? 'milliseconds' : 'right'
}

function signatureForm(text: string) {
  if (isStandard(text)) return null
  if (/^sha256=/i.test(text)) return 'prefixed'
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return 'base64'
  if (!/^[0-9a-f]*$/i.test(text)) return 'not_hex'
  return text.length === 64 ? null : 'length'
}

const isStandard = (text: string) => /^v1,\S+( v1a?,\S+)*$/.test(text)

type Found = Pick<Diagnosis, 'body' | 'signature'>

/** The first way of signing that gives the signature, from the right one to the odd ones. */
async function tryMistakes(claimed: Claimed, known: Known): Promise<Found | null> {
  const { timestamp, signature } = claimed
  const given = isStandard(signature)
    ? signature.split(' ').map((one) => one.slice(3))
    : [signature.toLowerCase()]
  const write = isStandard(signature) ? (mac: ArrayBuffer) => base64(new Uint8Array(mac)) : hex
  const matches = async (key: Uint8Array, before: string, body: string) => {
    const mac = write(await hmac(key, before, encode(body)))
    return (await Promise.all(given.map((one) => equalSecrets(one, mac)))).includes(true)
  }
  const before = isStandard(signature) ? `${claimed.id.trim()}.${timestamp}.` : `${timestamp}.`
  const keyOf = isStandard(signature) ? decoded : encode
  const { body } = claimed
  const bodies = bodiesLike(body)
  for (const [secret, finding] of secretsOf(known)) {
    for (const [text, bodyFinding] of bodies) {
      if (await matches(keyOf(secret), before, text)) return { body: bodyFinding, signature: finding }
    }
  }
  const key = encode(known.secret)
  const withoutPrefix = known.secret.slice(SECRET_PREFIX.length)
  const mistakes: [Found['signature'], Uint8Array, string, string][] = isStandard(signature)
    ? [
        ['secret_not_decoded', encode(withoutPrefix), before, body],
        ['secret_not_decoded', key, before, body],
      ]
    : [
        ['secret_without_prefix', encode(withoutPrefix), before, body],
        ['secret_decoded', decoded(known.secret), before, body],
        ['body_alone', key, '', body],
        ['body_first', key, '', `${body}.${timestamp}`],
        ['body_first', key, '', body + timestamp],
        ['without_dot', key, timestamp, body],
        ['standard_as_hex', decoded(known.secret), `${claimed.id.trim()}.${timestamp}.`, body],
      ]
  for (const [finding, mistakenKey, head, text] of mistakes) {
    if (await matches(mistakenKey, head, text)) return { body: 'right', signature: finding }
  }
  return null
}

function secretsOf({ secret, previousSecret }: Known): [string, 'right' | 'previous_secret'][] {
  return previousSecret
    ? [
        [secret, 'right'],
        [previousSecret, 'previous_secret'],
      ]
    : [[secret, 'right']]
}

/** What the body may have been before it was altered on its way, with the name of the alteration. */
function bodiesLike(body: string): [string, 'right' | 'trimmed' | 'line_ends' | 'reserialised'][] {
  const lines = body.replaceAll('\r\n', '\n')
  const value = parsed(body)
  return [
    [body, 'right'],
    [body.trim(), 'trimmed'],
    [`${body}\n`, 'trimmed'],
    [lines, 'line_ends'],
    [lines.replaceAll('\n', '\r\n'), 'line_ends'],
    ...(value === undefined
      ? []
      : [JSON.stringify(value), postgresJson(value), JSON.stringify(value, null, 2)].map(
          (text) => [text, 'reserialised'] as [string, 'reserialised'],
        )),
  ]
}

/** As Postgres builds an object: ` : ` and `, ` between its parts. */
function postgresJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)} : ${postgresJson(each)}`)
  return `{${entries.join(', ')}}`
}

/** No way of signing gives it: what is known of the delivery that is nearest. */
function compare(
  { timestamp, sent }: Pick<Diagnosis, 'timestamp' | 'sent'>,
  claimed: Claimed,
): Pick<Diagnosis, 'timestamp' | 'body' | 'signature'> {
  const unlessMalformed = (finding: Diagnosis['timestamp']) => (timestamp === 'right' ? finding : timestamp)
  if (!sent) return { timestamp: unlessMalformed('unknown'), body: 'unknown', signature: 'unknown' }
  const found = {
    timestamp: unlessMalformed(sent.timestamp === claimed.timestamp ? 'right' : 'not_sent'),
    body: bodyBeside(sent, claimed.body),
  }
  if (!bears(sent, claimed.signature)) return { ...found, signature: 'not_sent' }
  if (isStandard(claimed.signature) && claimed.id.trim() !== sent.id)
    return { ...found, signature: 'other_id' }
  const isAsSent = found.timestamp === 'right' && found.body === 'right'
  return { ...found, signature: isAsSent ? 'old_secret' : 'right' }
}

function bodyBeside(sent: Sent, body: string): Diagnosis['body'] {
  if (sent.body === body) return 'right'
  if (sent.body.trim() === body.trim()) return 'trimmed'
  const value = parsed(body)
  const same = value !== undefined && sorted(value) === sorted(parsed(sent.body))
  return same ? 'reserialised' : 'not_sent'
}

/** Whether the signature is one that went with the delivery. */
function bears(sent: Sent, signature: string): boolean {
  if (!isStandard(signature)) return sent.own === signature.toLowerCase()
  return signature.split(' ').some((one) => sent.standard.split(' ').includes(one))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON whose keys are in one order, to compare what it means. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function decoded(secret: string): Uint8Array {
  return fromBase64(secret.slice(SECRET_PREFIX.length))
}
