/** Searches the data that a run leaves at the receiver, in Postgres and in Redis for secrets. */
import { neon, neonConfig } from '@neondatabase/serverless'
import { Redis } from '@upstash/redis'
import type { Stack } from '../../src/local/stack.ts'
import type { Received } from './receiver.ts'
import { ANY_SHAPE, Known, learn, learnBindings, secretsIn, UNBROKEN } from './secrets.ts'

type Receptions = Map<string, Received[]>

/** Types without text. */
const TEXTLESS = 'bigint|boolean|date|double precision|integer|timestamp.*|uuid'

/** All secrets of the run: the initial ones, and those it was shown (see guard.ts). */
export function knownAfter(bindings: Record<string, string>, received: Receptions): Known {
  const known = new Known()
  learnBindings(known, bindings)
  for (const { body } of received.get('shown') ?? []) {
    for (const [name, secret] of JSON.parse(body) as [string, string][]) learn(known, name, secret)
  }
  return known
}

/** A phrase for each secret that was sent to a receiver. */
export function secretsReceived(received: Receptions, known: Known): string[] {
  return [...received].flatMap(([id, requests]) => {
    if (id === 'shown') return []
    // The receiver stands in for Redis there, which gets its token.
    const bare = (request: Received) => ({ ...request, headers: { ...request.headers, authorization: '' } })
    const seen = id === 'redis' ? requests.map(bare) : requests
    return secretsIn(JSON.stringify(seen), known).map((name) => `${name} at the receiver, /${id}`)
  })
}

/** A phrase for each secret, with its table and column. */
export async function secretsInPostgres(stack: Stack, known: Known): Promise<string[]> {
  neonConfig.fetchEndpoint = stack.databaseHttpEndpoint
  const sql = neon(stack.databaseUrl)
  const columns = await sql.query(
    `select table_schema || '.' || table_name as table, column_name as column
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
       and data_type !~ $1`,
    [`^(${TEXTLESS})$`],
  )
  const leaks = []
  for (const { table, column } of columns) {
    const text = `"${column}"::text`
    const shaped = await sql.query(`select from ${table} where ${text} ~ $1 limit 1`, [ANY_SHAPE])
    if (shaped.length > 0) leaks.push(`something like a secret in ${table}.${column}`)
    // A response is limited to 10 MiB: each text once, and only the start of filler.
    const runs = await sql.query(
      `select distinct left(run[1], 5000) as text from ${table}, regexp_matches(${text}, $1, 'g') run`,
      [UNBROKEN],
    )
    const found = secretsIn(runs.map((run) => run.text).join('\n'), known)
    leaks.push(...found.map((name) => `${name} in ${table}.${column}`))
  }
  return leaks
}

/** The same for the matching keys and their values. */
export async function secretsInRedis(stack: Stack, pattern: string, known: Known): Promise<string[]> {
  const redis = new Redis({
    url: stack.redisUrl,
    token: stack.redisToken,
    automaticDeserialization: false,
    enableTelemetry: false,
  })
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, 0, -1),
    none: async () => 'expired meanwhile',
  }
  const leaks = []
  let cursor = '0'
  do {
    const [next, keys] = await redis.scan(cursor, { match: pattern, count: 1_000 })
    for (const key of keys) {
      const value = await readers[await redis.type(key)]!(key)
      leaks.push(...secretsIn(`${key}\n${JSON.stringify(value)}`, known).map((name) => `${name} in Redis`))
    }
    cursor = next
  } while (cursor !== '0')
  return leaks
}
