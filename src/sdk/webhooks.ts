/**
 * Receives webhooks: verifies a POST (Standard Webhooks 1.0.0, symmetric), handles an event once, and finds posts whose
 * event was missed. Uses only Web Crypto: for Node 20 and newer, Workers, Deno and Bun.
 */

import type { Payloads } from './webhooks/payloads.ts'

export type {
  ArticleReady,
  Payloads,
  PostDeleted,
  PostPublished,
  PostUnpublished,
  PostUpdated,
  WebhookTest,
} from './webhooks/payloads.ts'

const SECRET_PREFIX = 'whsec_'
const SIGNATURE_VERSION = 'v1,'
const TOLERANCE_SECONDS = 300
const REMEMBERED = 10_000

const encoder = new TextEncoder()

const KINDS: Record<keyof Payloads, true> = {
  'article.ready': true,
  'post.published': true,
  'post.updated': true,
  'post.unpublished': true,
  'post.deleted': true,
  'webhook.test': true,
}

/** An event of a kind that this version does not know. */
export type UnknownEvent = { event: string; [name: string]: unknown }

export type Delivery = {
  /** Id of the event, the same each time it is sent. */
  id: string
  sentAt: Date
} & Event

type Event =
  | { [Kind in keyof Payloads]: { type: Kind; payload: Payloads[Kind] } }[keyof Payloads]
  | { type: 'unknown'; payload: UnknownEvent }

export type RequestHeaders =
  | { get(name: string): string | null }
  | { [name: string]: string | string[] | undefined }

/** A `Request`, or headers with the unparsed body. */
export type SignedRequest =
  | { headers: RequestHeaders; arrayBuffer(): Promise<ArrayBuffer> }
  | { headers: RequestHeaders; body: Uint8Array | string }

export type VerifyOptions = {
  /** Largest accepted difference between the timestamp and now, in either direction; 300 by default. */
  toleranceSeconds?: number
}

export type WebhookErrorReason =
  | 'missing header'
  | 'malformed id'
  | 'malformed timestamp'
  | 'timestamp out of tolerance'
  | 'no signature matches'
  | 'not JSON'
  | 'not an event'

/** Thrown for a POST that must be refused. The message contains no secret or signature. */
export class WebhookError extends Error {
  override name = 'WebhookError'
  readonly reason: WebhookErrorReason

  constructor(reason: WebhookErrorReason, detail?: string) {
    super(detail === undefined ? reason : `${reason}: ${detail}`)
    this.reason = reason
  }
}

/**
 * Verifies `webhook-id`, `webhook-timestamp` and `webhook-signature`. One of several secrets has to match. Reads the body
 * only if the headers are well-formed and the timestamp is fresh.
 *
 * @throws WebhookError if the POST must be refused
 * @throws TypeError if the secret or the body is invalid, which is a mistake in the receiver
 */
export async function verify(
  request: SignedRequest,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<Delivery> {
  const keys = await Promise.all([secret].flat().map(importKey))
  if (keys.length === 0) throw new TypeError('There is no webhook secret')
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    requireHeader(request.headers, name),
  ) as [string, string, string]
  // Otherwise an attacker could move dots between id, timestamp and body under the same signature.
  if (!/^[A-Za-z0-9_-]+$/.test(id)) throw new WebhookError('malformed id')
  const sentAt = parseTimestamp(timestamp, toleranceSeconds)
  const body = await readBody(request)
  const message = concatenate(encoder.encode(`${id}.${timestamp}.`), body)
  const expected = await Promise.all(keys.map((key) => sign(key, message)))
  // As text, since base64 can spell the same bytes in several ways.
  const matches = signatures.split(' ').flatMap((each) => expected.filter((one) => isEqual(each, one)))
  if (matches.length === 0) throw new WebhookError('no signature matches')
  return { id, sentAt, ...parse(body) }
}

/** Remembers which events were handled. */
export type EventStore = {
  /** Records an id atomically: of two concurrent calls, only one gets true. @returns true if it is new */
  claim(id: string): boolean | Promise<boolean>
  /** Forgets an id, so that its event can be handled when it is sent again. */
  release(id: string): unknown
}

/** Remembers the newest ids, in the memory of one process. */
export function memoryStore(limit = REMEMBERED): EventStore {
  const ids = new Set<string>()
  return {
    claim(id) {
      if (ids.has(id)) return false
      ids.add(id)
      for (const oldest of ids) {
        if (ids.size <= limit) break
        ids.delete(oldest)
      }
      return true
    },
    release: (id) => ids.delete(id),
  }
}

