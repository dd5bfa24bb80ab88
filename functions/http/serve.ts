/** Answering a read: from this isolate's memory while the site's version is vouched for, else from Postgres. */
import type { SiteScope } from '../../src/sites.ts'
import { type Admission, type Asked, admit, isSpent, returnUnit, type Tag, tag } from './admission.ts'
import { isKnown, notModified } from './conditional.ts'
import type { Http } from './env.ts'
import { textStream } from './stream.ts'

const MAX_KEPT_BYTES = 4 * 1024 * 1024

const encoder = new TextEncoder()

type Read = Asked & { type: string } & (Ahead | AfterGate)

/** Needs nothing of the site but its id, so that it need not wait for the gate. */
type Ahead = { ahead: true; write: (site: { id: string }) => Promise<Versioned> }
type AfterGate = { ahead?: false; write: (site: SiteScope) => Promise<Written> }

/** A body, whole or in pieces. */
type Written = { body: string | AsyncIterable<string> }
/** With the version of the content that it was made of. */
type Versioned = Written & { contentVersion: number }

type Kept = Uint8Array<ArrayBuffer>

/**
 * Answers with the body that belongs to the tag of what is asked, or with 304. The body is at least as new as the tag
 * says: it was read after the gate was asked, or before at a version no older than the gate's.
 *
 * @throws AppError api_key_refused when the key holds no longer; quota_exceeded; whatever `write` throws
 */
export async function serve(c: Http, asked: Read): Promise<Response> {
  const guess = await tag(c, asked)
  const guessed = held(c, guess)
  const ahead = !guessed && asked.ahead && isLikelyRead(c, asked) ? asked.write(c.get('grant').site) : null
  // Its failure counts only for a request that is let through.
  ahead?.catch(() => {})
  const admission = await admit(c, asked, guess)
  if (admission.known) return notModified(c, admission)
  const kept = admission.etag === guess.etag ? guessed : held(c, admission)
  const body = await bodyOf(c, admission, kept ?? written(c, asked, ahead))
  c.header('Content-Type', asked.type)
  if (!isKnown(c, admission.etag)) return c.body(body, 200)
  // `If-None-Match: *` is met: there is an answer. One that had to be built to know is paid for.
  if (asked.counted && kept) await returnUnit(c)
  return notModified(c, admission)
}

/** Whether, as far as can be told, the client does not have the answer, and is not refused. */
function isLikelyRead(c: Http, { counted }: Read): boolean {
  return c.req.header('If-None-Match') === undefined && !(counted && isSpent(c))
}

async function bodyOf(c: Http, admission: Admission, source: Kept | Promise<Written>) {
  if (source instanceof Promise) source.catch(() => {})
  await admission.counted
  if (source instanceof Uint8Array) return source
  const { body } = await source
  const keep = (bytes: Uint8Array) => c.get('ctx').memory.set(nameOf(c, admission), bytes, bytes.byteLength)
  if (typeof body !== 'string') return textStream(gathered(body, keep))
  const bytes = encoder.encode(body) as Kept
  keep(bytes)
  return bytes
}

async function written(c: Http, { write }: Read, ahead: Promise<Versioned> | null): Promise<Written> {
  const { site } = c.get('grant')
  const early = await ahead
  return early && early.contentVersion >= site.contentVersion ? early : write(site)
}

function held(c: Http, tag: Tag): Kept | undefined {
  return c.get('ctx').memory.get(nameOf(c, tag)) as Kept | undefined
}

function nameOf(c: Http, { etag }: Tag): string {
  return `answer:${c.get('grant').site.id}:${etag}`
}

/** The same pieces; when they have all gone out and were not too many, they are kept as one. */
async function* gathered(pieces: AsyncIterable<string>, keep: (body: Uint8Array) => void) {
  let gathered: string[] | null = []
  let length = 0
  for await (const piece of pieces) {
    length += piece.length
    if (length > MAX_KEPT_BYTES) gathered = null
    gathered?.push(piece)
    yield piece
  }
  if (gathered) keep(encoder.encode(gathered.join('')))
}
