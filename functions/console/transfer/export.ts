/** Streams a site in the format of the `export` command. */
import type { Api } from '../../../src/transfer/api.ts'
import { changePages, type StoredChange } from '../../../src/transfer/changes.ts'
import { exportLines, noteChange } from '../../../src/transfer/export.ts'

/** Reads posts and guides first, so that all lines are from one moment. */
export async function exportStream(api: Api, siteId: string): Promise<ReadableStream<Uint8Array>> {
  const site = await api('GET /sites/{siteId}', [siteId])
  const changes = new Map<string, StoredChange>()
  for await (const { items } of changePages(api, siteId, null))
    for (const change of items) noteChange(changes, change, change)
  async function* articles(resource: StoredChange['resource']) {
    for (const change of changes.values()) if (change.resource === resource) yield change
  }
  const lines = exportLines(api, site, articles)
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`))
    },
    async cancel() {
      await lines.return(undefined as never)
    },
  })
}
