/** An export of Ghost (Settings, Labs, Export) as a source of articles. */
import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Entry, Source } from '../../transfer/source.ts'
import { open } from '../files.ts'
import type { Reason } from '../import/losses.ts'
import type { StatusFlags } from '../import/status.ts'
import { addressesOf } from './addresses.ts'
import type { BodyChecks } from './body.ts'
import { type Fields, recordOf } from './cards.ts'
import { readValues } from './json-values.ts'
import { textOf } from './markup.ts'
import { toArticle } from './post.ts'
import { type OldRedirects, readRedirects } from './redirects.ts'
import { choosePosts, idOf, isPage, isPost, type Survey, surveyExport } from './survey.ts'

const FORMER = 'ghost:'
/** Unique among all Ghost sites, unlike the numeric ids from before 2017. */
const UNIQUE_ID = /^[0-9a-f]{24}$/
/** Tables and fields of posts for Ghost's internal use. */
const INTERNAL =
  /^(?:actions|api_keys|automated_|brute|client|custom_theme|integrations|invites|jobs|migrations|milestones|outbox|permissions|roles|sessions|suppressions|tokens|webhooks|.*_tokens$|refreshtokens|accesstokens)/
const INTERNAL_FIELDS = /^(?:amp|comment_id|created_at|email_recipient_filter|newsletter_id|uuid|.*_by)$/

export type GhostOptions = StatusFlags & {
  /** Name of the file in messages. */
  name: string
  /** With `none`, each page is reported as a loss. */
  pages: 'guides' | 'none'
  /** For example `https://blog.example`, since an export does not contain it. */
  oldUrl?: string
  /** For posts without one; by default the export's, if it differs from the site's by more than the region. */
  language?: string
  defaultLanguage: string
  redirects?: { path: string; name: string }
  check?: BodyChecks
}

/**
 * Reads the export once for its small parts, and again at each `read` of the source. Posts and pages come in file order,
 * named `post 12 (Title)` and `page 13 (Title)`. A post larger than 8 MiB is skipped. @throws Failure when it cannot be
 * read, or is not an export of Ghost
 */
export async function ghostFile(path: string, options: GhostOptions): Promise<Source> {
  const survey = await surveyExport(path, options.name, options.pages)
  const language = options.language ?? languageFor(options.defaultLanguage, survey.language)
  const settled = { ...options, ...(language && { language }) }
  const addresses = addressesOf(survey, settled)
  const redirects =
    options.redirects && (await readRedirects(options.redirects, pathOf(options.oldUrl), addresses.target))
  return {
    total: survey.total,
    async *read() {
      yield* redirects?.entries ?? []
      yield* readEntries(path, { survey, redirects }, settled)
    },
    origins: {
      prefix: prefixOf(survey),
      formerPrefix: FORMER,
      kinds: options.pages === 'guides' ? ['posts', 'guides'] : ['posts'],
    },
    ...addresses,
  }
}

const prefixOf = ({ site }: Survey) => (site === undefined ? FORMER : `ghost@${site}:`)

const pathOf = (url: string | undefined) => (url ? new URL(url).pathname.replace(/\/+$/, '') : '')

type Known = { survey: Survey; redirects: OldRedirects | undefined }

async function* readEntries(path: string, known: Known, options: GhostOptions): AsyncGenerator<Entry> {
  const { survey } = known
  yield* lossesOf(survey, options.name)
  await using file = await open(path)
  let index = 0
  for await (const { path: place, value } of readValues(path, options.name, choosePosts)) {
    if (!isPost(place)) continue
    const row = recordOf(value)
    const title = textOf(row.title).trim()
    const name = `${isPage(row) ? 'page' : 'post'} ${index + 1}${title && ` (${title})`}`
    const reason = survey.skipped.get(index)
    const moved = survey.moved.get(index)?.slug
    index += 1
    if (isPage(row) && options.pages === 'none') {
      yield { loss: { file: name, field: 'type', reason: 'a page: --pages guides imports it' } }
    } else if (reason === undefined)
      yield* entriesOf(row, name, metaOf(file, row, survey), known, { ...options, moved })
    else yield { skipped: { file: name, reason } }
  }
}

function entriesOf(
  row: Fields,
  file: string,
  meta: Fields,
  { survey, redirects }: Known,
  options: GhostOptions & { moved: string | undefined },
): Entry[] {
  const { oldUrl = '' } = options
  try {
    const root = oldUrl.replace(/\/+$/, '')
    const { article, lost } = toArticle(row, meta, survey, { ...options, root })
    const kind = isPage(row) ? 'guides' : 'posts'
    const path = root && `${pathOf(root)}/${textOf(row.slug).trim()}/`
    const id = idOf(row.id)
    const origin = prefixOf(survey) + (id || `slug=${article.slug}`)
    const formerOrigin = { name: FORMER + id, isUnique: UNIQUE_ID.test(id) }
    const oldAddresses = [...(path ? [path] : []), ...(redirects?.pathsTo(kind, article.slug) ?? [])]
    const found = { file, kind, article, origin, ...(id && { formerOrigin }), oldAddresses } as const
    return [{ found }, ...lost.map((loss) => ({ loss: { file, ...loss } }))]
  } catch (error) {
    return [{ skipped: { file, reason: (error as Error).message } }]
  }
}

function metaOf(file: FileHandle, row: Fields, survey: Survey): Fields {
  const place = survey.metaOf(idOf(row.id))
  if (!place) return {}
  const bytes = Buffer.allocUnsafe(place.size)
  readSync(file.fd, bytes, 0, place.size, place.offset)
  return recordOf(JSON.parse(bytes.toString()))
}

/** A locale such as `en` adds nothing to the site's `en-US`. */
function languageFor(own: string, language: string | undefined): string | undefined {
  const primary = (tag: string | undefined) => tag?.split('-')[0]?.toLowerCase()
  return primary(own) === primary(language) ? own : language
}

function lossesOf(survey: Survey, file: string): Entry[] {
  const { unread, unreadFields, profiles, describedTags, locale, language } = survey
  const tables = [...unread].sort(([a], [b]) => (a < b ? -1 : 1))
  const named = tables.filter(([table]) => !INTERNAL.test(table))
  const fields = [...unreadFields].sort(([a], [b]) => (a < b ? -1 : 1))
  const internal = [
    ...tables.filter(([table]) => INTERNAL.test(table)),
    ...fields
      .filter(([field]) => INTERNAL_FIELDS.test(field))
      .map(([field, rows]) => [`posts.${field}`, rows]),
  ].map(([name, rows]) => `${name} (${rows})`)
  const losses: { field: string; reason: Reason; detail: string }[] = [
    ...named,
    ...fields
      .filter(([field]) => !INTERNAL_FIELDS.test(field))
      .map(([field, rows]) => [`posts.${field}`, rows]),
  ].map(([field, rows]) => ({ field: String(field), reason: 'not imported', detail: String(rows) }))
  if (profiles > 0)
    losses.push({
      field: 'users',
      reason: 'only names and websites are imported',
      detail: String(profiles),
    })
  if (describedTags > 0) {
    losses.push({ field: 'tags', reason: 'only names are imported', detail: String(describedTags) })
  }
  if (locale !== undefined && language === undefined) {
    losses.push({ field: 'settings.locale', reason: 'not a language code', detail: JSON.stringify(locale) })
  }
  if (internal.length > 0)
    losses.push({
      field: 'data',
      reason: "Ghost's internal records are left out",
      detail: internal.join(', '),
    })
  return losses.map((loss) => ({ loss: { file, ...loss } }))
}
