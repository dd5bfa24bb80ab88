/** The first reading of an export: all that is small, and where the rest is. */
import { createHash } from 'node:crypto'
import type { ArticleKind } from '../../content/model/article-filters.ts'
import { Failure } from '../../transfer/failure.ts'
import { freeSlug, toSlug } from '../../transfer/slug.ts'
import { isLanguage, languageTag } from '../convert/languages.ts'
import { type Fields, recordOf } from './cards.ts'
import type { Choice, Path } from './json-scanner.ts'
import { type JsonValue, readValues } from './json-values.ts'
import { textOf } from './markup.ts'
import { numbering, relation } from './relations.ts'

const words = (text: string) => new Set(text.trim().split(/\s+/))

/** What is read of a post and its row of `posts_meta`, or made of what is read. */
const READ = words(`
  author_id canonical_url codeinjection_foot codeinjection_head custom_excerpt custom_template email_only email_subject
  feature_image feature_image_alt feature_image_caption featured frontmatter html id image lexical locale markdown
  meta_description meta_title mobiledoc og_description og_image og_title page plaintext post_id published_at
  show_title_and_feature_image slug status title twitter_description twitter_image twitter_title type updated_at visibility
`)
/** What a tag has that is no more than a name. */
const OF_NAMED_TAG = words('created_at created_by hidden id name slug updated_at updated_by uuid visibility')

type Row = Fields
type Tag = { name: string; isInternal: boolean }
export type User = { name: string; website: string }
type ReadRow = (row: Row, value: JsonValue) => void
type Place = { offset: number; size: number }
type Moved = { kind: ArticleKind; written: string; slug: string; language: string | undefined }

export type Survey = {
  /** How many posts, and pages if they are wanted, there are. */
  total: number
  /** Why a post is not taken over, by its index. */
  skipped: Map<number, string>
  /** The slugs that the import gives, with the language of the post where it has one of its own. */
  slugs: Record<ArticleKind, Map<string, string | undefined>>
  /** Those whose own slug another has, by their index. */
  moved: Map<number, Moved>
  /** The slug here of one that Ghost calls `written`. */
  slugHere(kind: ArticleKind, written: string): string | null
  /** What tells its Ghost from others; undefined where the export does not say. */
  site: string | undefined
  /** The site's, and the language that it names. */
  locale: string | undefined
  language: string | undefined
  /** In the order in which the post has them. */
  tagsOf(postId: string): Tag[]
  authorsOf(postId: string): User[]
  userById(id: string): User | undefined
  /** Where the row of `posts_meta` is. */
  metaOf(postId: string): Place | undefined
  /** How many users there are, and how many tags that have more than a name. */
  profiles: number
  describedTags: number
  /** How many rows each other table has, and how many posts say something in each other field. */
  unread: Map<string, number>
  unreadFields: Map<string, number>
}

/** Reads the file once. Throws a Failure that names it as `name` if it is not an export of Ghost. */
export async function surveyExport(path: string, name: string, pages: 'guides' | 'none'): Promise<Survey> {
  const [posts, tagNumbers, userNumbers] = [numbering(), numbering(), numbering()]
  const tags = new Map<number, Tag>()
  const users = new Map<number, User>()
  const tagsOf = relation()
  const authorsOf = relation()
  const metas: { offsets: number[]; sizes: number[] } = { offsets: [], sizes: [] }
  const renamed = new Map<string, string>()
  const survey: Survey = {
    total: 0,
    skipped: new Map(),
    slugs: { posts: new Map(), guides: new Map() },
    moved: new Map(),
    slugHere: (kind, written) => renamed.get(`${kind} ${written}`) ?? toSlug(written),
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
  const readers = new Map<string | number | undefined, ReadRow>(
    Object.entries<ReadRow>({
      posts: (row, { value }) => {
        const isWanted = pages === 'guides' || !isPage(row)
        const reason =
          value === undefined ? 'larger than 8 MiB' : isWanted ? takeSlug(row, index, survey) : null
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
        if (Object.entries(row).some(([field, value]) => !OF_NAMED_TAG.has(field) && value)) {
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
  if (!hasPosts) throw new Failure(`${name} is not an export of Ghost: it has no db[0].data.posts`)
  for (const one of survey.moved.values()) {
    const taken = survey.slugs[one.kind]
    const wanted = one.slug
    one.slug = freeSlug(wanted, [], (slug) => taken.has(slug))
    taken.set(one.slug, one.language)
    if (one.written !== wanted) renamed.set(`${one.kind} ${one.written}`, one.slug)
  }
  return survey
}

/** Chooses the posts alone. */
export function choosePosts(path: Path): Choice {
  const inTables = inData(path)
  if (!inTables) return isAbove(path) ? 'open' : 'pass'
  return isPost(path) ? 'take' : inTables.length === 0 || inTables[0] === 'posts' ? 'open' : 'pass'
}

/** Whether a row of `posts` is at `path`. */
export function isPost(path: Path): boolean {
  const inTables = inData(path)
  return inTables?.length === 2 && inTables[0] === 'posts'
}

/** Whether a row of `posts` is a page. */
export function isPage({ type, page }: Row): boolean {
  return type === 'page' || (type === undefined && (page === 1 || page === true))
}

/** An id of Ghost, which was a number once. */
export function idOf(value: unknown): string {
  return textOf(value)
}

/** The path below the tables of the export, which stand in `db[0].data` or, as in old ones, in `data`. */
function inData(path: Path): Path | undefined {
  if (path[0] === 'data') return path.slice(1)
  return path[0] === 'db' && path[1] === 0 && path[2] === 'data' ? path.slice(3) : undefined
}

function isAbove(path: Path): boolean {
  return (
    path.length === 0 || (path[0] === 'db' && (path.length === 1 || (path.length === 2 && path[1] === 0)))
  )
}

/** Notes the slug of a post; gives the reason if it cannot come in. */
function takeSlug(row: Row, index: number, { slugs, moved }: Survey): string | null {
  const slug = toSlug(textOf(row.slug))
  if (slug === null) return `no slug can be made of ${JSON.stringify(row.slug ?? null)}`
  const kind = isPage(row) ? 'guides' : 'posts'
  const language = languageOf(textOf(row.locale))
  if (slugs[kind].has(slug)) moved.set(index, { kind, written: textOf(row.slug).trim(), slug, language })
  else slugs[kind].set(slug, language)
  return null
}

/** The language of a locale such as `de` or `pt_BR`; undefined if it is none. */
export function languageOf(locale: string): string | undefined {
  return isLanguage(locale) ? languageTag(locale) : undefined
}

/** Each Ghost has made its hash once, and keeps it to itself, since links that set a new password are signed with it. */
function digestOf(hash: string): string {
  return createHash('sha256').update(hash).digest('hex').slice(0, 16)
}

function toTag({ name, visibility }: Row): Tag {
  return { name: textOf(name), isInternal: visibility === 'internal' || textOf(name).startsWith('#') }
}

function present<Value>(values: (Value | undefined)[]): Value[] {
  return values.filter((value) => value !== undefined)
}
