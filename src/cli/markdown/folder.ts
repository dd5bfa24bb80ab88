/** Finds Markdown files and HTML with front matter below a folder, and reports other markup. */
import type { Dirent } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { MAX_BODY_BYTES } from '../../core/limits.ts'
import { Failure } from '../../transfer/failure.ts'
import type { Skipped } from '../../transfer/source.ts'
import { open, readdir, readFile, realpath, stat } from '../files.ts'

const MARKDOWN = /\.(?:md|mdx|markdown)$/i
const HTML = /\.html?$/i
const OTHER_MARKUP = /\.(?:adoc|asciidoc|mdoc|org|rst|textile)$/i
const TEMPLATES = /\.(?:ejs|haml|hbs|liquid|mustache|njk|pug|webc)$/i
const NO_CONTENT = new Set(['node_modules', '_includes', '_layouts', '_sass', '_site', 'layouts'])
const README = /^readme\.[a-z]+$/i
const HUGO_SECTION = /^_index\.(?:[\w-]+\.)?[a-z]+$/i

/** Enough for a comment before the front matter. */
const HEAD_BYTES = 4_096
/** Nikola's comment, or Pelican's metadata. */
const METADATA = /^\s*<!--\s*\.\. (?:title|slug|date):|<meta\s[^>]*\bname\s*=\s*["']?date\b/i
const FENCE = /^(?:\s|<!--[\s\S]*?-->)*(?:-{3,}|\+{3,}|;{3,})[ \t]*[\r\n]/

/** Thrown for a file that is not meant to be an article. */
export class NoArticle extends Error {}

/** `file` is relative to the folder, with `/`. */
type Found = { files: string[]; skipped: Skipped[]; others: string[] }

/** Skips hidden folders and node_modules; follows links within the root. @throws Error if `root` is unreadable */
export async function findMarkdown(root: string): Promise<Found> {
  const found: Found = { files: [], skipped: [], others: [] }
  const realRoot = await realpath(root)
  const plain: Skipped[] = []
  await readFolder('', realRoot, [realRoot])
  if (found.files.length > 0) found.skipped.push(...plain)
  // Origins are stored in this form.
  const sameNames = Map.groupBy(found.files.sort(byPath), (file) => file.normalize('NFC'))
    .values()
    .toArray()
  const reason = 'another file has the same name in a different Unicode form'
  for (const file of sameNames.flatMap(([, ...others]) => others))
    found.skipped.push({ file, reason, isNoArticle: false })
  return { ...found, files: sameNames.map(([first]) => first!) }

  async function readFolder(path: string, real: string, ancestors: string[]): Promise<void> {
    for (const entry of await readdir(real)) {
      if (entry.name.startsWith('.') || NO_CONTENT.has(entry.name)) continue
      const file = path ? `${path}/${entry.name}` : entry.name
      try {
        await readEntry(file, join(real, entry.name), entry, ancestors)
      } catch (error) {
        if (!entry.isFile() || [MARKDOWN, OTHER_MARKUP, TEMPLATES].some((each) => each.test(entry.name)))
          found.skipped.push({ file, reason: reasonOf(error), isNoArticle: error instanceof NoArticle })
      }
    }
  }

  async function readEntry(file: string, path: string, entry: Dirent, ancestors: string[]): Promise<void> {
    const link = entry.isSymbolicLink()
    const target = link ? await stat(path) : entry
    if (target.isDirectory()) {
      const real = link ? await realpath(path) : path
      if (ancestors.includes(real)) throw new Error('a symbolic link to a folder that contains it')
      if (link) mustBeWithin(realRoot, real)
      await readFolder(file, real, [...ancestors, real])
    } else if (
      OTHER_MARKUP.test(entry.name) ||
      (TEMPLATES.test(entry.name) && (await hasFrontMatter(path)))
    ) {
      throw new Error('neither Markdown nor HTML')
    } else if (
      MARKDOWN.test(entry.name) ||
      (HTML.test(entry.name) && (await hasFrontMatter(path, METADATA)))
    ) {
      if (!target.isFile()) throw new Error('not a regular file')
      if (link) mustBeWithin(realRoot, await realpath(path))
      if (README.test(entry.name)) throw new NoArticle('a README, not a post')
      if (HUGO_SECTION.test(entry.name)) throw new NoArticle('a section page of Hugo, not a post')
      found.files.push(file)
    } else if (target.isFile()) {
      found.others.push(file)
      if (HTML.test(entry.name)) plain.push({ file, reason: 'HTML without metadata', isNoArticle: true })
    }
  }
}

/** False for HTML that generators copy unchanged: without front matter, and without metadata that matches `other`. */
async function hasFrontMatter(path: string, other?: RegExp): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    const head = buffer.toString('utf8', 0, bytesRead)
    return FENCE.test(head) || (other?.test(head) ?? false)
  } finally {
    await file.close()
  }
}

export async function readSource(root: string, file: string): Promise<Buffer> {
  const path = join(root, file)
  if ((await stat(path)).size > MAX_BODY_BYTES) throw new Error('larger than 8 MiB')
  return readFile(path)
}

/** @throws Failure that names the folder `dir` */
export async function mustBeFolder(root: string, dir: string): Promise<void> {
  try {
    if ((await stat(root)).isDirectory()) return
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Failure(`Cannot read ${dir}: ${missing ? 'the folder does not exist' : reasonOf(error)}`)
  }
  throw new Failure(`${dir} is not a folder`)
}

/** By code unit, so that the order is the same on every machine. */
export function byPath(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function mustBeWithin(root: string, path: string): void {
  const inside = relative(root, path)
  if (inside === '..' || inside.startsWith(`..${sep}`)) {
    throw new Error('a symbolic link to outside the folder')
  }
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return (code && REASONS[code]) || (message.split('\n')[0] ?? 'unknown error')
}

const REASONS: Record<string, string> = {
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ELOOP: 'symbolic links form a loop',
  ENOENT: 'a broken symbolic link, or deleted in the meantime',
  EISDIR: 'a folder',
}
