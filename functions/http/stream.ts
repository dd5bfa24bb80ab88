/** Each chunk has a fixed cost, so batch small pieces. */
const CHUNK_LENGTH = 64 * 1024

/** A stream above `maxBytes`. Reads the start before responding, so that an early failure still gives an error response. */
export function toBytes(
  text: string | AsyncIterable<string>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  return readUpTo(encode(typeof text === 'string' ? [text] : text), maxBytes)
}

async function* encode(pieces: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Uint8Array> {
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

/** A stream above `maxBytes`. */
export async function readUpTo(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const chunks = source[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  for (let length = 0; length <= maxBytes; ) {
    const { done, value } = await chunks.next()
    if (done) return concat(head, length)
    head.push(value)
    length += value.length
  }
  return new ReadableStream({
    async pull(controller) {
      const chunk = head.shift() ?? (await chunks.next()).value
      if (chunk) controller.enqueue(chunk)
      else controller.close()
    },
    async cancel() {
      await chunks.return?.()
    },
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
