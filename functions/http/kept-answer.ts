/** Answers that this isolate remembers by their tag. */
import type { Admission } from './admission.ts'
import type { Http } from './env.ts'
import { textStream } from './stream.ts'

const MAX_KEPT_BYTES = 4 * 1024 * 1024

const encoder = new TextEncoder()

/**
 * The body that belongs to an admitted request's tag: from memory, or else as `write` gives it, whole or in pieces,
 * which is then kept. What was read after the gate was asked is at least as new as the tag says.
 *
 * @throws AppError quota_exceeded
 */
export async function keptAnswer(
  c: Http,
  { etag, counted }: Admission,
  type: string,
  write: () => Promise<string | AsyncIterable<string>>,
): Promise<Response> {
  const { memory } = c.get('ctx')
  const key = `answer:${c.get('grant').site.id}:${etag}`
  const held = memory.get(key) as Uint8Array | undefined
  const writing = held ? null : write()
  // Its failure counts only for a request that the quota lets through.
  writing?.catch(() => {})
  await counted
  const keep = (body: Uint8Array) => memory.set(key, body, body.byteLength)
  const written = held ?? (await writing!)
  c.header('Content-Type', type)
  if (written instanceof Uint8Array) return c.body(written as Uint8Array<ArrayBuffer>, 200)
  if (typeof written !== 'string') return c.body(textStream(gathered(written, keep)), 200)
  const body = encoder.encode(written) as Uint8Array<ArrayBuffer>
  keep(body)
  return c.body(body, 200)
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
