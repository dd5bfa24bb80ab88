/** Loads a source of any size: memory holds one batch being sent and one being read. */
import type { ArticleKind } from '../content/model/article-filters.ts'
import type { Api } from './api.ts'
import { BATCH, byteLength } from './batches.ts'
import { Failure } from './failure.ts'
import { type Matcher, openMatcher } from './identity.ts'
import { type DeleteMissing, settleMissing } from './missing.ts'
import { countUnsent, type Item, putItems, type Unsent } from './put.ts'
import { openQueue } from './queue.ts'
import { openRedirects } from './redirects.ts'
import type { Report } from './report.ts'
import type { Article, LoadedSite, PlacedRedirect, Skipped, Source, SourceArticle } from './source.ts'
import type { OpenSpool } from './spool.ts'
import { openTranslations } from './translations.ts'

export type LoadOptions = {
  report: Report
  openSpool: OpenSpool
  /** Rewrites the addresses in an article, unless it comes from an export. */
  readdress?: (found: SourceArticle, source: Source) => Promise<Article>
  deleteMissing?: DeleteMissing | undefined
  /** If false, webhook events are only counted. */
  sendEvents: boolean
  dryRun: boolean
  onDone: (done: number) => void
  /** The largest batch; by default the API's. */
  batchBytes?: number
}

export async function loadSource(
  api: Api,
  site: LoadedSite,
  source: Source,
  options: LoadOptions,
): Promise<void> {
  const { report, openSpool, deleteMissing, sendEvents, dryRun, onDone, batchBytes } = options
  const redirects = await openRedirects(site, report, openSpool)
  const skip = (one: Skipped) => {
    report.skip(one)
    redirects.drop(one.file)
  }
  const unsent = sendEvents ? null : countUnsent()
  try {
    const matcher = await openMatcher(api, site.id, source, report, dryRun)
    const send = dryRun ? await checker(report, skip, matcher) : putter(api, site.id, report, skip, unsent)
    const batches = batchesOf(send, () => onDone(report.done()), batchBytes)
    try {
      const all = inOrder(source, matcher, site, { ...options, redirects })
      for await (const found of all) await batches.add(found)
      await batches.end()
    } catch (error) {
      await batches.settled()
      throw error
    }
    if (matcher.renamed() > 0) report.add({ renamed: matcher.renamed() })
    const isPartial = source.origins?.isPartial ?? false
    await settleMissing(api, site.id, matcher.missing(), report, {
      dryRun,
      deleteMissing,
      isPartial,
      unsent,
    })
    if (unsent && unsent.count() > 0) report.add({ eventsNotSent: unsent.count() })
    if (redirects.found())
      report.add({ redirects: dryRun ? await redirects.count() : await redirects.put(api) })
    if (source.rest) report.add(await source.rest())
  } catch (error) {
    throw dryRun ? error : afterSome(error as Error, report.putSoFar(), source.total)
  } finally {
    await redirects.close()
  }
}

type Redirects = Awaited<ReturnType<typeof openRedirects>>

type InOrder = Pick<LoadOptions, 'report' | 'openSpool' | 'readdress'> & { redirects: Redirects }

/** Yields the articles ready to put, translations last. */
async function* inOrder(
  source: Source,
  matcher: Matcher,
  site: LoadedSite,
  options: InOrder,
): AsyncIterable<SourceArticle> {
  const { report, openSpool, readdress, redirects } = options
  await using translations = await openTranslations(openSpool)
  const target: Source['target'] = (address, file) => {
    const to = source.target(address, file)
    return to && { ...to, slug: matcher.currentSlug(to) }
  }
  for await (const found of assignSlugs(source, matcher, options)) {
    await redirects.addAddressesOf(found)
    const kept = found.kind === 'guides' ? await guideOf(found, site, report) : found
    const isAsWritten = found.exported || !readdress
    const article = isAsWritten ? kept.article : await readdress(kept, { ...source, target })
    const whole = { ...kept, article }
    if (whole.kind === 'posts' && whole.article.sourceSlug) await translations.add(whole)
    else yield whole
  }
  yield* translations.inOrder()
}

