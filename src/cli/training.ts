import type { Command } from 'commander'
import { inBatches } from './batches.ts'
import { path } from './client.ts'
import { verb } from './command.ts'
import { Failure, relocated } from './failure.ts'
import type { Io } from './io.ts'
import { readLines } from './json-file.ts'
import { progress } from './output.ts'

const ROWS_PER_BATCH = 500

/** Adds `training add`. */
export function addTraining(program: Command, io: Io): void {
  const noun = program.command('training').description('training rows of a site')

  verb(
    io,
    noun,
    'add <site> <file.ndjson>',
    'add training rows, one JSON object a line',
    async (api, args) => {
      const [site = '', file = ''] = args
      const rows = await readLines(io, file)
      const shown = progress(io, 'Adding rows', rows.length)
      let added = 0
      try {
        for (const batch of inBatches(rows, ROWS_PER_BATCH, ({ object }) => object)) {
          const body = { rows: batch.map(({ object }) => object) }
          try {
            added += (await api<{ added: number }>('POST', path`/sites/${site}/training-rows`, body)).added
          } catch (error) {
            if (!(error instanceof Failure)) throw error
            const line = (_: string, at: string) => `line ${batch[Number(at)]?.line ?? at}`
            const before =
              added > 0 ? ` (${added} of ${rows.length} rows were added before; do not add them again)` : ''
            const { message, status } = relocated(error, (path) => path.replace(/^rows\[(\d+)\]/, line))
            throw new Failure(message + before, status)
          }
          shown.at(added)
        }
      } finally {
        shown.end()
      }
      return { json: { added }, text: `${added} rows added` }
    },
  )
}
