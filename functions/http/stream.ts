/** Responses that are streamed. */

/** Small pieces are sent together: each chunk costs some work on its way from one entrypoint to the other. */
const CHUNK_LENGTH = 64 * 1024

/** A body in pieces, which are fetched when the reader asks for more. */
export function byteStream(pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** The same of UTF-8 text. */
export const textStream = (pieces: AsyncIterable<string>) => byteStream(encode(pieces))

async function* encode(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const piece of pieces) {
    text += piece
    if (text.length < CHUNK_LENGTH) continue
    yield encoder.encode(text)
    text = ''
  }
  if (text) yield encoder.encode(text)
}

/** The whole body, unless it is larger than `maxBytes`: then the same bytes as a stream. */
export async function readUpTo(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const declared = response.headers.get('Content-Length')
  if (declared !== null && Number(declared) <= maxBytes) return new Uint8Array(await response.arrayBuffer())
  const reader = response.body!.getReader()
  const chunks: Uint8Array[] = []
  for (let length = 0; length <= maxBytes; ) {
    const { done, value } = await reader.read()
    if (done) return concat(chunks, length)
    chunks.push(value)
    length += value.length
  }
  return new ReadableStream({
    async pull(controller) {
      const chunk = chunks.shift() ?? (await reader.read()).value
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

function concat(chunks: Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/**
 * The whole text, unless it is longer than `maxLength`: then the same in pieces. What is short is fetched before anything
 * is sent, so that a failure is still answered as an error.
 */
export async function headOf(
  text: string | AsyncIterable<string>,
  maxLength: number,
): Promise<string | AsyncIterable<string>> {
  if (typeof text === 'string') return text
  const iterator = text[Symbol.asyncIterator]()
  let head = ''
  while (head.length <= maxLength) {
    const { done, value } = await iterator.next()
    if (done) return head
    head += value
  }
  return (async function* () {
    yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}
