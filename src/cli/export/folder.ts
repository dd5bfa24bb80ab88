/** Exports a site as a folder for `import markdown`. A cursor in the folder makes later exports incremental. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { parseSlug } from '../../content/model/slug.ts'
import { foldCase } from '../../core/fold.ts'
import { UUID } from '../../core/ids.ts'
import type { Api } from '../../transfer/api.ts'
import { changePages, type StoredChange } from '../../transfer/changes.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Schemas } from '../../transfer/routes.ts'
import { redirectsOf } from '../../transfer/site-redirects.ts'
import type { Result } from '../command.ts'
import type { Io } from '../io.ts'
import { progress } from '../output.ts'
import { toFile } from './markdown.ts'

/** `files` by article id, relative to the folder. `pending` has files that an interrupted export may leave. */
type State = { site: string; cursor: string | null; files: Record<string, string>; pending: string[] }

const STATE = '.export.json'
const REDIRECTS = 'redirects.json'
/** Names that an import would not read as articles. */
const UNSEEN = /^[._]|^(?:readme|index)(?:\.|$)/i
const FILE = /^(?:posts|guides)\/[^/\\]+\.md$/
/** File systems allow 255; the rest is for a unique suffix and the extension. */
const MAX_NAME_BYTES = 200

export async function exportFolder(
  io: Io,
  api: Api,
  site: string,
  dir: string,
  body: { exact: boolean },
): Promise<Result> {
  const root = resolve(io.cwd, dir)
  const { id } = await api('GET /sites/{siteId}', [site])
  const state = await openState(root, dir, id)
  const counts = { written: 0, removed: 0, asHtml: 0, redirects: 0 }
  const shown = progress(io, 'Writing posts and guides', null)
  try {
    for await (const { items, cursor } of changePages(api, id, state.cursor)) {
      const page = planPage(state, items)
      await saveState(root, { ...state, pending: [...page.writes.keys()] })
      // Before the writes, since some file systems ignore case.
      for (const file of page.removals) await rm(join(root, file), { force: true })
      for (const [file, change] of page.writes) {
        const { text, isHtml } = toFile(change.resource, (change.post ?? change.guide)!, body)
        await replaceFile(join(root, file), text)
        shown.at(++counts.written)
        if (isHtml) counts.asHtml += 1
      }
      counts.removed += page.removals.length
      Object.assign(state, { cursor, files: page.files })
      await saveState(root, state)
    }
    counts.redirects = await writeRedirects(root, api, id)
  } catch (error) {
    if (!(error instanceof Failure && error.status === 410)) throw error
    throw new Failure(`${dir} is too old to update: export to an empty folder`)
  } finally {
    shown.end()
  }
  const all = Object.keys(state.files).length
  const text = `${counts.written} files written and ${counts.removed} removed in ${dir}, which has ${all} and ${counts.redirects} redirects`
  const asHtml = counts.asHtml > 0 ? `\n${counts.asHtml} stay HTML, since Markdown would change them` : ''
  return { json: { dir, files: all, ...counts }, text: text + asHtml }
}

/** Writes all each time, since the feed has none. Sorted by address, for readable diffs. */
async function writeRedirects(root: string, api: Api, site: string): Promise<number> {
  const all: Schemas['RedirectInput'][] = []
  for await (const redirect of redirectsOf(api, site)) all.push(redirect)
  all.sort((a, b) => (a.from < b.from ? -1 : 1))
  const lines = all.map((redirect) => JSON.stringify(redirect)).join(',\n')
  if (all.length === 0) await rm(join(root, REDIRECTS), { force: true })
  else await replaceFile(join(root, REDIRECTS), `{"items":[\n${lines}\n]}\n`)
  return all.length
}

function planPage(state: State, changes: StoredChange[]) {
  const files = { ...state.files }
  const names = new Set(Object.values(files).map(foldCase))
  const writes = new Map<string, StoredChange>()
  for (const change of changes) {
    // The id and slug become file names.
    if (!UUID.test(change.id) || parseSlug(change.slug) === null)
      throw new Failure(`The service answered with a malformed id or slug: ${JSON.stringify(change.slug)}`)
    const before = files[change.id]
    if (before) {
      names.delete(foldCase(before))
      writes.delete(before)
      delete files[change.id]
    }
    // An upsert without content: the article has been deleted since, and its deletion follows in the feed.
    if (change.type === 'delete' || !(change.post ?? change.guide)) continue
    const file = nameOf(change, names)
    names.add(foldCase(file))
    writes.set(file, change)
    files[change.id] = file
  }
  const kept = new Set(Object.values(files))
  return { files, writes, removals: Object.values(state.files).filter((file) => !kept.has(file)) }
}

/** Some file systems ignore case and normalise names, and none allows a name as long as a slug may be. */
function nameOf({ resource, slug, id }: StoredChange, names: Set<string>): string {
  const short =
    Buffer.byteLength(slug) <= MAX_NAME_BYTES
      ? slug
      : `${Buffer.from(slug)
          .subarray(0, MAX_NAME_BYTES / 2)
          .toString()
          .replace(/\ufffd+$/, '')}-${hashOf(slug)}`
  const visible = UNSEEN.test(short) ? `${resource}-${short}` : short
  const candidates = [visible, `${visible}-${id.slice(0, 8)}`, id].map((name) => `${resource}s/${name}.md`)
  return candidates.find((name) => !names.has(foldCase(name)))!
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

async function openState(root: string, dir: string, site: string): Promise<State> {
  await mkdir(join(root, 'posts'), { recursive: true })
  await mkdir(join(root, 'guides'), { recursive: true })
  const text = await readFile(join(root, STATE), 'utf8').catch(() => null)
  if (text === null) {
    if (await hasFiles(root))
      throw new Failure(`${dir} has files that are not from an export: use an empty folder`)
    return { site, cursor: null, files: {}, pending: [] }
  }
  const state: State = JSON.parse(text)
  if (state.site !== site) throw new Failure(`${dir} is the export of another site`)
  const whole = new Set(Object.values(state.files))
  if (![...whole, ...state.pending].every((file) => FILE.test(file)))
    throw new Failure(`${dir}/${STATE} was not written by an export`)
  for (const file of state.pending) if (!whole.has(file)) await rm(join(root, file), { force: true })
  return { ...state, pending: [] }
}

/** Replaces a symbolic link instead of writing through it. */
async function replaceFile(path: string, text: string): Promise<void> {
  await rm(path, { force: true })
  await writeFile(path, text, { flag: 'wx' })
}

async function hasFiles(root: string): Promise<boolean> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  // An export that was interrupted on its first page may have left this file.
  return entries.some((entry) => !entry.isDirectory() && entry.name !== `${STATE}.new`)
}

async function saveState(root: string, state: State): Promise<void> {
  const file = join(root, STATE)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(`${file}.new`, JSON.stringify(state))
  await rename(`${file}.new`, file)
}
