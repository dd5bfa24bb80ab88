/** An uploaded file as a source, in a Worker: its files are in memory, below `/tmp`. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArticleKind } from '../../content/model/article-filters.ts'
import type { Api } from '../../transfer/api.ts'
import { slugsByOrigin } from '../../transfer/identity.ts'
import { ndjsonFile } from '../../transfer/ndjson.ts'
import type { LoadedSite, Source } from '../../transfer/source.ts'
import { openMemory } from '../../transfer/spool.ts'
import { onDisk, readdir, readFile } from '../files.ts'
import { ghostFile } from '../ghost/source.ts'
import type { StatusFlags } from '../import/status.ts'
import { findMarkdown } from '../markdown/folder.ts'
import { markdownFolder } from '../markdown/source.ts'
import { objectsOf } from '../ndjson.ts'
import { wordpressFile } from '../wordpress/file.ts'
import { type Checkpoints, convertInTurns } from './convert-in-turns.ts'
import { type ImportSource, isZip, kindOf } from './kind.ts'
import { unzipInto } from './unzip.ts'
import { checkHtml, checkMarkdown } from './worker-limits.ts'

export type UploadOptions = StatusFlags & {
  as: ArticleKind
  pages: 'guides' | 'none'
  oldUrl?: string
  settings: boolean
  dryRun: boolean
}

const EXPORT = /\.(?:xml|json|ndjson|jsonl)$/i

export type Upload = { source: ImportSource; name: string; bytes: Uint8Array }

/** `kept` has the answers of earlier turns. @throws Failure when the file cannot be read; TurnEnded */
export async function uploadedSource(
  api: Api,
  site: LoadedSite,
  upload: Upload,
  options: UploadOptions,
  kept: Checkpoints,
): Promise<Source> {
  const above = `/tmp/${crypto.randomUUID()}`
  // Pages without a name of their own are named after their folder.
  const root = join(above, upload.name.replace(/\.[^.]+$/, '').replace(/^\.+/, '') || 'file')
  const remove = () => rm(above, { recursive: true, force: true })
  try {
    await mkdir(onDisk(root), { recursive: true })
    const source = await sourceIn(root, api, site, upload, options, kept)
    return {
      ...source,
      async close() {
        await source.close?.()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

async function sourceIn(
  root: string,
  api: Api,
  site: LoadedSite,
  { source, name, bytes }: Upload,
  options: UploadOptions,
  kept: Checkpoints,
): Promise<Source> {
  const { as, pages, oldUrl, settings, dryRun, ...status } = options
  const { defaultLanguage } = site
  const known = { ...status, name, pages, defaultLanguage }
  const file = join(root, name)
  if (isZip(bytes)) {
    unzipInto(root, bytes, name)
    const only = await onlyExport(root)
    if (only) return sourceIn(root, api, site, only, options, kept)
  } else await writeFile(onDisk(file), bytes)
  if (source === 'wordpress') return wordpressFile(file, { ...known, checkHtml })
  if (source === 'ghost') {
    const check = { html: checkHtml, markdown: checkMarkdown }
    return ghostFile(file, { ...known, check, ...(oldUrl && { oldUrl }) })
  }
  if (source === 'ndjson') {
    const objects = () => objectsOf({ cwd: root }, name)
    return ndjsonFile(api, site, name, objects, { keepIds: false, settings, dryRun })
  }
  const folder = {
    ...status,
    as,
    defaultLanguage,
    openSpool: openMemory,
    convert: convertInTurns(kept),
    slugsBefore: () => slugsByOrigin(api, site.id, as),
  }
  const old = { site, base: `https://${site.domain}`, ...(oldUrl && { url: oldUrl }) }
  return markdownFolder(await topFolder(root), name, folder, old)
}

/** An export that was packed: the only one in a zip without Markdown. */
async function onlyExport(root: string): Promise<Upload | null> {
  const { files, others } = await findMarkdown(root)
  const [name, second] = files.length > 0 ? [] : others.filter((file) => EXPORT.test(file))
  if (name === undefined || second !== undefined) return null
  const bytes = await readFile(join(root, name))
  const kind = kindOf(name, bytes)
  return 'source' in kind && kind.source !== 'markdown' ? { ...kind, name, bytes } : null
}

/** The folder that was packed, if the zip has it. */
async function topFolder(root: string): Promise<string> {
  const [first, second] = await readdir(root)
  return first?.isDirectory() && !second ? join(root, first.name) : root
}
