/** What the gateway needs of a Redis, be it embedded or a server. */
/** A string is a Buffer where Redis sent it, for its bytes need not be text. */
export type Reply = string | Buffer | number | null | Reply[]

/** What one command of several came to: a reply, or Redis's own error. */
export type Outcome = { result: Reply } | { error: string }

export type RedisBackEnd = {
  /** Runs commands one after another; others may run between them. Rejects when Redis is out of reach. */
  pipeline(commands: string[][]): Promise<Outcome[]>
  /** Runs commands as one MULTI/EXEC; `{ error }` when Redis refused the whole. Rejects when out of reach. */
  transaction(commands: string[][]): Promise<Outcome[] | { error: string }>
  close(): Promise<void>
}

/** A client's value as Redis sent it: ioredis makes an object of a hash, where names and values come in turn. */
export function toReply(value: unknown): Reply {
  if (value === null || value === undefined || value === false) return null
  if (value === true) return 1
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(toReply)
  if (Buffer.isBuffer(value)) return value as Buffer
  if (typeof value === 'object') return Object.entries(value).flat().map(toReply)
  return String(value)
}
