/** Imports an uploaded file in a Worker, or checks it. Loaded on demand, since importers are large. */
import type { Api } from '../../transfer/api.ts'
import { Failure } from '../../transfer/failure.ts'
import { loadSource } from '../../transfer/load.ts'
import type { Put } from '../../transfer/report.ts'
import type { LoadedSite, Source } from '../../transfer/source.ts'
import { openMemory } from '../../transfer/spool.ts'
import { withNewAddresses } from '../import/links.ts'
import { type Overview, openReport } from '../import/report.ts'
import { type Checkpoints, TurnEnded } from './convert-in-turns.ts'
import { type Upload, type UploadOptions, uploadedSource } from './source.ts'

/** A batch takes ten times its size, and a Worker has 128 MB. */
const BATCH_BYTES = 2 ** 20
/** A turn takes half a millisecond of CPU for each, of the 30 s that Workers give. */
const MAX_ARTICLES = 20_000
/** Articles between two progress updates. */
const NOTED_EVERY = 25
const MAX_LISTED = 500
/** Images keep their addresses. */
const NO_MEDIA = { base: null, takesForeign: false, dir: null }

type Listed = Pick<Put, 'file' | 'kind' | 'slug' | 'outcome' | 'title' | 'status'>

/** A check lists the first articles, and counts those that will be published. Older reports count no guides. */
export type ImportReport = Overview & { articles: Listed[]; published: number; guides?: number }

/** `total` is null while unknown. */
type Note = (done: number, total: number | null) => Promise<void>

/** Returns null if the next turn continues. @throws Failure; any error of `note` */
export async function loadUpload(
  api: Api,
  site: LoadedSite,
  upload: Upload,
  { sendEvents, ...options }: UploadOptions & { sendEvents: boolean },
  kept: Checkpoints,
  note: Note,
): Promise<ImportReport | null> {
  const { dryRun } = options
  const source = await uploadedSource(api, site, upload, options, kept).catch((error) => {
    if (error instanceof TurnEnded) return null
    throw error
  })
  if (!source) return null
  try {
    const report = await openReport({ dryRun, openSpool: openMemory })
    const articles: Listed[] = []
    let published = 0
    let guides = 0
    const put: typeof report.put = (outcomes) => {
      report.put(outcomes)
      guides += outcomes.filter(({ kind }) => kind === 'guides').length
      if (!dryRun) return
      for (const { isUndated: _, ...one } of outcomes) {
        if (one.status === 'published') published += 1
        if (articles.length < MAX_LISTED) articles.push(one)
      }
    }
    const target = { site, base: `https://${site.domain}`, media: NO_MEDIA }
    // The check of Markdown is quick, since all is converted.
    const isQuick = dryRun && upload.source === 'markdown'
    const noteAll: Note = (_, total) => note(total ?? 0, total)
    await loadSource(api, site, withProgress(upload.name, source, isQuick ? noteAll : note), {
      report: { ...report, put },
      openSpool: openMemory,
      readdress: (article, from) => withNewAddresses(article, from, target, report),
      sendEvents,
      dryRun,
      batchBytes: BATCH_BYTES,
      onDone: () => {},
    })
    return { ...report.overview(), articles, published, guides }
  } finally {
    await source.close?.()
  }
}

/** @throws Failure for too many articles */
function withProgress(name: string, source: Source, note: Note): Source {
  return {
    ...source,
    async *read() {
      let done = 0
      for await (const entry of source.read()) {
        if ('found' in entry || 'skipped' in entry) {
          if (done % NOTED_EVERY === 0) await note(done, source.total)
          if (Math.max(++done, source.total ?? 0) > MAX_ARTICLES)
            throw new Failure(`${name} has more than ${MAX_ARTICLES.toLocaleString('en')} articles`)
        }
        yield entry
      }
    },
  }
}
