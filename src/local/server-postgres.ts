/** A PostgreSQL server behind the gateway, through a pool: real concurrency for tests, benches and development. */
import pg from 'pg'
import { refusal } from './gateway.ts'
import {
  inTransaction,
  isPostgresError,
  leavingNoTrace,
  type PostgresBackEnd,
  type RunStatement,
  type StatementResult,
} from './postgres-session.ts'

const POOL_SIZE = 20
const CONNECT_TIMEOUT_MS = 5_000

/** Connects to `databaseUrl` as calls come; while the server is away each of them is refused as Neon would. */
export function openServerPostgres(databaseUrl: string): PostgresBackEnd {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // The pool drops a connection that dies while idle; without a listener the process would die with it.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))

  async function onConnection<T>(work: (run: RunStatement, discard: () => void) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error) => {
      throw isPostgresError(error) ? error : refusal(500, "Couldn't connect to compute node")
    })
    let discarded = false
    try {
      return await work(runOn(client), () => {
        discarded = true
      })
    } catch (error) {
      if (isPostgresError(error) || 'status' in (error as object)) throw error
      discarded = true
      throw refusal(400, 'connection closed')
    } finally {
      client.release(discarded)
    }
  }

  return {
    query: (statement) =>
      onConnection((run, discard) => leavingNoTrace(run, (watched) => watched(statement), discard)),
    transaction: (modes, work) =>
      onConnection((run, discard) =>
        leavingNoTrace(run, (watched) => inTransaction(run, modes, () => work(watched)), discard),
      ),
    close: () => pool.end(),
  }
}

const types = { getTypeParser: () => (value: string) => value }

function runOn(client: pg.PoolClient): RunStatement {
  return async ({ text, params }): Promise<StatementResult> => {
    const config = {
      text,
      values: params,
      rowMode: 'array',
      queryMode: 'extended',
      types,
    } as pg.QueryArrayConfig
    const result = await client.query<(string | null)[]>(config)
    return {
      command: result.command ?? '',
      rowCount: result.rowCount,
      fields: result.fields.map(
        ({ name, dataTypeID, tableID, columnID, dataTypeSize, dataTypeModifier }) => ({
          name,
          dataTypeID,
          tableID,
          columnID,
          dataTypeSize,
          dataTypeModifier,
          format: 'text',
        }),
      ),
      rows: result.rows,
    }
  }
}
