/** The parts that an import keeps in Postgres until it ends: its file, and the converted articles. */
import { and, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { base64, fromBase64 } from '../core/ids.ts'
import { importParts } from '../db/schema.ts'

/** Neon takes 10 MiB in a call. */
const PART_BYTES = 3 * 2 ** 20
/** A multiple of three. */
const PIECE_BYTES = 24 * 1024

export async function storeImportFile({ db }: Context, importId: string, bytes: Uint8Array): Promise<void> {
  for (let at = 0, number = 0; at < bytes.length; at += PART_BYTES, number++) {
    const content = toBase64(bytes.subarray(at, at + PART_BYTES))
    await db.insert(importParts).values({ importId, isConverted: false, number, content })
  }
}

export async function readImportFile(ctx: Context, { id }: { id: string }): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const content of readParts(ctx, id, false)) parts.push(fromBase64(content))
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

export const readConverted = (ctx: Context, { id }: { id: string }) => readParts(ctx, id, true)

/** One for each call, since a response of Neon has 10 MiB. */
async function* readParts({ db }: Context, importId: string, isConverted: boolean): AsyncGenerator<string> {
  for (let number = 0; ; number++) {
    const isPart = and(
      eq(importParts.importId, importId),
      eq(importParts.isConverted, isConverted),
      eq(importParts.number, number),
    )
    const [found] = await db.select({ content: importParts.content }).from(importParts).where(isPart)
    if (!found) return
    yield found.content
  }
}

/** `fromCharCode` has an argument limit. */
function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) text += base64(bytes.subarray(at, at + PIECE_BYTES))
  return text
}
