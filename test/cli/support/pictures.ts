/** The smallest image files with a size: headers without pixels. */
const bytes = (text: string) => Buffer.from(text, 'latin1')
const be16 = (value: number) => Buffer.from([value >> 8, value & 255])
const le16 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255])
const le32 = (value: number) => Buffer.concat([le16(value & 0xffff), le16(value >>> 16)])
const be32 = (value: number) => Buffer.concat([be16(value >>> 16), be16(value & 0xffff)])

export function png(width: number, height: number): Buffer {
  return Buffer.concat([bytes('\x89PNG\r\n\x1a\n'), be32(13), bytes('IHDR'), be32(width), be32(height)])
}

export function gif(width: number, height: number): Buffer {
  return Buffer.concat([bytes('GIF89a'), le16(width), le16(height)])
}

/** With metadata in front; `orientation` is Exif's, whose entries are `gap` bytes after its header. */
export function jpeg(
  width: number,
  height: number,
  orientation = 1,
  order: 'II' | 'MM' = 'II',
  gap = 0,
): Buffer {
  const [n16, n32] = order === 'II' ? [le16, le32] : [be16, be32]
  const entry = Buffer.concat([n16(0x0112), n16(3), n32(1), n16(orientation), n16(0)])
  const exif = Buffer.concat([
    bytes(`Exif\0\0${order}`),
    n16(42),
    n32(8 + gap),
    Buffer.alloc(gap),
    n16(1),
    entry,
  ])
  const segment = (marker: number, data: Buffer) =>
    Buffer.concat([Buffer.from([0xff, marker]), be16(data.length + 2), data])
  const frame = Buffer.concat([Buffer.from([8]), be16(height), be16(width)])
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe1, exif),
    segment(0xe2, Buffer.alloc(40_000)),
    segment(0xc2, frame),
  ])
}

export function webp(
  kind: 'VP8 ' | 'VP8L' | 'VP8X',
  width: number,
  height: number,
  fileBytes?: number,
): Buffer {
  const le24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16])
  const bits = (width - 1) | ((height - 1) << 14)
  const data = {
    'VP8 ': Buffer.concat([Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a]), le16(width), le16(height)]),
    VP8L: Buffer.concat([Buffer.from([0x2f]), le16(bits & 0xffff), le16(bits >>> 16)]),
    VP8X: Buffer.concat([Buffer.alloc(4), le24(width - 1), le24(height - 1)]),
  }[kind]
  const chunk = Buffer.concat([bytes(kind), le32(data.length), data, Buffer.alloc(data.length % 2)])
  return Buffer.concat([bytes('RIFF'), le32((fileBytes ?? 12 + chunk.length) - 8), bytes('WEBP'), chunk])
}
