/** Exports a site as one file of JSON lines for `import ndjson`. */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Api } from '../../transfer/api.ts'
import { changePages } from '../../transfer/changes.ts'
import { type Counts, exportLines } from '../../transfer/export.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Schemas } from '../../transfer/routes.ts'
import type { Result } from '../command.ts'
import type { Io } from '../io.ts'
import { progress } from '../output.ts'
import { openPart, type Part } from './part.ts'

type Site = Schemas['Site']

/** Exports a consistent state. `FILE.part` lets an interrupted export continue; the file appears when complete. */
export async function exportNdjson(io: Io, api: Api, site: string, file: string): Promise<Result> {
  const target = resolve(io.cwd, file)
  const settings = await api('GET /sites/{siteId}', [site])
  const part = await bringUpToDate(io, api, settings.id, target)
  try {
    const counts = await writeWhole(io, api, settings, part, target)
    await part.remove()
    const { size } = await stat(target)
    const text = `${counts.posts} posts, ${counts.guides} guides, ${counts.redirects} redirects and ${counts.trainingRows} training rows in ${file}`
    return { json: { file, bytes: size, ...counts }, text }
  } catch (error) {
    await part.close().catch(() => {})
    throw error
  }
}

/** Brings the part up to date, or restarts it if its cursor has expired. */
async function bringUpToDate(io: Io, api: Api, site: string, target: string): Promise<Part> {
  const part = await openPart(`${target}.part`, site)
  const shown = progress(io, 'Reading posts and guides', null)
  try {
    for await (const page of changePages(api, site, part.cursor)) {
      await part.append(page)
      shown.at(part.size())
    }
    return part
  } catch (error) {
    const isExpired = error instanceof Failure && error.status === 410 && part.cursor !== null
    if (!isExpired) {
      await part.close()
      throw error
    }
    await part.remove()
    return bringUpToDate(io, api, site, target)
  } finally {
    shown.end()
  }
}

async function writeWhole(io: Io, api: Api, site: Site, part: Part, target: string): Promise<Counts> {
  const temporary = `${target}.new`
  const handle = await open(temporary, 'w')
  try {
    const write = lineWriter(handle)
    const shown = progress(io, 'Reading training rows', null)
    const lines = exportLines(api, site, { changes: articlesOf(part), repeats: false }, shown.at)
    let next = await lines.next()
    for (; !next.done; next = await lines.next()) await write(next.value)
    const counts = next.value
    shown.end()
    await write.flush()
    await handle.sync()
    await handle.close()
    await rename(temporary, target)
    return counts
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(temporary, { force: true })
    throw error
  }
}

async function* articlesOf(part: Part) {
  yield* part.read('post')
  yield* part.read('guide')
}

const BUFFERED_BYTES = 256 * 1024

function lineWriter(handle: FileHandle) {
  let lines: string[] = []
  let length = 0
  const flush = async () => {
    await handle.writeFile(lines.join(''))
    lines = []
    length = 0
  }
  const write = async (line: unknown) => {
    lines.push(`${JSON.stringify(line)}\n`)
    length += lines.at(-1)!.length
    if (length >= BUFFERED_BYTES) await flush()
  }
  return Object.assign(write, { flush })
}
