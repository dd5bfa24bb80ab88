import type { Command } from 'commander'
import { streamInBatches } from '../batches.ts'
import { type Api, listAll, path } from '../client.ts'
import { limitFlag, verb } from '../command.ts'
import { Failure, relocated } from '../failure.ts'
import { openSpool, type Spool } from '../import/spool.ts'
import type { Io } from '../io.ts'
import type { JsonObject } from '../json-file.ts'
import { objectsOf } from '../ndjson.ts'
import { list, progress } from '../output.ts'

const ROWS_PER_BATCH = 500
const SHOWN_LENGTH = 60

type Line = { line: number; object: JsonObject }

type Row = {
  id: string
  postSlug: string | null
  language: string | null
  prompt: string
  completion: string
  qualityBand: string | null
  optIn: boolean
  createdAt: string
}

/** Adds `training add|list|opt-in|opt-out|remove`. */
export function addTraining(program: Command, io: Io): void {
  const noun = program.command('training').description('training rows of a site')

  verb(
    io,
    noun,
    'add <site> <file.ndjson>',
    'add training rows, one JSON object a line',
    async (api, args) => {
      const [site = '', file = ''] = args
      const added = await addRows(io, api, site, file)
      return { json: { added }, text: `${added} rows added` }
    },
  )
  verb<{ limit?: number }>(
    io,
    noun,
    'list <site>',
    'list training rows, oldest first, those that are opted out too',
    async (api, [site = ''], { limit }) => {
      const rows = await listAll<Row>(api, path`/sites/${site}/training-rows`, limit)
      const columns = {
        created: (row: Row) => row.createdAt,
        row: (row: Row) => row.id,
        'opted in': (row: Row) => (row.optIn ? 'yes' : 'no'),
        post: (row: Row) => row.postSlug,
        prompt: (row: Row) => row.prompt.slice(0, SHOWN_LENGTH),
      }
      return list(rows, columns, 'No training rows yet')
    },
    [limitFlag()],
  )
  for (const [name, method, text] of [
    ['opt-in', 'PUT', 'is in the next export'],
    ['opt-out', 'DELETE', 'is in no export any more'],
  ] as const) {
    verb(io, noun, `${name} <site> <row>`, `a row that ${text}`, async (api, [site = '', id = '']) => {
      const row = await api<{ id: string; optIn: boolean }>(method, `${rowPath(site, id)}/opt-in`)
      return { json: row, text: `${id} ${text}` }
    })
  }
  verb(io, noun, 'remove <site> <row>', 'delete a row', async (api, [site = '', id = '']) => {
    await api('DELETE', rowPath(site, id))
    return { json: { removed: id }, text: `Removed ${id}` }
  })
}

const rowPath = (site: string, id: string) => path`/sites/${site}/training-rows/${id}`

/** Adds none if a line is not an object. The lines wait in a temporary file until all are read, since `file` may be a pipe. */
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
    for await (const batch of streamInBatches(linesOf(spool), ROWS_PER_BATCH, ({ object }) => object)) {
      try {
        const body = { rows: batch.map(({ object }) => object) }
        added += (await api<{ added: number }>('POST', path`/sites/${site}/training-rows`, body)).added
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