/** Yields the articles with their slugs on this site; those that wait for a slug come last. */
async function* assignSlugs(
  source: Source,
  matcher: Matcher,
  { report, openSpool, redirects }: InOrder,
): AsyncIterable<SourceArticle> {
  await using waiting = await openQueue<SourceArticle>(openSpool)
  const taken = new Map<string, string>()
  async function* assign(found: SourceArticle, isLast = false): AsyncIterable<SourceArticle> {
    const { file, kind, article } = found
    const to = await matcher.assignSlug(found, isLast)
    if (to === 'waits') await waiting.add(found)
    else if ('refused' in to) report.skip({ file, reason: to.refused })
    else {
      const rival = taken.get(`${kind} ${to.slug}`)
      if (rival !== undefined) report.skip({ file, reason: `the slug ${article.slug} is taken by ${rival}` })
      else {
        taken.set(`${kind} ${to.slug}`, file)
        yield { ...found, article: withOrigin(found, matcher, to.slug) }
      }
    }
  }
  for await (const entry of source.read()) {
    if ('skipped' in entry) report.skip(entry.skipped)
    else if ('loss' in entry) await report.lose(entry.loss)
    else if ('redirect' in entry) await redirects.add(followRename(entry.redirect, matcher))
    else {
      const { article } = entry.found
      // The service stores slugs in this form.
      const slug = String(article.slug).normalize('NFC')
      yield* assign({ ...entry.found, article: { ...article, slug } })
    }
  }
  for (let before = Number.POSITIVE_INFINITY; waiting.size() > 0; ) {
    const isLast = waiting.size() === before
    before = waiting.size()
    for await (const found of waiting.take()) yield* assign(found, isLast)
  }
}

/** Follows renames of the redirect's target on this site. */
function followRename({ file, redirect }: PlacedRedirect, { currentSlug }: Matcher): PlacedRedirect {
  const { resource, slug } = redirect
  if (resource === undefined || slug === undefined) return { file, redirect }
  const kind = resource === 'post' ? 'posts' : 'guides'
  return { file, redirect: { ...redirect, slug: currentSlug({ kind, slug }) } }
}

function withOrigin(
  { kind, article, origin, exported }: SourceArticle,
  matcher: Matcher,
  slug: string,
): Article {
  const { sourceSlug } = article
  return {
    ...article,
    slug,
    ...(sourceSlug && !exported && { sourceSlug: matcher.currentSlug({ kind, slug: sourceSlug }) }),
    ...(origin !== undefined && { originId: origin, ...(!exported && { originSlug: article.slug }) }),
  }
}

async function guideOf(found: SourceArticle, site: LoadedSite, report: Report): Promise<SourceArticle> {
  // Loaded on demand, since the field definitions import half of the service.
  const { asGuide } = await import('./as-guide.ts')
  return asGuide(found, site, report)
}

type Send = (kind: ArticleKind, items: Item[]) => Promise<void>

function batchesOf(send: Send, onSent: () => void, maxBytes = BATCH.bytes) {
  const open: Record<ArticleKind, { items: Item[]; bytes: number }> = {
    posts: { items: [], bytes: 0 },
    guides: { items: [], bytes: 0 },
  }
  let sending: Promise<void> = Promise.resolve()

  async function flush(kind: ArticleKind): Promise<void> {
    const { items } = open[kind]
    open[kind] = { items: [], bytes: 0 }
    await sending
    if (items.length === 0) return
    sending = send(kind, items).then(onSent)
    // Awaited later: without a handler, a rejection would count as unhandled.
    sending.catch(() => {})
  }

  return {
    async add({ file, kind, article, id }: SourceArticle): Promise<void> {
      const bytes = byteLength(JSON.stringify(article)) + 1
      if (open[kind].items.length >= BATCH.count || open[kind].bytes + bytes > maxBytes) await flush(kind)
      open[kind].items.push({ file, slug: article.slug, article, id })
      open[kind].bytes += bytes
    },
    async end(): Promise<void> {
      await flush('posts')
      await flush('guides')
      await sending
    },
    settled: () => sending.catch(() => {}),
  }
}

function putter(
  api: Api,
  site: string,
  report: Report,
  skip: (one: Skipped) => void,
  unsent: Unsent | null,
): Send {
  return async (kind, items) => {
    const { outcomes, refused } = await putItems(api, kind, site, items, unsent)
    const undated = new Set(items.filter(({ article }) => isUndated(article)).map(({ file }) => file))
    report.put(outcomes.map((one) => ({ ...one, kind, isUndated: undated.has(one.file) })))
    for (const one of refused) skip(one)
  }
}

async function checker(report: Report, skip: (one: Skipped) => void, matcher: Matcher): Promise<Send> {
  // Loaded on demand, since the schemas import half of the service.
  const { problemOf } = await import('./check.ts')
  return async (kind, items) => {
    for (const { file, slug, article } of items) {
      const problem = problemOf(kind, article as Article)
      if (problem) skip({ file, ...problem })
      else {
        const before = matcher.statusBefore(kind, slug)
        const { title, status = before ?? 'draft' } = article as Article
        const outcome = before === null ? 'created' : 'updated'
        report.put([{ file, kind, slug, outcome, isUndated: isUndated(article), title, status }])
      }
    }
  }
}

function isUndated({ status, publishedAt }: Partial<Article>): boolean {
  return status === 'published' && !publishedAt
}

function afterSome(error: Error, done: number, total: number | null): Failure {
  const all = total === null ? '' : ` of ${total}`
  const text = `${error.message} (${done}${all} were saved before; import again to continue)`
  return Object.assign(new Failure(text), { cause: error })
}
