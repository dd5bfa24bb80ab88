/** Streams a site in the format of the `export` command. Memory holds a few pages of the change feed. */
import type { Api } from '../../../src/transfer/api.ts'
import { changePages } from '../../../src/transfer/changes.ts'
import { exportLines } from '../../../src/transfer/export.ts'
import { toBytes } from '../../http/stream.ts'

/** Small, because a Worker has 128 MB and a body up to 8 MiB. */
const ARTICLES_A_PAGE = 50
/** A failure before this many bytes still gets an error page. A later one breaks off the download. */
const HEAD_BYTES = 64 * 1024

export async function exportStream(api: Api, siteId: string) {
  const site = await api('GET /sites/{siteId}', [siteId])
  return toBytes(
    linesOf(exportLines(api, site, { changes: changesOf(api, siteId), repeats: true })),
    HEAD_BYTES,
  )
}

async function* changesOf(api: Api, siteId: string) {
  for await (const { items } of changePages(api, siteId, null, ARTICLES_A_PAGE)) yield* items
}

async function* linesOf(lines: AsyncIterable<object>) {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}
