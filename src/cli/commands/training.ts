import { MAX_TRAINING_ROWS } from '../../core/limits.ts'
import type { Api } from '../../transfer/api.ts'
import { inBatches } from '../../transfer/batches.ts'
import { Failure, relocated } from '../../transfer/failure.ts'
import type { Spool } from '../../transfer/spool.ts'
import { limitFlag, type Noun } from '../command.ts'
import { openSpool } from '../import/spool.ts'
import type { Io } from '../io.ts'
import type { JsonObject } from '../json-file.ts'
import { objectsOf } from '../ndjson.ts'
import { progress } from '../output.ts'
import { call, listed } from './calls.ts'

const SHOWN_LENGTH = 60

type Line = { line: number; object: JsonObject }

export const TRAINING: Noun = {
  name: 'training',
  description: 'training rows of a site',
  verbs: [
    {
      usage: 'add <site> <file.ndjson>',
      description: 'add training rows, one JSON object per line',
      async work(io, api, [site = '', file = '']) {
        const added = await addRows(io, api, site, file)
        return { json: { added }, text: `${added} rows added` }
      },
    },
    listed({
      usage: 'list <site>',
      description: 'list training rows, oldest first, including those opted out',
      flags: [limitFlag()],
      route: 'GET /sites/{siteId}/training-rows',
      columns: {
        created: (row) => row.createdAt,
        row: (row) => row.id,
        'opted in': (row) => (row.optIn ? 'yes' : 'no'),
        post: (row) => row.postSlug,
        prompt: (row) => row.prompt.slice(0, SHOWN_LENGTH),
      },
      none: 'No training rows yet',
    }),
    call({
      usage: 'opt-in <site> <row>',
      description: 'include a row in exports',
      route: 'PUT /sites/{siteId}/training-rows/{rowId}/opt-in',
      text: (_, [, id]) => `${id} is included in exports`,
    }),
    call({
      usage: 'opt-out <site> <row>',
      description: 'exclude a row from exports',
      route: 'DELETE /sites/{siteId}/training-rows/{rowId}/opt-in',
      text: (_, [, id]) => `${id} is excluded from exports`,
    }),
    call({
      usage: 'remove <site> <row>',
      description: 'delete a row',
      route: 'DELETE /sites/{siteId}/training-rows/{rowId}',
      json: (_, [, id]) => ({ removed: id }),
      text: (_, [, id]) => `Removed ${id}`,
    }),
  ],
}

/** All lines must be objects before any is added. They wait in a temporary file, since `file` may be a pipe. */
async function addRows(io: Io, api: Api, site: string, file: string): Promise<number> {
  const spool = await openSpool()
  try {
    let total = 0
    for await (const row of objectsOf(io, file)) {
      await spool.append(JSON.stringify(row))
      total += 1
    }
    return await addSpooled(io, api, site, spool, total)
  } finally {
    await spool.close()
  }
}

async function addSpooled(io: Io, api: Api, site: string, spool: Spool, total: number): Promise<number> {
  const shown = progress(io, 'Adding rows', total)
  let added = 0
  try {
    for await (const batch of inBatches(linesOf(spool), MAX_TRAINING_ROWS, ({ object }) => object)) {
      try {
        const body = { rows: batch.map(({ object }) => object) }
        added += (await api('POST /sites/{siteId}/training-rows', [site], { body })).added
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const line = (_: string, at: string) => `line ${batch[Number(at)]?.line ?? at}`
        const before =
          added > 0 ? ` (${added} of ${total} rows were added before; do not add them again)` : ''
        const { message, status } = relocated(error, (path) => path.replace(/^rows\[(\d+)\]/, line))
        throw new Failure(message + before, status)
      }
      shown.at(added)
    }
  } finally {
    shown.end()
  }
  return added
}

async function* linesOf(spool: Spool): AsyncGenerator<Line> {
  for await (const text of spool.lines()) yield JSON.parse(text)
}
