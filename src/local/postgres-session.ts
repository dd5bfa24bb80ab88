/** What the gateway needs of a Postgres, be it embedded or a server: text in, text out, as Neon's protocol has it. */
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

/** Where a client gives up, its `signal` aborts: nothing more is run for it, and nothing of it is committed. */
export type PostgresBackEnd = {
  /** Runs one statement, committed by itself. Throws Postgres's error, or the signal's reason. */
  query(statement: Statement, signal: AbortSignal): Promise<StatementResult>
  /**
   * Runs `work` between `BEGIN <modes>` and `COMMIT`; whatever it throws rolls back and is thrown on.
   * `modes` are SQL, for example `ISOLATION LEVEL SERIALIZABLE READ ONLY`.
   */
  transaction<T>(modes: string, signal: AbortSignal, work: (run: RunStatement) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Runs `work` between BEGIN and COMMIT on a session that nobody else uses meanwhile. */
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
    // A lost connection has rolled back already; its own error is the one to tell.
    await run({ text: 'ROLLBACK', params: [] }).catch(() => {})
    throw error
  }
}

const SESSION_COMMANDS = new Set(['BEGIN', 'START', 'SET', 'PREPARE', 'DECLARE', 'LISTEN'])

/**
 * Runs `work` with a `run` that notices statements which change the session, and calls `clean` after it if one did:
 * over Neon no session outlives a request.
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
      traces ||= SESSION_COMMANDS.has(result.command)
      return result
    })
  } finally {
    if (traces) await clean()
  }
}

/** A `run` that begins nothing for a client that has gone away. */
export function whileAwaited(run: RunStatement, signal: AbortSignal): RunStatement {
  return (statement) => {
    signal.throwIfAborted()
    return run(statement)
  }
}

/** Whether Postgres itself said so: its errors carry a severity, those of sockets do not. */
export function isPostgresError(error: unknown): error is Error & { severity: string; code: string } {
  return error instanceof Error && 'severity' in error && typeof error.severity === 'string'
}