/**
 * Handles an event unless it was or is being handled. If `handle` throws, the event is released and the error rethrown:
 * respond with 500, and it can be sent again.
 *
 * @returns whether it was handled now; respond with 2xx either way
 */
export async function handleOnce(id: string, store: EventStore, handle: () => unknown): Promise<boolean> {
  if (!(await store.claim(id))) return false
  try {
    await handle()
    return true
  } catch (error) {
    await store.release(id)
    throw error
  }
}

export type Change = { type: 'upsert' | 'delete'; resource: string; id: string; sequence: number }

/**
 * Changed posts that are newer than the last one handled: an event was missed, or the post changed without one.
 * `sequence` has gaps, since every write to the site takes a number.
 *
 * @param handled the `sequence` of a post's newest event or change that was handled; undefined or null if none was
 */
export async function missedPosts<Item extends Change>(
  changes: readonly Item[],
  handled: (postId: string) => number | null | undefined | Promise<number | null | undefined>,
): Promise<Item[]> {
  const posts = changes.filter(({ type, resource }) => type === 'upsert' && resource === 'post')
  const sequences = await Promise.all(posts.map(({ id }) => handled(id)))
  return posts.filter(({ sequence }, index) => sequence > (sequences[index] ?? Number.NEGATIVE_INFINITY))
}

/** Each runtime's types have another name for this one. */
type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

async function importKey(secret: string): Promise<Key> {
  const bytes = decodeSecret(secret)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const text = typeof secret === 'string' ? secret.trim() : ''
  const encoded = text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text
  if (encoded === '') throw new TypeError('There is no webhook secret')
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  } catch {
    throw new TypeError('The webhook secret must be whsec_ followed by base64')
  }
}

function requireHeader(headers: RequestHeaders, name: string): string {
  const value = readHeader(headers, name)
  if (!value) throw new WebhookError('missing header', name)
  return value
}

function readHeader(headers: RequestHeaders, name: string): string | null | undefined {
  if (isHeaders(headers)) return headers.get(name)
  const found = Object.keys(headers).find((key) => key.toLowerCase() === name)
  const value = found === undefined ? undefined : headers[found]
  return Array.isArray(value) ? value.join(', ') : value
}

function isHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

function parseTimestamp(text: string, toleranceSeconds: number): Date {
  if (!/^\d{1,12}$/.test(text)) throw new WebhookError('malformed timestamp')
  const seconds = Number(text)
  const age = Math.floor(Date.now() / 1_000) - seconds
  // Not `>`, so that a NaN tolerance also refuses.
  if (!(Math.abs(age) <= toleranceSeconds))
    throw new WebhookError('timestamp out of tolerance', `${age} s old`)
  return new Date(seconds * 1_000)
}

async function readBody(request: SignedRequest): Promise<Uint8Array> {
  if ('arrayBuffer' in request) return new Uint8Array(await request.arrayBuffer())
  const { body } = request
  if (typeof body === 'string') return encoder.encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  throw new TypeError('The body has to be the bytes that arrived, before any parsing')
}

function concatenate(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(head.length + tail.length)
  bytes.set(head)
  bytes.set(tail, head.length)
  return bytes
}

async function sign(key: Key, message: Uint8Array<ArrayBuffer>): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', key, message)
  return SIGNATURE_VERSION + btoa(String.fromCharCode(...new Uint8Array(mac)))
}

/** Constant time. */
function isEqual(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false
  let difference = 0
  for (let at = 0; at < expected.length; at += 1) difference |= given.charCodeAt(at) ^ expected.charCodeAt(at)
  return difference === 0
}

/** The body is verified, so a known event has the service's shape. */
function parse(body: Uint8Array): Event {
  const payload = parseJson(body)
  if (!isEvent(payload)) throw new WebhookError('not an event')
  return { type: Object.hasOwn(KINDS, payload.event) ? payload.event : 'unknown', payload } as Event
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body))
  } catch {
    throw new WebhookError('not JSON')
  }
}

function isEvent(payload: unknown): payload is UnknownEvent {
  return (
    typeof payload === 'object' && payload !== null && 'event' in payload && typeof payload.event === 'string'
  )
}
