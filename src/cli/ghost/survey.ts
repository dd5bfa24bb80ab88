/** The first pass over an export: collects small data, and positions of the rest. */
import { createHash } from 'node:crypto'
import type { ArticleKind } from '../../content/model/article-filters.ts'
import { Failure } from '../../transfer/failure.ts'
import { slugChooser, toSlug } from '../../transfer/slug.ts'
import { isLanguage, languageTag } from '../import/languages.ts'
import { type Fields, recordOf } from './cards.ts'
import type { Choice, Path } from './json-scanner.ts'
import { type JsonValue, readValues } from './json-values.ts'
import { textOf } from './markup.ts'
import { createIdMap, createRelation } from './relations.ts'

const words = (text: string) => new Set(text.trim().split(/\s+/))

const READ = words(`
  author_id canonical_url codeinjection_foot codeinjection_head custom_excerpt custom_template email_only email_subject
  feature_image feature_image_alt feature_image_caption featured frontmatter html id image lexical locale markdown
  meta_description meta_title mobiledoc og_description og_image og_title page plaintext post_id published_at
  show_title_and_feature_image slug status title twitter_description twitter_image twitter_title type updated_at visibility
`)
const PLAIN_TAG_FIELDS = words(
  'created_at created_by hidden id name slug updated_at updated_by uuid visibility',
)

type Row = Fields
type Tag = { name: string; isInternal: boolean }
export type User = { name: string; website: string }
type ReadRow = (row: Row, value: JsonValue) => void
type Place = { offset: number; size: number }
type Moved = { kind: ArticleKind; written: string; slug: string; language: string | undefined }

export type Survey = {
  total: number
  /** Reasons by index of the post. */
  skipped: Map<number, string>
  /** Slugs of the import, with the language of posts that have their own. */
  slugs: Record<ArticleKind, Map<string, string | undefined>>
  /** Posts whose slug another post has, by index. */
  moved: Map<number, Moved>
  /** The new slug of the post with the slug `written`. */
  newSlugOf(kind: ArticleKind, written: string): string | null
  /** Identifies the Ghost site; undefined if the export has no id. */
  site: string | undefined
  locale: string | undefined
  language: string | undefined
  tagsOf(postId: string): Tag[]
  authorsOf(postId: string): User[]
  userById(id: string): User | undefined
  metaOf(postId: string): Place | undefined
  /** Number of users with a profile, and of tags with more than a name. */
  profiles: number
  describedTags: number
  /** Number of rows by unread table, and of posts by unread field. */
  unread: Map<string, number>
  unreadFields: Map<string, number>
}

