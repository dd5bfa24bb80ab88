/** Streams the lines of a file. Node's readline would also split at U+2028, which JSON strings may contain. */
import type { FileHandle } from 'node:fs/promises'

const READ_BYTES = 256 * 1024
const LINE_FEED = 10

/** Without the line feed; `at` is the offset in bytes. */
export type Line = { bytes: Buffer; at: number }

/** Yields an unterminated last line only with `cut`. @throws RangeError for a line longer than `maxBytes` */
export async function* linesOf(
  handle: FileHandle,
  { cut = false, maxBytes = Number.POSITIVE_INFINITY } = {},
): AsyncGenerator<Line> {
  let at = 0
  let parts: Buffer[] = []
  let size = 0
  const keep = (part: Buffer) => {
    parts.push(part)
    size += part.length
    if (size > maxBytes) throw new RangeError('a line is too long')
  }
  for (let position = 0; ; ) {
    const read = await handle.read(Buffer.allocUnsafe(READ_BYTES), 0, READ_BYTES, position)
    if (read.bytesRead === 0) break
    position += read.bytesRead
    const chunk = read.buffer.subarray(0, read.bytesRead)
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      keep(chunk.subarray(from, end))
      yield { bytes: Buffer.concat(parts), at }
      at += size + 1
      parts = []
      size = 0
      from = end + 1
    }
    keep(chunk.subarray(from))
  }
  if (cut && size > 0) yield { bytes: Buffer.concat(parts), at }
}
