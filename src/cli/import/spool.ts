/** A temporary file that is unlinked before it is used, so that nothing is left of it, however the run ends. */
import { randomUUID } from 'node:crypto'
import { unlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Spool } from '../../transfer/spool.ts'
import { linesOf } from '../lines.ts'

const BUFFER_BYTES = 256 * 1024

export async function openSpool(): Promise<Spool> {
  const path = join(tmpdir(), `import-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  unlinkSync(path)
  let size = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let written: Promise<unknown> = Promise.resolve()

  function flush(): Promise<unknown> {
    const bytes = Buffer.concat(waiting)
    const at = size - waitingBytes
    waiting = []
    waitingBytes = 0
    written = written.then(() => writeAll(bytes, at))
    // Awaited later: without a handler, a rejection would count as unhandled.
    written.catch(() => {})
    return written
  }

  async function writeAll(bytes: Buffer, at: number): Promise<void> {
    let done = 0
    while (done < bytes.length) {
      done += (await file.write(bytes, done, bytes.length - done, at + done)).bytesWritten
    }
  }

  return {
    async append(text) {
      const bytes = Buffer.from(`${text}\n`)
      const place = { at: size, bytes: bytes.length - 1 }
      size += bytes.length
      waiting.push(bytes)
      waitingBytes += bytes.length
      if (waitingBytes >= BUFFER_BYTES) await flush()
      return place
    },
    async read({ at, bytes }) {
      if (waitingBytes > 0) flush()
      await written
      const { buffer } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, at)
      return buffer.toString()
    },
    async *lines() {
      await flush()
      if (size === 0) return
      for await (const { bytes } of linesOf(file)) yield bytes.toString()
    },
    close: () => file.close(),
  }
}
