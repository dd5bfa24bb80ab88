/** Reads chosen values from a JSON file of any size. */
import { open } from '../files.ts'
import { cannotRead } from '../json-file.ts'
import { type Choice, jsonScanner, type Path, type Piece, parsePiece } from './json-scanner.ts'

const CHUNK_BYTES = 256 * 1024

/** `value` is undefined if it was passed over or is larger than 8 MiB. */
export type JsonValue = Pick<Piece, 'path' | 'offset' | 'size'> & { value: unknown }

/** @throws Failure with `name`, and the position if the file is incomplete or not JSON */
export async function* readValues(
  path: string,
  name: string,
  choose: (path: Path) => Choice,
): AsyncGenerator<JsonValue> {
  const scanner = jsonScanner(name, choose)
  const toValue = (piece: Piece) => ({
    path: piece.path,
    offset: piece.offset,
    size: piece.size,
    value: parsePiece(name, piece),
  })
  await using file = await open(path).catch((error) => {
    throw cannotRead(name, error)
  })
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null).catch((error) => {
      throw cannotRead(name, error)
    })
    if (bytesRead === 0) break
    for (const piece of scanner.write(buffer.subarray(0, bytesRead))) yield toValue(piece)
  }
  for (const piece of scanner.end()) yield toValue(piece)
}
