/** A server of images on 127.0.0.1, valid ones and others, that counts requests. */
import { crc32, deflateSync } from 'node:zlib'
import { startHttpServer } from '../../support/http-server.ts'

const chunk = (type: string, data: Buffer) => {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}

/** A grey one-pixel PNG that claims this size. */
function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  const pixels = chunk('IDAT', deflateSync(Buffer.from([0, 128])))
  return Buffer.concat([signature, chunk('IHDR', header), pixels, chunk('IEND', Buffer.alloc(0))])
}

/** A one-pixel JPEG whose IPTC has a headline and a caption. */
function captionedJpeg(): Buffer {
  const field = (number: number, text: string) =>
    Buffer.concat([Buffer.from([0x1c, 2, number, 0, text.length]), Buffer.from(text)])
  const iptc = Buffer.concat([
    field(105, '<script>alert(1)</script>'),
    field(120, '[gallery]<!-- wp:latest-posts /-->'),
  ])
  const segment = Buffer.concat([
    Buffer.from('Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0', 'latin1'),
    Buffer.from([iptc.length]),
    iptc,
  ])
  const tables = `ffdb004300${'ff'.repeat(64)}ffc2000b080001000101011100ffc400141001${'00'.repeat(16)}`
  return Buffer.concat([
    Buffer.from([0xff, 0xd8, 0xff, 0xed, 0, segment.length + 2]),
    segment,
    Buffer.from(`${tables}ffda0008010100013f10ffd9`, 'hex'),
  ])
}

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

export async function startImageServer() {
  const asked = new Map<string, number>()
  let failing = 0
  const server = await startHttpServer((request, response) => {
    const path = request.url!
    asked.set(path, (asked.get(path) ?? 0) + 1)
    const send = (status: number, type: string, body: string | Buffer) =>
      response.writeHead(status, { 'Content-Type': type }).end(body)
    if (failing > 0) {
      failing--
      return send(503, 'text/plain', 'busy')
    }
    if (path.startsWith('/to-metadata'))
      return response.writeHead(302, { Location: 'http://169.254.169.254/latest/meta-data/' }).end()
    if (path.startsWith('/circle')) return response.writeHead(302, { Location: path }).end()
    if (path.startsWith('/huge')) return send(200, 'image/png', png(30_000, 30_000))
    if (path.startsWith('/heavy'))
      return send(200, 'image/png', Buffer.concat([png(1, 1), Buffer.alloc(25 * 2 ** 20)]))
    if (path.startsWith('/drawing')) return send(200, 'image/png', SVG)
    if (path.startsWith('/page')) return send(200, 'image/png', '<?php phpinfo(); ?><h1>No image</h1>')
    if (path.startsWith('/captioned')) return send(200, 'image/jpeg', captionedJpeg())
    if (path.startsWith('/none')) return send(404, 'text/plain', 'none')
    return send(200, 'text/html', png(1, 1))
  })
  return {
    url: server.url,
    /** The number of requests for each path. */
    asked,
    /** The next requests get a 503. */
    fail(requests: number) {
      failing = requests
    },
    close: server.close,
  }
}
