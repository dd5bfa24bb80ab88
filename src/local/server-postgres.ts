/** A PostgreSQL server behind the gateway, through a pool: real concurrency for tests, benchmarks and development. */
import pg from 'pg'
import { refusal } from './gateway.ts'
import {
  inTransaction,
  isPostgresError,
  leavingNoTrace,
  type PostgresBackEnd,
  type RunStatement,
  type StatementResult,
  whileAwaited,
} from './postgres-session.ts'

/** Connections per pool. Neon opens one for each request, up to the limit of the compute. */
const POOL_SIZE = 20
const CONNECT_TIMEOUT_MS = 5_000

/** Connects on demand. While the server is down, refuses calls as Neon does. */
export function openServerPostgres(databaseUrl: string): PostgresBackEnd {
  // Reads have their own pool, so that they don't wait for writers that wait for a site's lock.
  const reads = openPool(databaseUrl, POOL_SIZE)
  const writes = openPool(databaseUrl, POOL_SIZE)
  const control = openPool(databaseUrl, 1)

  async function onConnection<T>(
    pool: pg.Pool,
    signal: AbortSignal,
    work: (run: RunStatement, discard: () => void) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect().catch((error) => {
      throw isPostgresError(error) ? error : refusal(500, "Couldn't connect to compute node")
    })
    let discarded = false
    const discard = () => {
      discarded = true
    }
    let cancelled: Promise<unknown> | undefined
    const cancel = () => {
      discard()
      const { processID } = client as unknown as { processID: number }
      cancelled = control.query('SELECT pg_cancel_backend($1)', [processID]).catch(() => {})
    }
    try {
      signal.throwIfAborted()
      signal.addEventListener('abort', cancel)
      return await work(runOn(client), discard)
    } catch (error) {
      if (isPostgresError(error) || 'status' in (error as object)) throw error
      discard()
      throw refusal(400, 'connection closed')
    } finally {
      signal.removeEventListener('abort', cancel)
      // The connection may serve another client only after the cancellation has arrived.
      await cancelled
      client.release(discarded)
    }
  }

  return {
    query: (statement, signal) =>
      onConnection(onlyReads(statement.text) ? reads : writes, signal, (run, discard) =>
        leavingNoTrace(run, (watched) => watched(statement), discard),
      ),
    transaction: (modes, signal, work) =>
      onConnection(modes.includes('READ ONLY') ? reads : writes, signal, (run, discard) =>
        leavingNoTrace(
          run,
          (watched) => inTransaction(run, modes, signal, () => work(whileAwaited(watched, signal))),
          discard,
        ),
      ),
    close: async () => {
      await Promise.all([reads, writes, control].map((pool) => pool.end()))
    },
  }
}

function openPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  // The pool drops a connection that breaks while idle. Without a listener the process would end.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** Judges by the text: true if it can neither change a row nor wait for a lock. */
function onlyReads(statement: string): boolean {
  return /^\s*(select|with)\b/i.test(statement) && !WRITES.test(statement)
}

const WRITES = /\b(insert|update|delete|merge|truncate|lock_site|pg_(try_)?advisory\w*)\b/i

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
