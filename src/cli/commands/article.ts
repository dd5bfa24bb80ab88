import { Option } from 'commander'
import {
  type ArticleKind,
  FILTER_VALUES,
  type FiltersOf,
  LISTS,
} from '../../content/model/article-filters.ts'
import type { Api } from '../../transfer/api.ts'
import { inBatches, sourcesFirst } from '../../transfer/batches.ts'
import { Failure, relocated } from '../../transfer/failure.ts'
import type { Answer, Schemas } from '../../transfer/routes.ts'
import { limitFlag, type Noun, type Result, type Verb } from '../command.ts'
import type { Io } from '../io.ts'
import { type JsonObject, readObjects } from '../json-file.ts'
import { fieldLines, progress, table } from '../output.ts'
import { call, listed } from './calls.ts'
import { cancelled, EDITORIAL_VERBS } from './editorial.ts'
import { PREVIEW_LINK_VERBS } from './preview-link.ts'

type Outcome = Schemas['PutResult']

const filtersOf = (kind: ArticleKind) => [limitFlag(), ...LISTS.management[kind].map(filterFlag)]

type Flag = { flag: string; help: string; values?: readonly string[] }

const FLAGS: Record<FiltersOf<'management', ArticleKind>, Flag> = {
  search: { flag: '--search <text>', help: 'only titles that contain this text' },
  status: { flag: '--status <status>', help: 'only with this status', values: FILTER_VALUES.status },
  ready: { flag: '--ready', help: 'only drafts that are marked ready' },
  language: { flag: '--language <language>', help: 'only this language, for example en' },
}

function filterFlag(name: FiltersOf<'management', ArticleKind>): Option {
  const { flag, help, values } = FLAGS[name]
  const option = new Option(flag, help)
  return values ? option.choices(values) : option
}

const COLUMNS = {
  slug: (one: Schemas['ListedPost'] | Schemas['ListedGuide']) => one.slug,
  title: (one: Schemas['ListedPost'] | Schemas['ListedGuide']) => one.title,
  status: (one: Schemas['ListedPost'] | Schemas['ListedGuide']) => one.status,
  updated: (one: Schemas['ListedPost'] | Schemas['ListedGuide']) => one.updatedAt,
}

export const POST: Noun = {
  name: 'post',
  description: 'posts of a site',
  verbs: [
    listed({
      usage: 'list <site>',
      description: 'list posts, drafts included, last changed first',
      flags: filtersOf('posts'),
      route: 'GET /sites/{siteId}/posts',
      columns: { ...COLUMNS, language: (post) => post.language, band: (post) => post.qualityBand },
      none: 'No posts yet',
      noSuch: 'No such posts',
    }),
    ...verbsOf('posts', 'post').filter(({ usage }) => !EDITORIAL_VERBS.some((verb) => verb.usage === usage)),
    ...EDITORIAL_VERBS,
    call({
      usage: 'ready <site> <slug>',
      description: 'mark a draft as ready and send article.ready',
      route: 'PUT /sites/{siteId}/posts/{slug}/readiness',
      text: (readiness) => `${readiness.slug} ${describe(readiness)}`,
    }),
    ...PREVIEW_LINK_VERBS,
  ],
}

export const GUIDE: Noun = {
  name: 'guide',
  description: 'guides of a site',
  verbs: [
    listed({
      usage: 'list <site>',
      description: 'list guides, drafts included, last changed first',
      flags: filtersOf('guides'),
      route: 'GET /sites/{siteId}/guides',
      columns: COLUMNS,
      none: 'No guides yet',
      noSuch: 'No such guides',
    }),
    ...verbsOf('guides', 'guide'),
  ],
}

