/** What the gateway needs of a Redis, embedded or a server. Strings are Buffers, since their bytes need not be text. */
export type Reply = string | Buffer | number | null | Reply[]

/** The outcome of one command: a reply, or Redis's own error. */
export type Outcome = { result: Reply } | { error: string }

export type RedisBackEnd = {
  /** Runs commands in order; others may run in between. Rejects when Redis cannot be reached. */
  pipeline(commands: string[][]): Promise<Outcome[]>
  /** Runs commands as one MULTI/EXEC; `{ error }` when Redis refused it all. Rejects when Redis cannot be reached. */
  transaction(commands: string[][]): Promise<Outcome[] | { error: string }>
  close(): Promise<void>
}

/** A value of the client as Redis sent it: ioredis turns a hash into an object, Redis sends names and values alternately. */
export function toReply(value: unknown): Reply {
  if (value === null || value === undefined || value === false) return null
  if (value === true) return 1
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(toReply)
  if (Buffer.isBuffer(value)) return value as Buffer
  if (typeof value === 'object') return Object.entries(value).flat().map(toReply)
  return String(value)
}
