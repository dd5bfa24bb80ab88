/** What the gateway needs of a Postgres, embedded or a server: text in, text out, as in Neon's protocol. */
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

/** `signal` aborts when the client disconnects: nothing more is run for it, and nothing is committed. */
export type PostgresBackEnd = {
  /** Runs one statement in a transaction of its own. Throws Postgres's error, or the signal's reason. */
  query(statement: Statement, signal: AbortSignal): Promise<StatementResult>
  /**
   * Runs `work` between `BEGIN <modes>` and `COMMIT`. If it throws, it is rolled back and the error is rethrown.
   * `modes` are SQL, for example `ISOLATION LEVEL SERIALIZABLE READ ONLY`.
   */
  transaction<T>(modes: string, signal: AbortSignal, work: (run: RunStatement) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Runs `work` between BEGIN and COMMIT, on a session that nothing else uses meanwhile. */
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
    // A lost connection has rolled back already. Its error is the one to report.
    await run({ text: 'ROLLBACK', params: [] }).catch(() => {})
    throw error
  }
}

const SESSION_COMMANDS = new Set(['BEGIN', 'START', 'SET', 'PREPARE', 'DECLARE', 'LISTEN', 'LOAD', 'DO'])
/** What can do so in other statements. A `set_config` whose last argument is no literal is taken for one of its transaction. */
const CHANGES_SESSION = /\bset_config\([^)]*\bfalse\b|advisory_lock(_shared)?\(|\btemp(orary)?\b/i

/**
 * Runs `work` with a `run` that notices statements that change the session, and calls `clean` afterwards if one did: with
 * Neon no session outlives a request.
 */
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

/** A `run` that starts nothing for a client that has disconnected. */
export function whileAwaited(run: RunStatement, signal: AbortSignal): RunStatement {
  return (statement) => {
    signal.throwIfAborted()
    return run(statement)
  }
}

/** Whether the error is Postgres's own: those have a severity, errors of sockets do not. */
export function isPostgresError(error: unknown): error is Error & { severity: string; code: string } {
  return error instanceof Error && 'severity' in error && typeof error.severity === 'string'
}
