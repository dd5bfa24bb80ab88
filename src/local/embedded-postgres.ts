/** PGlite as the Postgres behind the gateway. It needs no installation. Its single session runs one request at a time. */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { createMutex } from './mutex.ts'
import {
  inTransaction,
  leavingNoTrace,
  type PostgresBackEnd,
  type Statement,
  type StatementResult,
  whileAwaited,
} from './postgres-session.ts'

type EmbeddedPostgres = PostgresBackEnd & {
  /** Blocks requests while `work` runs, for migrations. */
  exclusively<T>(work: (database: PGlite) => Promise<T>): Promise<T>
}

/** Without `dataDir`, the database is in memory. */
export async function openEmbeddedPostgres(dataDir?: string): Promise<EmbeddedPostgres> {
  if (dataDir && !existsSync(dataDir)) await makeDatabase(dataDir)
  const database = await open(dataDir)
  const runExclusive = createMutex()

  async function run({ text, params }: Statement): Promise<StatementResult> {
    const options = { rowMode: 'array', serializers: textOfEveryType } as const
    const result = await database.query<(string | null)[]>(text, params, options)
    // A statement blocks the process. Between statements, the process notices that a client has disconnected.
    await nextTurn()
    return {
      command: result.command ?? '',
      rowCount: result.rowCount ?? null,
      fields: result.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID, ...UNKNOWN_ORIGIN })),
      rows: result.rows as (string | null)[][],
    }
  }
  const clean = async () => {
    await database.exec('ROLLBACK')
    await database.exec('DISCARD ALL')
  }

  return {
    query: (statement, signal) =>
      runExclusive(() => leavingNoTrace(whileAwaited(run, signal), (watched) => watched(statement), clean)),
    transaction: (modes, signal, work) =>
      runExclusive(async () => {
        signal.throwIfAborted()
        return leavingNoTrace(
          run,
          (watched) => inTransaction(run, modes, signal, () => work(whileAwaited(watched, signal))),
          clean,
        )
      }),
    exclusively: (work) => runExclusive(() => work(database)),
    close: () => runExclusive(() => database.close()),
  }
}

// PGlite would parse and serialise values; Neon passes text through.
const asText = (value: string) => value
const textOfEveryType = new Proxy({}, { get: () => asText })

// PGlite gives only the name and type of a column.
const UNKNOWN_ORIGIN = { tableID: 0, columnID: 0, dataTypeSize: -1, dataTypeModifier: -1, format: 'text' }

async function open(dataDir?: string): Promise<PGlite> {
  const database = await PGlite.create({ dataDir, extensions: { pg_trgm } }).catch((error) => {
    throw new Error(`The embedded Postgres cannot be opened in ${dataDir}: ${reasonOf(error)}`)
  })
  // Set directly: as an option, PGlite would merge them with its own for each query.
  database.parsers = textOfEveryType
  return database
}

/** File system errors of Emscripten have only a WASI number. */
const WASI_NO_SPACE = 51

function reasonOf(error: Partial<Error> & { errno?: number }): string {
  if (error.message) return error.message
  return error.errno === WASI_NO_SPACE ? 'the disk is full' : `${error.name} ${error.errno}`
}

// Moved into place when complete, so that an interrupted start leaves no partial database.
async function makeDatabase(dataDir: string): Promise<void> {
  const unfinished = `${dataDir}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(dirname(dataDir), { recursive: true })
  const database = await open(unfinished)
  await database.close()
  await rename(unfinished, dataDir)
}