function verbsOf(kind: ArticleKind, one: string): Verb[] {
  return [
    call({
      usage: 'get <site> <slug>',
      description: `show a ${one} with all its fields`,
      route: `GET /sites/{siteId}/${kind}/{slug}`,
      text: toArticleText,
    }),
    {
      usage: 'put <site> <file.json>',
      description: `create or update ${kind} by slug, from an object or an array`,
      work: (io, api, [site = '', file = '']) => putFile(io, api, kind, site, file),
    },
    call({
      usage: 'publish <site> <slug>',
      description: `publish a ${one}`,
      route: `PUT /sites/{siteId}/${kind}/{slug}/publication`,
      text: ({ slug, publishedAt }) => `Published ${slug} (published at ${publishedAt})`,
    }),
    call({
      usage: 'unpublish <site> <slug>',
      description: `turn a ${one} back into a draft`,
      route: `DELETE /sites/{siteId}/${kind}/{slug}/publication`,
      text: (post) => `Unpublished ${post.slug}${cancelled(post)}`,
    }),
    {
      usage: 'rename <site> <slug> <new-slug>',
      description: `change the slug of a ${one}`,
      async work(_io, api, [site = '', slug = '', newSlug]) {
        const body = { slug: newSlug }
        const state = await api(`PUT /sites/{siteId}/${kind}/{slug}/slug`, [site, slug], { body })
        return { json: state, text: `Renamed ${slug} to ${state.slug}` }
      },
    },
    call({
      usage: 'delete <site> <slug>',
      description: `delete a ${one}`,
      route: `DELETE /sites/{siteId}/${kind}/{slug}`,
      json: (_, [, slug]) => ({ deleted: slug }),
      text: (_, [, slug]) => `Deleted ${slug}`,
    }),
  ]
}

/** `post` or `guide` is the body of a put. */
function toArticleText(read: Answer<`GET /sites/{siteId}/${ArticleKind}/{slug}`>): string {
  const { post, guide, ...rest }: { post?: object; guide?: object } = read
  const { contentHtml, ...fields }: JsonObject = { ...(post ?? guide) }
  return `${fieldLines({ ...rest, ...shown(fields) })}\n\n${contentHtml}`
}

function shown(fields: Record<string, unknown>) {
  const text = (value: unknown) => (typeof value === 'object' && value ? JSON.stringify(value) : value)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, text(value)]))
}

function describe({ alreadyReady, eventId }: Schemas['Readiness']): string {
  if (alreadyReady) return 'is already marked as ready: nothing changed, and no event was sent'
  return eventId
    ? `is ready: event ${eventId} is being sent`
    : 'is ready: no event was sent, since no webhook is set'
}

function countOutcomes(outcomes: Outcome[]) {
  const count = (outcome: string) => outcomes.filter((one) => one.outcome === outcome).length
  return { created: count('created'), updated: count('updated'), unchanged: count('unchanged') }
}

async function putFile(io: Io, api: Api, kind: ArticleKind, site: string, file: string): Promise<Result> {
  const objects = (await readObjects(io, file)).map((article, index) => ({ article, index }))
  const items: Outcome[] = []
  const shown = progress(io, `Saving ${kind}`, objects.length)
  try {
    for await (const batch of inBatches(
      sourcesFirst(objects, ({ article }) => article),
      undefined,
      ({ article }) => article,
    )) {
      items.push(...(await putBatch(api, kind, site, batch)))
      shown.at(items.length)
    }
  } catch (error) {
    throw items.length === 0 ? error : afterSome(error as Error, items.length, objects.length)
  } finally {
    shown.end()
  }
  const counts = countOutcomes(items)
  const columns = {
    slug: (item: Outcome) => item.slug,
    outcome: (item: Outcome) => item.outcome,
    status: (item: Outcome) => item.status,
    ...(items.some((item) => item.cancelledSchedule) && {
      'cancelled schedule': (item: Outcome) => item.cancelledSchedule ?? null,
    }),
  }
  const sum = `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged`
  return { json: { ...counts, items }, text: `${table(items, columns, `No ${kind} in ${file}`)}\n${sum}` }
}

async function putBatch(
  api: Api,
  kind: ArticleKind,
  site: string,
  batch: { article: JsonObject; index: number }[],
) {
  try {
    const body = { [kind]: batch.map(({ article }) => article) }
    return (await api(`PUT /sites/{siteId}/${kind}`, [site], { body })).items
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // Translates the API's index in the batch to the index in the file.
    const inFile = (_: string, at: string) => `${kind}[${batch[Number(at)]?.index ?? at}]`
    throw relocated(error, (path) => path.replace(/^\w+\[(\d+)\]/, inFile))
  }
}

function afterSome(error: Error, done: number, total: number): Failure {
  return new Failure(`${error.message} (${done} of ${total} were saved before)`)
}
