/** The growing file of an export. A cursor follows each page; a resumed export drops everything after the last. */
import { type FileHandle, open, rm } from 'node:fs/promises'
import type { StoredChange } from '../../transfer/changes.ts'
import { noteChange } from '../../transfer/export.ts'
import { Failure } from '../../transfer/failure.ts'
import { linesOf } from '../lines.ts'

type Line = { site: string } | { cursor: string } | StoredChange
type LinePlace = { at: number; bytes: number; resource: StoredChange['resource'] }

export type Part = {
  cursor: string | null
  size: () => number
  append(page: { items: StoredChange[]; cursor: string }): Promise<void>
  /** In the order of their last change. */
  read(resource: StoredChange['resource']): AsyncGenerator<StoredChange>
  close(): Promise<void>
  remove(): Promise<void>
}

/** Opens or creates a part. @throws Failure when it is of another site */
export async function openPart(file: string, site: string): Promise<Part> {
  const handle = await openOrCreate(file)
  try {
    return await readPart(handle, file, site)
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function openOrCreate(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r+')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return open(file, 'w+').catch((problem: NodeJS.ErrnoException) => {
      throw new Failure(
        `Cannot write ${file}: ${problem.code === 'ENOENT' ? 'the folder does not exist' : problem.message}`,
      )
    })
  }
}

async function readPart(handle: FileHandle, file: string, site: string): Promise<Part> {
  const places = new Map<string, LinePlace>()
  let cursor: string | null = null
  let end = 0
  let page: [StoredChange, LinePlace][] = []
  for await (const { bytes: content, at } of linesOf(handle)) {
    const line = parse(content.toString())
    const bytes = content.length + 1
    if (!line || (at === 0 && !('site' in line))) break
    if ('site' in line) {
      if (line.site !== site)
        throw new Failure(`${file} belongs to another site: delete it, or export to another file`)
    } else if ('cursor' in line) {
      for (const [change, place] of page) noteChange(places, change, place)
      cursor = line.cursor
      page = []
    } else {
      page.push([line, { at, bytes, resource: line.resource }])
      continue
    }
    end = at + bytes
  }
  await handle.truncate(end)
  if (end === 0) end = await write(handle, 0, { site })
  return {
    cursor,
    size: () => places.size,
    async append({ items, cursor }) {
      for (const change of items) {
        const bytes = (await write(handle, end, change)) - end
        noteChange(places, change, { at: end, bytes, resource: change.resource })
        end += bytes
      }
      end = await write(handle, end, { cursor })
    },
    async *read(resource) {
      for (const place of places.values())
        if (place.resource === resource) yield await readChange(handle, place)
    },
    close: () => handle.close(),
    async remove() {
      await handle.close()
      await rm(file)
    },
  }
}

async function write(handle: FileHandle, at: number, line: Line): Promise<number> {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`)
  // A disk that is nearly full writes a part, and fails on the rest.
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten
  return at + bytes.length
}

async function readChange(handle: FileHandle, { at, bytes }: LinePlace): Promise<StoredChange> {
  const { buffer } = await handle.read(Buffer.allocUnsafe(bytes), 0, bytes, at)
  return JSON.parse(buffer.toString())
}

function parse(text: string): Line | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
