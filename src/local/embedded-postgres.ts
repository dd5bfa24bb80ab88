/** PGlite as the Postgres behind the gateway: nothing to install, one session, so requests take turns. */
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import {
  inTransaction,
  leavingNoTrace,
  type PostgresBackEnd,
  type Statement,
  type StatementResult,
  whileAwaited,
} from './postgres-session.ts'
import { takeTurns } from './turns.ts'

type EmbeddedPostgres = PostgresBackEnd & {
  /** Gives the database itself to `work` while no request runs, for migrations. */
  exclusively<T>(work: (database: PGlite) => Promise<T>): Promise<T>
}

/** Opens the database in `dataDir`, made when missing; without a folder it lives in memory. */
export async function openEmbeddedPostgres(dataDir?: string): Promise<EmbeddedPostgres> {
  if (dataDir && !existsSync(dataDir)) await makeDatabase(dataDir)
  const database = await open(dataDir)
  const inTurn = takeTurns()

  async function run({ text, params }: Statement): Promise<StatementResult> {
    const parsers = Object.fromEntries(Object.keys(database.parsers).map((type) => [type, asText]))
    const options = { rowMode: 'array', parsers, serializers } as const
    const result = await database.query<(string | null)[]>(text, params, options)
    // A statement holds the process up; in between it may hear that the client has gone away.
    await nextTurn()
    return {
      command: result.command ?? '',
      rowCount: result.rowCount ?? null,
      fields: result.fields.map(({ name, dataTypeID }) => ({ name, dataTypeID, ...UNKNOWN_ORIGIN })),
      rows: result.rows as (string | null)[][],
    }
  }
  const clean = () => database.exec('ROLLBACK; RESET ALL; DEALLOCATE ALL; CLOSE ALL; UNLISTEN *')

  return {
    query: (statement, signal) =>
      inTurn(() => leavingNoTrace(whileAwaited(run, signal), (watched) => watched(statement), clean)),
    transaction: (modes, signal, work) =>
      inTurn(async () => {
        signal.throwIfAborted()
        return leavingNoTrace(
          run,
          (watched) => inTransaction(run, modes, signal, () => work(whileAwaited(watched, signal))),
          clean,
        )
      }),
    exclusively: (work) => inTurn(() => work(database)),
    close: () => inTurn(() => database.close()),
  }
}

// PGlite parses and serialises values itself; Neon hands text through. Its parsers are looked up at each query, because
// array types are added to them as they are met.
const asText = (value: string) => value
const serializers = new Proxy({}, { get: () => asText })

// PGlite tells only name and type of a column.
const UNKNOWN_ORIGIN = { tableID: 0, columnID: 0, dataTypeSize: -1, dataTypeModifier: -1, format: 'text' }

function open(dataDir?: string): Promise<PGlite> {
  return PGlite.create({ dataDir, extensions: { pg_trgm } })
}

// Made beside its place and moved there when whole: a start that is interrupted leaves nothing half made.
async function makeDatabase(dataDir: string): Promise<void> {
  const unfinished = `${dataDir}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(dirname(dataDir), { recursive: true })
  const database = await open(unfinished)
  await database.close()
  await rename(unfinished, dataDir)
}
