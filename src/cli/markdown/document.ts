/** Converts one file on its own, before it is compared with the others. */
import { readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { convertMarkdown } from './convert.ts'
import * as fields from './fields.ts'
import { isUnclosed, parseFrontMatter } from './front-matter.ts'
import { languageTag, splitLanguage } from './languages.ts'
import { splitDate, toSlug } from './slug.ts'

const MAX_FILE_BYTES = 8 * 1024 * 1024

export type Document = {
  /** Relative to the imported folder, with `/`. */
  file: string
  title: string
  slug: string
  /** Whether the slug was written by the author, not taken from the path. */
  ownSlug: boolean
  contentHtml: string
  components: string[]
  excerpt: string | undefined
  status: 'draft' | 'published' | undefined
  publishedAt: string | undefined
  keywords: string[]
  sourceSlug: string | undefined
  /** From the front matter, or else the folder named after a language. */
  language: string | undefined
  /** Whether the file is in a folder named after a language. */
  inLanguageFolder: boolean
  /** The same for all translations of a post: its path without the language folder and the extension. */
  key: string
}

/** Reads and converts `root`/`file`. Throws an Error with a one-line reason when it cannot become a post. */
export async function readDocument(root: string, file: string): Promise<Document> {
  const path = join(root, file)
  if ((await stat(path)).size > MAX_FILE_BYTES) throw new Error('larger than 8 MiB')
  return toDocument(basename(resolve(root)), file, await readFile(path))
}

/** Converts the bytes of a file. `folder` is the name of the imported folder itself. */
export function toDocument(folder: string, file: string, bytes: Uint8Array): Document {
  const text = decode(bytes)
  const converted = convertMarkdown(text, /\.mdx$/i.test(file) ? 'mdx' : 'md')
  if (converted.frontMatter === null && isUnclosed(text)) throw new Error('front matter is not closed')
  const data = parseFrontMatter(converted.frontMatter)
  const title = fields.textField(data, 'title') ?? converted.heading
  if (!title) throw new Error('no title: neither in the front matter nor a heading')

  const { language, rest } = splitLanguage(file)
  const key = rest.replace(/\.[^./]*$/, '')
  const name = splitDate(nameOf(folder, key))
  const written = fields.textField(data, 'slug')
  const slug = toSlug(written ?? name.rest)
  if (!slug) throw new Error(`no slug can be made of ${JSON.stringify(written ?? name.rest)}`)
  const source = fields.textField(data, 'sourceSlug')
  const own = fields.textField(data, 'language', 'lang', 'locale')
  return {
    file,
    title,
    slug,
    ownSlug: written !== undefined,
    contentHtml: converted.html,
    components: converted.components,
    excerpt: fields.textField(data, 'description', 'excerpt', 'summary'),
    status: fields.status(data),
    publishedAt: fields.publishedAt(data) ?? (name.date && fields.readDate(name.date)?.toISOString()),
    keywords: fields.keywords(data),
    sourceSlug: source && (toSlug(source) ?? source),
    language: own ? languageTag(own) : language,
    inLanguageFolder: language !== undefined,
    key,
  }
}

// An index file is the page of its folder.
function nameOf(folder: string, key: string): string {
  const parts = [folder, ...key.split('/')]
  return (/^_?index$/i.test(parts.at(-1) ?? '') ? parts.at(-2) : parts.at(-1)) ?? ''
}

function decode(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new Error('not valid UTF-8')
  }
  if (text.includes('\0')) throw new Error('contains a NUL byte')
  if (text.trim() === '') throw new Error('empty')
  return text
}