/** @throws Failure with `name` if the file is not an export of Ghost */
export async function surveyExport(path: string, name: string, pages: 'guides' | 'none'): Promise<Survey> {
  const [posts, tagNumbers, userNumbers] = [createIdMap(), createIdMap(), createIdMap()]
  const tags = new Map<number, Tag>()
  const users = new Map<number, User>()
  const tagsOf = createRelation()
  const authorsOf = createRelation()
  const metas: { offsets: number[]; sizes: number[] } = { offsets: [], sizes: [] }
  const renamed = new Map<string, string>()
  const survey: Survey = {
    total: 0,
    skipped: new Map(),
    slugs: { posts: new Map(), guides: new Map() },
    moved: new Map(),
    newSlugOf: (kind, written) => renamed.get(`${kind} ${written}`) ?? toSlug(written),
    site: undefined,
    locale: undefined,
    language: undefined,
    profiles: 0,
    describedTags: 0,
    tagsOf: (postId) => present(tagsOf.of(posts.of(postId) ?? -1).map((tag) => tags.get(tag))),
    authorsOf: (postId) => present(authorsOf.of(posts.of(postId) ?? -1).map((user) => users.get(user))),
    userById: (id) => users.get(userNumbers.of(id) ?? -1),
    metaOf: (postId) => {
      const post = posts.of(postId) ?? -1
      const [offset, size] = [metas.offsets[post], metas.sizes[post]]
      return offset && size ? { offset, size } : undefined
    },
    unread: new Map(),
    unreadFields: new Map(),
  }
  const countFields = (row: Row) => {
    for (const [field, value] of Object.entries(row))
      if (!READ.has(field) && value !== null && value !== '')
        survey.unreadFields.set(field, (survey.unreadFields.get(field) ?? 0) + 1)
  }
  let index = 0
  const firstWithId = new Map<string, number>()
  const readers = new Map<string | number | undefined, ReadRow>(
    Object.entries<ReadRow>({
      posts: (row, { value }) => {
        const isWanted = pages === 'guides' || !isPage(row)
        const reason =
          value === undefined
            ? 'larger than 8 MiB'
            : isWanted
              ? (repeatedId(idOf(row.id), index, firstWithId) ?? takeSlug(row, index, survey))
              : null
        if (reason) survey.skipped.set(index, reason)
        if (isWanted) {
          survey.total += 1
          countFields(row)
        }
        index += 1
      },
      posts_authors: (row) =>
        authorsOf.add(posts.give(idOf(row.post_id)), row.sort_order, userNumbers.give(idOf(row.author_id))),
      posts_meta: (row, { offset, size, value }) => {
        if (value === undefined) return
        countFields(row)
        const post = posts.give(idOf(row.post_id))
        metas.offsets[post] = offset
        metas.sizes[post] = size
      },
      posts_tags: (row) =>
        tagsOf.add(posts.give(idOf(row.post_id)), row.sort_order, tagNumbers.give(idOf(row.tag_id))),
      settings: ({ key, value }) => {
        if (/^(?:locale|default_locale|lang)$/.test(textOf(key)) && textOf(value)) {
          survey.locale = textOf(value)
          survey.language = languageOf(survey.locale)
        }
        if (/^db_?hash$/i.test(textOf(key)) && textOf(value)) survey.site = digestOf(textOf(value))
      },
      tags: (row) => {
        tags.set(tagNumbers.give(idOf(row.id)), toTag(row))
        if (Object.entries(row).some(([field, value]) => !PLAIN_TAG_FIELDS.has(field) && value)) {
          survey.describedTags += 1
        }
      },
      users: (row) => {
        users.set(userNumbers.give(idOf(row.id)), { name: textOf(row.name), website: textOf(row.website) })
        survey.profiles += 1
      },
    }),
  )
  let hasPosts = false
  const choose = (path: Path): Choice => {
    const inTables = inData(path)
    if (!inTables) return isAbove(path) ? 'open' : 'pass'
    const [table, ...inTable] = inTables
    if (table === 'posts') hasPosts = true
    return inTable.length === 0 ? 'open' : readers.has(table) ? 'take' : 'pass'
  }
  for await (const value of readValues(path, name, choose)) {
    const [table = '', row] = inData(value.path) ?? []
    if (row === undefined) continue
    const read = readers.get(table)
    if (read) read(recordOf(value.value), value)
    if (!read || table === 'settings')
      survey.unread.set(String(table), (survey.unread.get(String(table)) ?? 0) + 1)
  }
  if (!hasPosts) throw new Failure(`${name} is not an export of Ghost: it has no list of posts`)
  const chooserFor = (kind: ArticleKind) => slugChooser((slug) => survey.slugs[kind].has(slug))
  const chooseSlug = { posts: chooserFor('posts'), guides: chooserFor('guides') }
  for (const one of survey.moved.values()) {
    const wanted = one.slug
    one.slug = chooseSlug[one.kind](wanted)
    survey.slugs[one.kind].set(one.slug, one.language)
    if (one.written !== wanted) renamed.set(`${one.kind} ${one.written}`, one.slug)
  }
  return survey
}

export function choosePosts(path: Path): Choice {
  const inTables = inData(path)
  if (!inTables) return isAbove(path) ? 'open' : 'pass'
  return isPost(path) ? 'take' : inTables.length === 0 || inTables[0] === 'posts' ? 'open' : 'pass'
}

export function isPost(path: Path): boolean {
  const inTables = inData(path)
  return inTables?.length === 2 && inTables[0] === 'posts'
}

export function isPage({ type, page }: Row): boolean {
  return type === 'page' || (type === undefined && (page === 1 || page === true))
}

/** Old versions of Ghost have numeric ids. */
export function idOf(value: unknown): string {
  return textOf(value)
}

/** The tables are in `db[0].data`; in old exports, in `data`. */
function inData(path: Path): Path | undefined {
  if (path[0] === 'data') return path.slice(1)
  return path[0] === 'db' && path[1] === 0 && path[2] === 'data' ? path.slice(3) : undefined
}

function isAbove(path: Path): boolean {
  return (
    path.length === 0 || (path[0] === 'db' && (path.length === 1 || (path.length === 2 && path[1] === 0)))
  )
}

function repeatedId(id: string, index: number, firstWithId: Map<string, number>): string | null {
  const first = firstWithId.get(id)
  if (first !== undefined) return `it has the same id as post ${first + 1}`
  if (id) firstWithId.set(id, index)
  return null
}

function takeSlug(row: Row, index: number, { slugs, moved }: Survey): string | null {
  const slug = toSlug(textOf(row.slug))
  if (slug === null) return `no slug can be derived from ${JSON.stringify(row.slug ?? null)}`
  const kind = isPage(row) ? 'guides' : 'posts'
  const language = languageOf(textOf(row.locale))
  if (slugs[kind].has(slug)) moved.set(index, { kind, written: textOf(row.slug).trim(), slug, language })
  else slugs[kind].set(slug, language)
  return null
}

/** Undefined if a locale, such as `de` or `pt_BR`, names no language. */
export function languageOf(locale: string): string | undefined {
  return isLanguage(locale) ? languageTag(locale) : undefined
}

/** The hash is secret, since Ghost signs password links with it: only a digest leaves the file. */
function digestOf(hash: string): string {
  return createHash('sha256').update(hash).digest('hex').slice(0, 16)
}

function toTag({ name, visibility }: Row): Tag {
  return { name: textOf(name), isInternal: visibility === 'internal' || textOf(name).startsWith('#') }
}

function present<Value>(values: (Value | undefined)[]): Value[] {
  return values.filter((value) => value !== undefined)
}
