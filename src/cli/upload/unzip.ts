/** Unpacks a zip into a folder, within limits: a few bytes may unpack to gigabytes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { crc32 } from 'node:zlib'
import { Inflate } from 'fflate'
import { Failure } from '../../transfer/failure.ts'
import { onDisk } from '../files.ts'
import { type ZipEntry, zipEntries } from './zip-entries.ts'

/** All of it stays in memory, and a Worker has 128 MB. */
const MAX_UNPACKED_MIB = 24
const MAX_FILES = 10_000
const MAX_NAME_BYTES = 255
const DEFLATED = 8
/** Deflate expands a thousandfold at most, so a push unpacks to 4 MiB. */
const PUSH_BYTES = 4 * 1024
/** The content of others, such as images, is not needed. */
const READ =
  /\.(?:mdx?|markdown|html?|ya?ml|toml|json|ndjson|jsonl|xml|txt|[cm]?[jt]s|py|njk|liquid|ejs)$|(?:^|\/)_redirects$/i

/** @throws Failure for a damaged zip, or one above the limits */
export function unzipInto(root: string, bytes: Uint8Array, name: string): void {
  try {
    unpack(root, zipEntries(bytes))
  } catch (error) {
    throw new Failure(`${name} ${(error as Error).message}`)
  }
}

function unpack(root: string, entries: ZipEntry[]): void {
  const files = new Map<string, ZipEntry>()
  let unpacked = 0
  for (const entry of entries) {
    const path = pathOf(entry.name)
    if (path === null) continue
    if (files.has(path)) throw new Error(`has two files named ${path}`)
    if (path.split('/').some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES))
      throw new Error(`has a file name of more than ${MAX_NAME_BYTES} bytes`)
    files.set(path, entry)
    if (files.size > MAX_FILES) throw new Error(`has more than ${MAX_FILES.toLocaleString('en')} files`)
    if (READ.test(path)) unpacked += entry.size
    if (unpacked > MAX_UNPACKED_MIB * 2 ** 20)
      throw new Error(`is larger than ${MAX_UNPACKED_MIB} MiB unpacked`)
  }
  for (const [path, entry] of files) {
    const content = READ.test(path) ? contentOf(entry) : ''
    const target = onDisk(join(root, path))
    try {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, content)
    } catch {
      throw new Error(`has a file that cannot be unpacked: ${path}`)
    }
  }
}

function contentOf({ data, method, size, crc }: ZipEntry): Uint8Array {
  const content = method === DEFLATED ? inflated(data, size) : method === 0 ? data : null
  if (content?.length !== size || crc32(content) !== crc) throw new Error('is damaged')
  return content
}

/** Stops after the size that the zip's directory declares. */
function inflated(data: Uint8Array, size: number): Uint8Array | null {
  const content = new Uint8Array(size)
  let length = 0
  const inflate = new Inflate((part) => {
    if (length + part.length > size) throw new RangeError('longer than declared')
    content.set(part, length)
    length += part.length
  })
  try {
    for (let at = 0; at < data.length; at += PUSH_BYTES)
      inflate.push(data.subarray(at, at + PUSH_BYTES), at + PUSH_BYTES >= data.length)
  } catch {
    return null
  }
  return length === size ? content : null
}

/** Null for folders, and for paths that lead out of the zip. */
function pathOf(name: string): string | null {
  const path = posix.normalize(name.replaceAll('\\', '/'))
  const isOutside = path.startsWith('/') || path.split('/').includes('..')
  return isOutside || path.endsWith('/') || path.startsWith('__MACOSX/') ? null : path
}
