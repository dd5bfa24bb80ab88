/** Compares the imported site of content.ts, field by field, with Ghost's Admin API. */
import { Parser } from 'htmlparser2'
import { htmlToText } from '../../../../src/html/text.ts'
import type { SourceArticle } from '../../../../src/transfer/source.ts'
import { bundleArticle } from '../../support/bundle.ts'
import { lossText, type Read } from '../../wordpress/support/wxr.ts'
import type { Row } from './admin-api.ts'

export type Comparison = {
  /** As in `slug: 20 of 20`. */
  table: string[]
  /** Differences that the report does not name. */
  differing: string[]
}

/** A field of a post or page, how it was imported, and how the report names a loss of it. */
type Field = { name: string; row: Row; found: SourceArticle; about: Record<string, unknown>; lost: Lost }
type Lost = { ofPost: string[]; ofSite: string[] }
/** The values in Ghost and in the import, which must be equal. */
type Pair = [ghost: unknown, imported: unknown]

export function compare(rows: Row[], read: Read): Comparison {
  const counts = new Map<string, { equal: number; all: number }>()
  const differing: string[] = []
  for (const row of rows) {
    const found = read.found.find(({ origin }) => origin?.endsWith(`:${row.id}`))
    if (!found) differing.push(`${row.title} is missing`)
    for (const name of found ? Object.keys(row) : []) {
      const about = bundleArticle(found!.article)
      const field = { name, row, found: found!, about, lost: lostOf(read, found!.file) }
      const [ghost, imported] = (FIELDS[name] ?? unknown)(field).map((value) => JSON.stringify(value))
      const count = counts.get(name) ?? { equal: 0, all: 0 }
      counts.set(name, count)
      count.all += 1
      if (ghost === imported) count.equal += 1
      else differing.push(`${row.title}: ${name} is ${imported}, not ${ghost}`)
    }
  }
  return { table: [...counts].map(([name, { equal, all }]) => `${name}: ${equal} of ${all}`), differing }
}

function lostOf({ losses }: Read, file: string): Lost {
  const named = (isOf: (file: string) => boolean) =>
    losses.filter((loss) => isOf(loss.file)).map((loss) => `${loss.field}: ${lossText(loss)}`)
  return { ofPost: named((each) => each === file), ofSite: named((each) => /\.json$/.test(each)) }
}

const unknown = ({ name, row }: Field): Pair => [row[name] ?? null, 'a field that no test knows']

/** Every field of the Admin API's answers. */
const FIELDS: Record<string, (field: Field) => Pair> = {
  kind: ({ row, found }) => [row.kind, found.kind],
  id: ({ row, found }) => [`ghost@:${row.id}`, found.origin?.replace(/(?<=@)[0-9a-f]{16}(?=:)/, '')],
  title: ({ row, found }) => [row.title, found.article.title],
  slug: ({ row, found }) => [row.slug, found.article.slug],
  status: ({ row, found, lost }) => {
    const isForAll = row.status === 'published' && row.visibility === 'public'
    const isNamed =
      isForAll || row.status !== 'scheduled' || lost.ofPost.some((loss) => loss.startsWith('status: '))
    return [isForAll ? 'published' : 'draft', isNamed && found.article.status]
  },
  visibility: ({ row, lost }) => [
    row.visibility,
    lost.ofPost
      .find((loss) => loss.startsWith('visibility: '))
      ?.split(': ')
      .at(-1) ?? 'public',
  ],
  published_at: ({ row, found }) => [instant(row.published_at), found.article.publishedAt],
  updated_at: ({ row, about }) => [instant(row.updated_at), about.dateModified],
  custom_excerpt: ({ row, found }) => [row.custom_excerpt ?? undefined, found.article.excerpt],
  authors: ({ row, about }) => [(row.authors as Author[]).map(person), [about.author].flat()],
  primary_author: ({ row, about }) => [person(row.primary_author as Author), [about.author].flat()[0]],
  tags: ({ row, found, lost }) => {
    const internal = lost.ofPost
      .filter((loss) => loss.startsWith('tags: '))
      .map((loss) => loss.split(': ').at(-1))
    return [names(row.tags).toSorted(), [...(found.article.tags ?? []), ...internal].toSorted()]
  },
  primary_tag: ({ row, about }) => [(row.primary_tag as Tag | null)?.name, about.articleSection],
  feature_image: ({ row, about }) => [row.feature_image ?? row.og_image ?? undefined, imageOf(about).url],
  feature_image_alt: ({ row, found, lost }) => {
    const isNamed = lost.ofPost.includes(
      `feature_image_alt: posts have no such field: ${row.feature_image_alt}`,
    )
    return [row.feature_image_alt ?? undefined, isNamed ? row.feature_image_alt : found.article.image?.alt]
  },
  feature_image_caption: ({ row, about }) => [
    row.feature_image_caption ? htmlToText(String(row.feature_image_caption)).text : undefined,
    row.feature_image_caption ? imageOf(about).caption : undefined,
  ],
  og_image: (field) =>
    field.row.feature_image ? named(field) : [field.row.og_image ?? undefined, imageOf(field.about).url],
  og_title: ({ row, found }) => [row.og_title ?? row.meta_title ?? undefined, found.article.seo?.ogTitle],
  meta_title: (field) =>
    field.row.og_title ? named(field) : [field.row.meta_title ?? undefined, field.found.article.seo?.ogTitle],
  og_description: ({ row, found }) => [row.og_description ?? undefined, found.article.seo?.ogDescription],
  meta_description: ({ row, found }) => [
    row.meta_description ?? undefined,
    found.article.seo?.metaDescription,
  ],
  canonical_url: ({ row, about, lost }) => {
    const address = row.canonical_url as string | null
    const isNamed = lost.ofPost.includes(
      `canonical_url: its canonical address is on another domain, but the sitemap will list it once published: ${address}`,
    )
    const isElsewhere = address !== null && new URL(address).host !== new URL(row.url as string).host
    const said = (about.mainEntityOfPage as { '@id'?: string } | undefined)?.['@id']
    return [
      [address ?? undefined, isElsewhere],
      [said, isNamed],
    ]
  },
  /** The URL in Ghost becomes an old URL if the post was public. */
  url: ({ row, found }) => [
    row.status === 'published' ? [new URL(String(row.url)).pathname] : found.oldAddresses,
    found.oldAddresses,
  ],
  html: ({ row, found, lost }) => {
    const [written, taken] = [partsOf(String(row.html ?? '')), partsOf(found.article.contentHtml)]
    const isNamed = (part: string) =>
      lost.ofPost.some((loss) => loss.startsWith('contentHtml: ') && loss.includes(part))
    return [[], written.filter((part) => !taken.includes(part) && !isNamed(part))]
  },
  ...Object.fromEntries(
    [
      ...[
        'codeinjection_foot',
        'codeinjection_head',
        'custom_template',
        'featured',
        'frontmatter',
        'email_subject',
      ],
      ...['twitter_description', 'twitter_image', 'twitter_title', 'email_only'],
    ].map((name) => [name, named]),
  ),
  show_title_and_feature_image: ({ name, row, lost }) => [!row[name], isNamed(name, lost)],
  ...Object.fromEntries(['comment_id', 'created_at', 'uuid'].map((name) => [name, namedOfSite])),
  email_segment: (field) => namedOfSite({ ...field, name: 'email_recipient_filter' }),
  // Everything that Ghost derives from the other fields.
  ...Object.fromEntries(
    ['excerpt', 'lexical', 'mobiledoc', 'reading_time', 'plaintext'].map((name) => [
      name,
      (): Pair => [null, null],
    ]),
  ),
}

