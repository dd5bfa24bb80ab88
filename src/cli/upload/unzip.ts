/** Unpacks a zip into a folder, within limits: a few bytes may unpack to gigabytes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Unzip, UnzipInflate } from 'fflate'
import { Failure } from '../../transfer/failure.ts'

/** All of it stays in memory, and a Worker has 128 MB. */
const MAX_UNPACKED_MIB = 24
const MAX_FILES = 10_000
/** Deflate expands a thousandfold at most, so a push unpacks to 4 MiB. */
const PUSH_BYTES = 4 * 1024
/** The content of others, such as images, is not needed. */
const READ =
  /\.(?:mdx?|markdown|html?|ya?ml|toml|json|ndjson|jsonl|xml|txt|[cm]?[jt]s|py|njk|liquid|ejs)$|(?:^|\/)_redirects$/i

/** @throws Failure for a damaged zip, or one above the limits */
export function unzipInto(root: string, bytes: Uint8Array, name: string): void {
  let files = 0
  let unpacked = 0
  let problem: string | null = null
  const refuse = (reason: string) => {
    problem ??= `${name} ${reason}`
  }
  const unzip = new Unzip((file) => {
    const path = pathOf(file.name)
    if (path === null) return
    if (++files > MAX_FILES) return refuse(`has more than ${MAX_FILES.toLocaleString('en')} files`)
    const target = join(root, path)
    mkdirSync(dirname(target), { recursive: true })
    if (!READ.test(path)) return writeFileSync(target, '')
    const parts: Uint8Array[] = []
    file.ondata = (error, part, isLast) => {
      if (error) return refuse('is damaged, or has a password')
      unpacked += part.length
      if (unpacked > MAX_UNPACKED_MIB * 2 ** 20)
        return refuse(`is larger than ${MAX_UNPACKED_MIB} MiB unpacked`)
      parts.push(part)
      if (isLast) writeFileSync(target, Buffer.concat(parts))
    }
    file.start()
  })
  unzip.register(UnzipInflate)
  try {
    for (let at = 0; at < bytes.length && problem === null; at += PUSH_BYTES)
      unzip.push(bytes.subarray(at, at + PUSH_BYTES), at + PUSH_BYTES >= bytes.length)
  } catch {
    refuse('is damaged, or has a password')
  }
  if (problem !== null) throw new Failure(problem)
}

/** Null for folders, and for paths that lead out of the zip. */
function pathOf(name: string): string | null {
  const path = posix.normalize(name.replaceAll('\\', '/'))
  const isOutside = path.startsWith('/') || path.split('/').includes('..')
  return isOutside || path.endsWith('/') || path.startsWith('__MACOSX/') ? null : path
}
