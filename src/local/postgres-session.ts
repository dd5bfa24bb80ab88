/** A Postgres behind the gateway: text in, text out, as in Neon's protocol. */
export type Statement = { text: string; params: (string | null)[] }

type Field = {
  name: string
  dataTypeID: number
  tableID: number
  columnID: number
  dataTypeSize: number
  dataTypeModifier: number
  format: string
}

export type StatementResult = {
  command: string
  rowCount: number | null
  fields: Field[]
  rows: (string | null)[][]
}

export type RunStatement = (statement: Statement) => Promise<StatementResult>

/** `signal` aborts when the client disconnects: then nothing more runs, and nothing is committed. */
export type PostgresBackEnd = {
  /** Runs in its own transaction. Throws Postgres's error, or the signal's reason. */
  query(statement: Statement, signal: AbortSignal): Promise<StatementResult>
  /** Rolls back if `work` throws. @param modes SQL after BEGIN, for example `ISOLATION LEVEL SERIALIZABLE READ ONLY` */
  transaction<T>(modes: string, signal: AbortSignal, work: (run: RunStatement) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The session must not be used by anything else meanwhile. */
export async function inTransaction<T>(
  run: RunStatement,
  modes: string,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  await run({ text: `BEGIN ${modes}`, params: [] })
  try {
    const result = await work()
    signal.throwIfAborted()
    await run({ text: 'COMMIT', params: [] })
    return result
  } catch (error) {
    // A lost connection has rolled back already, and its error is the one to report.
    await run({ text: 'ROLLBACK', params: [] }).catch(() => {})
    throw error
  }
}

const SESSION_COMMANDS = new Set(['BEGIN', 'START', 'SET', 'PREPARE', 'DECLARE', 'LISTEN', 'LOAD', 'DO'])
/** Inside other statements. A `set_config` whose last argument is not a literal counts as local to the transaction. */
const CHANGES_SESSION = /\bset_config\([^)]*\bfalse\b|advisory_lock(_shared)?\(|\btemp(orary)?\b/i

/** Calls `clean` if a statement changed the session, because on Neon no session outlives a request. */
export async function leavingNoTrace<T>(
  run: RunStatement,
  work: (run: RunStatement) => Promise<T>,
  clean: () => unknown,
): Promise<T> {
  let traces = false
  try {
    return await work(async (statement) => {
      const result = await run(statement)
      traces ||= SESSION_COMMANDS.has(result.command) || CHANGES_SESSION.test(statement.text)
      return result
    })
  } finally {
    if (traces) await clean()
  }
}

export function whileAwaited(run: RunStatement, signal: AbortSignal): RunStatement {
  return (statement) => {
    signal.throwIfAborted()
    return run(statement)
  }
}

/** Postgres's own errors have a severity; socket errors don't. */
export function isPostgresError(error: unknown): error is Error & { severity: string; code: string } {
  return error instanceof Error && 'severity' in error && typeof error.severity === 'string'
}
