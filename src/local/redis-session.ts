/** A Redis behind the gateway. Strings are Buffers, since they need not be text. */
export type Reply = string | Buffer | number | null | Reply[]

export type Outcome = { result: Reply } | { error: string }

export type RedisBackEnd = {
  /** Other commands may run in between. Rejects when Redis cannot be reached. */
  pipeline(commands: string[][]): Promise<Outcome[]>
  /** One MULTI/EXEC; `{ error }` when Redis refused all of it. Rejects when Redis cannot be reached. */
  transaction(commands: string[][]): Promise<Outcome[] | { error: string }>
  close(): Promise<void>
}

/** Redis sends a hash as alternate names and values; ioredis turns it into an object. */
export function toReply(value: unknown): Reply {
  if (value === null || value === undefined || value === false) return null
  if (value === true) return 1
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map(toReply)
  if (Buffer.isBuffer(value)) return value as Buffer
  if (typeof value === 'object') return Object.entries(value).flat().map(toReply)
  return String(value)
}