type Tag = { name: string }
type Author = { name: string; website: string | null }

function named({ name, row, lost }: Field): Pair {
  return [Boolean(row[name]), isNamed(name, lost)]
}

const isNamed = (name: string, { ofPost }: Lost) => ofPost.some((loss) => loss.startsWith(`${name}: `))

function namedOfSite({ name, lost }: Field): Pair {
  return [true, lost.ofSite.some((loss) => loss.includes(`posts.${name} `))]
}

const instant = (value: unknown) => (value ? new Date(String(value)).toISOString() : undefined)

const person = ({ name, website }: Author) => ({ '@type': 'Person', name, ...(website && { url: website }) })

const names = (tags: unknown) => (tags as Tag[]).map(({ name }) => name)

function imageOf({ image }: Record<string, unknown>): { url?: string; caption?: string } {
  return typeof image === 'string' ? { url: image } : ((image ?? {}) as object)
}

/** Classes that need Ghost's scripts and styles. */
const CONTROLS =
  /^kg-(?:(?:audio|video)-(?:player|overlay|hide)|file-card-(?:icon|metadata)|product-card-rating|card kg-signup-card)/
const OWN_WORDS = new Set(['CTA Image', 'Download', 'audio-thumbnail'])
/** Elements that are never in a body, and have to be named. */
const NAMED = /^(?:form|iframe|input|script)$/

/** Words, pictures and media with their texts, and links, without members-only parts. */
function partsOf(html: string): string[] {
  const open = html.replace(/<!--kg-gated-block:begin nonMember:false.*?kg-gated-block:end-->/gs, '')
  const parts: string[] = []
  let [depth, hidden] = [0, Number.POSITIVE_INFINITY]
  const parser = new Parser({
    onopentag(name, { class: classes = '', src, href, alt, title, width, height }) {
      depth += 1
      if (depth < hidden && NAMED.test(name)) parts.push(`<${name}>`)
      if (depth < hidden && classes.includes('kg-signup-card')) parts.push('a form')
      if (/^(?:iframe|script|svg)$/.test(name) || CONTROLS.test(classes)) hidden = Math.min(hidden, depth)
      if (depth >= hidden) return
      const size = width && height && `${width}x${height}`
      for (const part of [src, href, alt, title, size])
        if (part && !part.startsWith('#fn') && !OWN_WORDS.has(part)) parts.push(part)
    },
    ontext(text) {
      if (depth < hidden) parts.push(...(text.match(/\p{L}[\p{L}\p{M}]*|\p{N}+/gu) ?? []))
    },
    onclosetag() {
      if (depth === hidden) hidden = Number.POSITIVE_INFINITY
      depth -= 1
    },
  })
  parser.end(open)
  return parts
}
