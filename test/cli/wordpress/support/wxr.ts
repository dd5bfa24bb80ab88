/** WordPress exports with a test's items. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type WordPressOptions, wordpressFile } from '../../../../src/cli/wordpress/file.ts'
import type { Entry, Loss, Skipped, Source, SourceArticle } from '../../../../src/transfer/source.ts'

type Fields = Record<string, string | number>
type Given =
  | Fields
  | {
      fields?: Fields
      meta?: Record<string, string>
      terms?: [taxonomy: string, slug: string, name: string][]
      more?: string
    }

const CHANNEL = `<title>Test &amp;amp; blog</title><link>https://blog.example</link><language>en-US</language>
<wp:wxr_version>1.2</wp:wxr_version><wp:base_blog_url>https://blog.example</wp:base_blog_url>
<wp:author><wp:author_login>ann</wp:author_login><wp:author_display_name><![CDATA[Ann Otter]]></wp:author_display_name></wp:author>`

export const cdata = (text: string) => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

let lastId = 100

/** One `<item>`: a published post, unless given otherwise. */
export function item(given: Given = {}): string {
  const { fields = {}, meta = {}, terms = [], more = '' } = isParts(given) ? given : { fields: given }
  const id = ++lastId
  const all: Fields = {
    title: `Post ${id}`,
    link: `https://blog.example/2024/05/${fields['wp:post_name'] ?? `post-${id}`}/`,
    'content:encoded': '<p>Text.</p>',
    'excerpt:encoded': '',
    'wp:post_id': id,
    'wp:post_date_gmt': '2024-05-06 07:08:09',
    'wp:post_name': `post-${id}`,
    'wp:status': 'publish',
    'wp:post_parent': 0,
    'wp:post_type': 'post',
    'wp:post_password': '',
    ...fields,
  }
  return [
    '<item>',
    ...Object.entries(all).map(([name, value]) => `<${name}>${cdata(String(value))}</${name}>`),
    ...terms.map(
      ([taxonomy, slug, name]) =>
        `<category domain="${taxonomy}" nicename="${slug}">${cdata(name)}</category>`,
    ),
    ...Object.entries(meta).map(
      ([key, value]) =>
        `<wp:postmeta><wp:meta_key>${cdata(key)}</wp:meta_key><wp:meta_value>${cdata(value)}</wp:meta_value></wp:postmeta>`,
    ),
    more,
    '</item>',
  ].join('\n')
}

export function wxr(items: string[], { channel = CHANNEL, start = '' } = {}): string {
  return `<?xml version="1.0" encoding="UTF-8" ?>\n${start}<rss version="2.0"><channel>${channel}\n${items.join('\n')}\n</channel>\n</rss>\n`
}

/** A reason as a report has it. */
export const lossText = ({ reason, detail }: Pick<Loss, 'reason' | 'detail'>) =>
  detail === undefined ? reason : `${reason}: ${detail}`

export type Read = {
  source: Source
  entries: Entry[]
  found: SourceArticle[]
  losses: Loss[]
  skipped: Skipped[]
}

export async function readAll(source: Source): Promise<Read> {
  const entries: Entry[] = []
  for await (const entry of source.read()) entries.push(entry)
  return {
    source,
    entries,
    found: entries.flatMap((entry) => ('found' in entry ? entry.found : [])),
    losses: entries.flatMap((entry) => ('loss' in entry ? entry.loss : [])),
    skipped: entries.flatMap((entry) => ('skipped' in entry ? entry.skipped : [])),
  }
}

/** The result of reading an `export.xml` with this content. */
export async function readText(
  content: string | Uint8Array,
  options: Partial<WordPressOptions> = {},
): Promise<Read> {
  const folder = await mkdtemp(join(tmpdir(), 'wxr-'))
  try {
    const path = join(folder, 'export.xml')
    await writeFile(path, content)
    return await readAll(await wordpressFile(path, { pages: 'guides', defaultLanguage: 'en', ...options }))
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const readItems = (items: string[], options?: Partial<WordPressOptions>) =>
  readText(wxr(items), options)

function isParts(given: Given): given is Exclude<Given, Fields> {
  return ['fields', 'meta', 'terms', 'more'].some((name) => name in given)
}
