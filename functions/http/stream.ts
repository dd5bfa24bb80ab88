/** Responses that are streamed. */

/** Small pieces are sent together: each chunk costs some work on its way from one entrypoint to the other. */
const CHUNK_LENGTH = 64 * 1024

/** A body of UTF-8 text in pieces, which are fetched when the reader asks for more. */
export function textStream(pieces: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      let text = ''
      for (;;) {
        const { done, value } = await iterator.next()
        if (!done) text += value
        if (text && (done || text.length >= CHUNK_LENGTH)) controller.enqueue(encoder.encode(text))
        if (done) return controller.close()
        if (text.length >= CHUNK_LENGTH) return
      }
    },
    async cancel() {
      await iterator.return?.()
    },
  })
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

/** Fetches the first piece before anything is sent, so that its failure is still answered as an error. */
export async function withFirstPiece(pieces: AsyncIterable<string>): Promise<AsyncIterable<string>> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await iterator.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
}
