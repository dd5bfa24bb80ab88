import type { Io } from '../io.ts'
import { progress } from '../output.ts'
import { openCache } from './cache.ts'
import type { Converted } from './converted.ts'
import { convertFiles } from './pool.ts'
import type { ConvertFolder } from './source.ts'

/** With `useCache`, converts only changed files. */
export const convertInThreads =
  (io: Io, useCache: boolean): ConvertFolder =>
  async (folder, generator, { take, skip, all }) => {
    const shown = progress(io, 'Converting', folder.files.length)
    let done = 0
    let converted = 0
    const counted = async (one: Converted) => {
      await take(one)
      shown.at(++done)
    }
    const cache = useCache ? await openCache(io, folder, generator) : null
    const changed = await cache?.restore(counted)
    const into = {
      async take(one: Converted) {
        converted += 1
        await counted(one)
      },
      skip(one: Parameters<typeof skip>[0]) {
        skip(one)
        shown.at(++done)
      },
    }
    await convertFiles(folder, into, io.fileTimeoutMs, changed)
    if (converted > 0) await cache?.save(all())
    shown.end()
  }
