/**
 * A store in a folder, for Node: `posts/ID.json` and `guides/ID.json`, each with `content` and `round`, and `state.json`. A
 * commit replaces files one by one and the state last, so the next sync repeats a commit that was interrupted.
 */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLock } from './lock.ts'
import { checkId } from './names.ts'
import { type ContentOf, type Entry, type Key, keyOf, type Resource, type Store } from './store.ts'

const FOLDERS = { post: 'posts', guide: 'guides' } as const
const RESOURCES = Object.keys(FOLDERS) as Resource[]

export function folderStore(dir: string): Store {
  const stateFile = join(dir, 'state.json')
  const folderOf = (resource: Resource) => join(dir, FOLDERS[resource])
  const fileOf = ({ resource, id }: Key) => join(folderOf(resource), `${checkId(id)}.json`)
  const state = () => read(stateFile)
  /** Files by `resource slug`, valid for one state. */
  let index: { state: string | null; files: Map<string, string> } | null = null

  async function prepare(): Promise<void> {
    for (const resource of RESOURCES) await mkdir(folderOf(resource), { recursive: true })
  }

  async function* list(): AsyncGenerator<Entry> {
    for (const resource of RESOURCES) {
      const names = await readdir(folderOf(resource)).catch(ifMissing([]))
      for (const name of names.filter((each) => each.endsWith('.json'))) {
        const text = await read(join(folderOf(resource), name))
        if (text !== null) yield { resource, ...JSON.parse(text) }
      }
    }
  }

  async function currentIndex(): Promise<Map<string, string>> {
    const now = await state()
    if (index?.state !== now) {
      const files = new Map<string, string>()
      for await (const entry of list()) {
        files.set(`${entry.resource} ${entry.content.slug}`, fileOf(keyOf(entry)))
      }
      index = { state: now, files }
    }
    return index!.files
  }

  return {
    state,
    async commit({ from, to, put, remove }) {
      await prepare()
      return withLock(dir, async () => {
        if ((await state()) !== from) return false
        await awaitAll([
          ...remove.map((key) => rm(fileOf(key), { force: true })),
          ...put.map((entry) => {
            const { round, content } = entry
            return replace(fileOf(keyOf(entry)), JSON.stringify({ round, content }))
          }),
        ])
        await replace(stateFile, to)
        return true
      })
    },
    async get<Kind extends Resource>(resource: Kind, slug: string) {
      const file = (await currentIndex()).get(`${resource} ${slug}`)
      const text = file === undefined ? null : await read(file)
      return text === null ? null : (JSON.parse(text).content as ContentOf<Kind>)
    },
    list,
    async close() {},
  }
}

/** Waits for all even if one fails, so that nothing is written after the lock is released. */
async function awaitAll(works: Promise<void>[]): Promise<void> {
  await Promise.allSettled(works)
  await Promise.all(works)
}

/** Atomic: after a crash, too, a reader sees either the old file or the new one. */
async function replace(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { flush: true })
  await rename(`${file}.new`, file)
}

const read = (file: string) => readFile(file, 'utf8').catch(ifMissing(null))

function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value
    throw error
  }
}
