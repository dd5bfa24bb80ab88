/** Reads the directory at the end of a zip, which says what the zip holds. A damaged one is refused. */

export type ZipEntry = { name: string; crc: number; size: number; method: number; data: Uint8Array }

const END = 0x06054b50
const END_BYTES = 22
const MAX_COMMENT_BYTES = 0xffff
const CENTRAL = 0x02014b50
const CENTRAL_BYTES = 46
const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const ENCRYPTED = 1
const UTF8 = 1 << 11
const DAMAGED = 'is damaged'
const ZIP64 = 'is a zip64 file: pack fewer or smaller files'

/** @throws Error with a reason that follows the file's name */
export function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return readEntries(bytes, view)
  } catch (error) {
    // It points outside the file.
    throw error instanceof RangeError ? new Error(DAMAGED) : error
  }
}

function readEntries(bytes: Uint8Array, view: DataView): ZipEntry[] {
  const end = endOf(view)
  const count = view.getUint16(end + 10, true)
  const size = view.getUint32(end + 12, true)
  let at = view.getUint32(end + 16, true)
  if (count === 0xffff || size === 0xffffffff || at === 0xffffffff) throw new Error(ZIP64)
  const isInParts = view.getUint32(end + 4, true) !== 0 || view.getUint16(end + 8, true) !== count
  if (isInParts || at + size !== end) throw new Error(DAMAGED)
  const entries: ZipEntry[] = []
  while (at < end) {
    if (view.getUint32(at, true) !== CENTRAL) throw new Error(DAMAGED)
    const nameBytes = view.getUint16(at + 28, true)
    entries.push(readEntry(bytes, view, at, nameBytes))
    at += CENTRAL_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  if (entries.length !== count) throw new Error(DAMAGED)
  return entries
}

/** A comment may follow the end record. */
function endOf(view: DataView): number {
  const last = view.byteLength - END_BYTES
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT_BYTES); at--)
    if (view.getUint32(at, true) === END && view.getUint16(at + 20, true) === last - at) return at
  throw new Error(DAMAGED)
}

function readEntry(bytes: Uint8Array, view: DataView, at: number, nameBytes: number): ZipEntry {
  const flags = view.getUint16(at + 8, true)
  const packed = view.getUint32(at + 20, true)
  const size = view.getUint32(at + 24, true)
  const local = view.getUint32(at + 42, true)
  if (packed === 0xffffffff || size === 0xffffffff || local === 0xffffffff) throw new Error(ZIP64)
  if (flags & ENCRYPTED) throw new Error('has a password')
  const name = nameAt(bytes, at + CENTRAL_BYTES, nameBytes, flags)
  const localName = nameAt(bytes, local + LOCAL_BYTES, view.getUint16(local + 26, true), flags)
  const start = local + LOCAL_BYTES + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
  const isSame = view.getUint32(local, true) === LOCAL && localName === name
  if (!isSame || start + packed > bytes.length) throw new Error(DAMAGED)
  return {
    name,
    crc: view.getUint32(at + 16, true),
    size,
    method: view.getUint16(at + 10, true),
    data: bytes.subarray(start, start + packed),
  }
}

function nameAt(bytes: Uint8Array, at: number, length: number, flags: number): string {
  const name = bytes.subarray(at, at + length)
  try {
    // The Finder sets no flag for UTF-8.
    return new TextDecoder('utf-8', { fatal: !(flags & UTF8), ignoreBOM: false }).decode(name)
  } catch {
    return new TextDecoder('latin1').decode(name)
  }
}
