/** Puts the articles of a source, of whatever size: what it holds at a time is a batch that is put and one that is read. */
import type { ArticleKind } from '../../foundation/article-filters.ts'
import type { SiteAddress } from '../../foundation/urls.ts'
import { BATCH } from '../batches.ts'
import type { Api } from '../client.ts'
import type { Result } from '../command.ts'
import { Failure } from '../failure.ts'
import type { Io } from '../io.ts'
import { progress } from '../output.ts'
import { asGuide } from './as-guide.ts'
import { type Places, withNewAddresses } from './links.ts'
import { type Item, putItems } from './put.ts'
import { openRedirects } from './redirects.ts'
import { openReport, type Report } from './report.ts'
import type { Article, Found, Skipped, Source } from './source.ts'
import { openTranslations } from './translations.ts'

export type LoadedSite = SiteAddress & { id: string }

/** Puts everything that `source` has into a site, or with `dryRun` nothing, and says the same. */
export async function loadSource(
  io: Io,
  api: Api,
  site: LoadedSite,
  source: Source,
  { places, dryRun }: { places: Places; dryRun: boolean },
): Promise<Result> {
  const report = await openReport({ dryRun })
  const shown = progress(io, dryRun ? 'Checking' : 'Importing', source.total)
  const redirects = await openRedirects(site, report)
  const skip = (one: Skipped) => {
    report.skip(one)
    redirects.drop(one.file)
  }
  const send = dryRun ? await checker(report, skip) : putter(api, site.id, report, skip)
  const batches = batchesOf(send, () => shown.at(report.done()))
  try {
    for await (const found of inOrder(source, places, report, redirects)) await batches.add(found)
    await batches.end()
    if (redirects.found())
      report.add({ redirects: dryRun ? await redirects.count() : await redirects.put(api) })
    if (source.rest) report.add(await source.rest())
    return report.result()
  } catch (error) {
    await batches.settled()
    await report.close()
    throw dryRun ? error : afterSome(error as Error, report.putSoFar(), source.total)
  } finally {
    await redirects.close()
    shown.end()
  }
}

/** The articles as they are put, translations last; skipped ones and losses go to the report. */
async function* inOrder(
  source: Source,
  places: Places,
  report: Report,
  redirects: Awaited<ReturnType<typeof openRedirects>>,
): AsyncIterable<Found> {
  const taken = new Map<string, string>()
  await using translations = await openTranslations()
  for await (const entry of source.read()) {
    if ('skipped' in entry) report.skip(entry.skipped)
    else if ('loss' in entry) await report.lose(entry.loss)
    else if ('redirect' in entry) await redirects.add(entry.redirect)
    else {
      const { file, kind, article } = entry.found
      // As the service stores it.
      const slug = String(article.slug).normalize('NFC')
      const rival = taken.get(`${kind} ${slug}`)
      if (rival !== undefined) {
        report.skip({ file, reason: `the slug ${slug} is taken by ${rival}` })
        continue
      }
      taken.set(`${kind} ${slug}`, file)
      await redirects.addAddressesOf(entry.found)
      const found = await finished(entry.found, source, places, report)
      if (found.kind === 'posts' && found.article.sourceSlug) await translations.add(found)
      else yield found
    }
  }
  yield* translations.inOrder()
}

async function finished(found: Found, source: Source, places: Places, report: Report): Promise<Found> {
  const kept = found.kind === 'guides' ? await asGuide(found, places.site, report) : found
  if (found.exported) return kept
  return { ...kept, article: await withNewAddresses(kept, source, places, report) }
}

type Send = (kind: ArticleKind, items: Item[]) => Promise<void>

/** While a batch is sent, the next one is filled. */
function batchesOf(send: Send, onSent: () => void) {
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
    // Whoever waits for it is told.
    sending.catch(() => {})
  }

  return {
    async add({ file, kind, article, id }: Found): Promise<void> {
      const bytes = Buffer.byteLength(JSON.stringify(article)) + 1
      if (open[kind].items.length >= BATCH.count || open[kind].bytes + bytes > BATCH.bytes) await flush(kind)
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

function putter(api: Api, site: string, report: Report, skip: (one: Skipped) => void): Send {
  return async (kind, items) => {
    const { outcomes, refused } = await putItems(api, kind, site, items)
    report.put(outcomes)
    for (const one of refused) skip(one)
  }
}

async function checker(report: Report, skip: (one: Skipped) => void): Promise<Send> {
  // The schemas bring half of the service with them.
  const { problemOf } = await import('./check.ts')
  return async (kind, items) => {
    for (const { file, article } of items) {
      const reason = problemOf(kind, article as Article)
      if (reason === null) report.put([{ outcome: 'created' }])
      else skip({ file, reason })
    }
  }
}

function afterSome(error: Error, done: number, total: number | null): Failure {
  const all = total === null ? '' : ` of ${total}`
  return new Failure(`${error.message} (${done}${all} were put before; the same command goes on from there)`)
}
