/**
 * Caches conversions in the user's cache directory, so that an import converts only changed files. An entry is valid only
 * if it is complete, comes from this converter, and neither its file nor anything else it depends on has changed. Cache
 * errors are ignored.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { Io } from '../io.ts'
import { linesOf } from '../lines.ts'
import type { Converted } from './converted.ts'
import { type CacheKey, type Folder, readDependencies } from './dependencies.ts'
import { readSource } from './folder.ts'
import type { Generator } from './generators/generator.ts'

const PROJECT = join(import.meta.dirname, '../../..')
/** For one imported folder, and for all; the least recently used are deleted. */
const MAX_BYTES = { folder: 256 * 2 ** 20, all: 1024 * 2 ** 20 }
const NAME = /^[0-9a-f]{64}\.ndjson(?<unfinished>\..+)?$/
const DAY_MS = 86_400_000
const SUM_LENGTH = 64

export type Cache = {
  /** Passes valid results to `take`, and returns the other files. */
  restore(take: (converted: Converted) => Promise<void>): Promise<string[]>
  save(all: AsyncIterable<Converted>): Promise<void>
}

export async function openCache(
  { env }: Pick<Io, 'env'>,
  source: Folder,
  generator?: Generator,
): Promise<Cache | null> {
  const { root, files } = source
  const { XDG_CACHE_HOME, HOME } = env
  const base = [XDG_CACHE_HOME, HOME && join(HOME, '.cache')].find((path) => path && isAbsolute(path))
  const converter = base && (await converterId().catch(() => null))
  if (!base || !converter) return null
  const folder = join(base, 'headless-content-api')
  const path = join(folder, `${createHash('sha256').update(root).digest('hex')}.ndjson`)
  const sumOf = (json: string) => createHash('sha256').update(`${converter}\n${json}`).digest('hex')

  async function* kept(): AsyncIterable<Converted> {
    try {
      await using handle = await open(path)
      for await (const { bytes } of linesOf(handle, { maxBytes: MAX_BYTES.folder })) {
        const line = bytes.toString()
        const json = line.slice(SUM_LENGTH)
        if (line.slice(0, SUM_LENGTH) === sumOf(json)) yield JSON.parse(json)
      }
    } catch {}
  }

  async function* lines(all: AsyncIterable<Converted>): AsyncIterable<string> {
    let left = MAX_BYTES.folder
    for await (const { outline, content, made } of all) {
      const json = JSON.stringify({ outline, content, made })
      left -= Buffer.byteLength(json) + SUM_LENGTH + 1
      if (left < 0) return
      yield `${sumOf(json)}${json}\n`
    }
  }

  return {
    async restore(take) {
      const left = new Set(files)
      const { digestOf } = await readDependencies(source, generator)
      const isCacheValid = async ({ digest, asked }: CacheKey, file: string) =>
        (await digestOf(file, await readSource(root, file), asked)) === digest
      for await (const converted of kept()) {
        const { file } = converted.outline
        // The file may be gone, or a dependency of the result may have changed.
        if (!left.has(file) || !(await isCacheValid(converted.made, file).catch(() => false))) continue
        left.delete(file)
        await take(converted)
      }
      const now = new Date()
      await utimes(path, now, now).catch(() => {})
      return [...left]
    },
    async save(all) {
      const unfinished = `${path}.${randomUUID()}`
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await writeFile(unfinished, lines(all), { flag: 'wx', mode: 0o600 })
        await rename(unfinished, path)
        await prune(folder)
      } catch {
        await rm(unfinished, { force: true }).catch(() => {})
      }
    },
  }
}

/** Results also depend on this code, the installed packages, and Node with its language names. */
async function converterId(): Promise<string> {
  const hash = createHash('sha256').update(process.version)
  hash.update(await readFile(join(PROJECT, 'node_modules/.package-lock.json')))
  for (const folder of ['src/cli', 'src/html', 'src/core']) {
    const files = await readdir(join(PROJECT, folder), { recursive: true })
    for (const file of files.filter((name) => name.endsWith('.ts')).sort())
      hash.update(`${file}\n`).update(await readFile(join(PROJECT, folder, file)))
  }
  return hash.digest('hex')
}

/** Deletes the least recently used caches, and leftovers of killed runs. */
async function prune(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name))
  const files = await Promise.all(
    names.map(async (name) => ({ name, ...(await stat(join(folder, name)).catch(() => null)) })),
  )
  let left = MAX_BYTES.all
  for (const { name, size = 0, mtimeMs = 0 } of files.sort((a, b) => (b.mtimeMs ?? 0) - (a.mtimeMs ?? 0))) {
    left -= size
    const isLeftOver = NAME.exec(name)?.groups?.unfinished && mtimeMs < Date.now() - DAY_MS
    if (left < 0 || isLeftOver) await rm(join(folder, name), { force: true })
  }
}
