/** Reads the size of a PNG, GIF, WebP or JPEG from its header. */
import { type FileHandle, open } from 'node:fs/promises'

export type Size = { width: number; height: number }

const HEADER_BYTES = 32
/** A JPEG's size follows its metadata, which a broken file could repeat endlessly. */
const MAX_SEGMENTS = 1_000

/** The displayed size; null for other formats and broken files. Throws if the file cannot be read. */
export async function readImageSize(path: string): Promise<Size | null> {
  const file = await open(path)
  try {
    const header = await read(file, 0, HEADER_BYTES)
    const size = header.readUInt16BE(0) === 0xffd8 ? await jpegSize(file) : sizeIn(header)
    return size && size.width > 0 && size.height > 0 ? size : null
  } finally {
    await file.close()
  }
}

function sizeIn(header: Buffer): Size | null {
  const ascii = (start: number, end: number) => header.toString('latin1', start, end)
  if (ascii(1, 8) === 'PNG\r\n\x1a\n' && ascii(12, 16) === 'IHDR') {
    return { width: header.readUInt32BE(16), height: header.readUInt32BE(20) }
  }
  if (/^GIF8[79]a$/.test(ascii(0, 6)))
    return { width: header.readUInt16LE(6), height: header.readUInt16LE(8) }
  if (ascii(0, 4) !== 'RIFF' || ascii(8, 12) !== 'WEBP') return null
  switch (ascii(12, 16)) {
    case 'VP8 ':
      return { width: header.readUInt16LE(26) & 0x3fff, height: header.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = header.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: header.readUIntLE(24, 3) + 1, height: header.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}

async function jpegSize(file: FileHandle): Promise<Size | null> {
  let at = 2
  let turned = false
  for (let segments = 0; segments < MAX_SEGMENTS; segments++) {
    const segment = await read(file, at, HEADER_BYTES)
    const marker = segment[1] ?? 0
    if (segment[0] !== 0xff) return null
    if (marker === 0xff) {
      at += 1
      continue
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) {
      const [height, width] = [segment.readUInt16BE(5), segment.readUInt16BE(7)]
      return turned ? { width: height, height: width } : { width, height }
    }
    const length = segment.readUInt16BE(2)
    if (marker === 0xe1 && segment.toString('latin1', 4, 10) === 'Exif\0\0') {
      turned = isTurned(await read(file, at + 10, length))
    }
    at += 2 + length
  }
  return null
}

/** True if Exif's orientation (tag 0x0112) rotates the image by 90°. */
function isTurned(exif: Buffer): boolean {
  const little = exif.toString('latin1', 0, 2) === 'II'
  const at16 = (at: number) =>
    at + 2 > exif.length ? 0 : little ? exif.readUInt16LE(at) : exif.readUInt16BE(at)
  const at32 = (at: number) =>
    at + 4 > exif.length ? 0 : little ? exif.readUInt32LE(at) : exif.readUInt32BE(at)
  const directory = at32(4)
  for (let entry = 0; entry < at16(directory); entry++) {
    const at = directory + 2 + 12 * entry
    if (at16(at) === 0x0112) return at16(at + 8) >= 5
  }
  return false
}

async function read(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  await file.read(buffer, 0, bytes, at)
  return buffer
}
