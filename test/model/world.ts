/**
 * The state that actors share, as a value: Redis, Postgres, the queue and the cache of bodies. A call leads from one world
 * to another. The real thing executes it, with Lua scripts and triggers, once for each world in which it is made.
 */
import { migrateEmbedded } from '../../drizzle/migrate.ts'
import { openEmbeddedPostgres } from '../../src/local/embedded-postgres.ts'
import { readBody } from '../../src/local/neon-request.ts'
import type { RunStatement, StatementResult } from '../../src/local/postgres-session.ts'
import { type Argument, runScript } from '../../src/local/redis-lua.ts'
import { withoutUpstashFlag } from '../../src/local/redis-scripts.ts'
import type { Outcome } from '../../src/local/redis-session.ts'
import {
  type BodyRequest,
  type Call,
  foreignResult,
  isOfTheGate,
  type RedisRequest,
  replyTo,
} from './calls.ts'
import { recall } from './memo.ts'

/** `redis` has the values; for a sorted set, its members with their scores. */
export type World = {
  id: number
  redis: Record<string, Value>
  postgres: Rows
  queued: number
  /** By URL. */
  bodies: Record<string, string>
  executed: Map<string, Executed>
}
type Value = string | Record<string, number>

/** The site's state in Postgres, and the calls that wrote it. */
type Rows = {
  authVersion: number
  contentVersion: number
  slugVersions: string
  publishedVersion: number
  publishedSlugVersions: string
  revoked: boolean
  /** Its site is deleted. */
  gone: boolean
  writes: readonly string[]
}

type Executed = { world: World; reply: string }

export type Universe = {
  /** Redis is empty, nothing is queued or cached, and there are no writes since `setUp`. */
  start: World
  /** @throws Unknown */
  execute: (world: World, call: Call) => Executed
  withoutRedis: (world: World) => World
  close: () => Promise<void>
}

/** `setUp` is SQL. `$site`, there and later, is the only site. */
export async function openUniverse(setUp: string): Promise<Universe> {
  const postgres = await openEmbeddedPostgres()
  await postgres.exclusively(async (database) => {
    await migrateEmbedded(database)
    // By one instead of to the time, so that equal writes lead to equal versions.
    await database.exec(`create or replace function next_version(last bigint) returns bigint language sql
      as 'select last + 1'`)
    await database.exec(setUp)
  })

  const rowsOf = new Map<string, Rows>()
  const worlds = new Map<string, World>()

  function intern({ redis, postgres, queued, bodies }: Omit<World, 'id' | 'executed'>): World {
    const sorted = Object.entries(redis).toSorted(([a], [b]) => (a < b ? -1 : 1))
    const key = JSON.stringify([
      sorted,
      { ...postgres, writes: undefined },
      queued,
      Object.entries(bodies).toSorted(),
    ])
    const world = worlds.get(key) ?? { id: worlds.size, redis, postgres, queued, bodies, executed: new Map() }
    worlds.set(key, world)
    return world
  }

  async function executeNow(world: World, call: Call): Promise<Executed> {
    switch (call.to) {
      case 'queue':
        return { world: intern({ ...world, queued: 1 }), reply: '{}' }
      case 'bodies': {
        const { url, body } = JSON.parse(call.text) as BodyRequest
        if (body === undefined) return { world, reply: JSON.stringify(world.bodies[url] ?? null) }
        return { world: intern({ ...world, bodies: { ...world.bodies, [url]: body } }), reply: '{}' }
      }
      case 'postgres': {
        const { after, reply } = await query(world.postgres, call)
        return { world: intern({ ...world, postgres: after }), reply }
      }
      case 'redis': {
        const request = JSON.parse(call.text) as RedisRequest
        const redis = structuredClone(world.redis)
        const results: unknown[] = []
        for (const command of request.commands) results.push(await runCommand(redis, command))
        return { world: intern({ ...world, redis }), reply: replyTo(request, results) }
      }
    }
  }

  /** In a transaction that repeats the writes of `rows`, and is rolled back. */
  async function query(rows: Rows, { text, writes }: Call): Promise<{ after: Rows; reply: string }> {
    let found: { after: Rows; reply: string } | undefined
    const rollback = new Error('rolled back')
    const work = async (run: RunStatement) => {
      for (const write of rows.writes) await runCall(run, write)
      const reply = await runCall(run, text)
      const after = writes ? await readRows(run, [...rows.writes, text]) : rows
      found = { after, reply }
      throw rollback
    }
    await postgres.transaction('', new AbortController().signal, work).catch((error) => {
      if (error !== rollback) throw new Error(`Postgres refused ${text}`, { cause: error })
    })
    return found!
  }

  async function readRows(run: RunStatement, writes: readonly string[]): Promise<Rows> {
    const text = `select (select count(*) from api_keys where revoked_at is null), auth_version, content_version, slug_versions,
        published_version, published_slug_versions
      from (select) one left join sites on true`
    const { rows: found } = await run({ text, params: [] })
    const [keys, authVersion, contentVersion, slugVersions, publishedVersion, publishedSlugVersions] =
      found[0] as string[]
    const gone = authVersion == null
    const rows = {
      authVersion: gone ? Number.MAX_SAFE_INTEGER : Number(authVersion),
      contentVersion: gone ? Number.MAX_SAFE_INTEGER : Number(contentVersion),
      slugVersions: slugVersions ?? '',
      publishedVersion: gone ? Number.MAX_SAFE_INTEGER : Number(publishedVersion),
      publishedSlugVersions: publishedSlugVersions ?? '',
      revoked: keys === '0',
      gone,
      writes,
    }
    const key = JSON.stringify({ ...rows, writes: undefined })
    if (!rowsOf.has(key)) rowsOf.set(key, rows)
    return rowsOf.get(key)!
  }

  const { after } = await query(
    {
      authVersion: 0,
      contentVersion: 0,
      slugVersions: '',
      publishedVersion: 0,
      publishedSlugVersions: '',
      revoked: false,
      gone: false,
      writes: [],
    },
    SETTLED,
  )
  const start = intern({ redis: {}, postgres: { ...after, writes: [] }, queued: 0, bodies: {} })
  return {
    start,
    execute: (world, call) => recall(world.executed, call.text, () => executeNow(world, call)),
    withoutRedis: (world) => intern({ ...world, redis: {} }),
    close: () => postgres.close(),
  }
}

const SETTLED: Call = { to: 'postgres', text: '{"query":"select 1"}', writes: true }

async function runCall(run: RunStatement, text: string): Promise<string> {
  const { arrayMode = true } = JSON.parse(text) as { arrayMode?: boolean }
  const request = readBody(text)
  if (!Array.isArray(request)) return toJson(await run(request), request.arrayMode ?? arrayMode)
  const results: string[] = []
  for (const statement of request)
    results.push(toJson(await run(statement), statement.arrayMode ?? arrayMode))
  return `{"results":[${results.join()}]}`
}

/** Neon's form of an answer. All times are equal, as no clock runs. */
function toJson({ rows, fields, ...result }: StatementResult, rowAsArray: boolean): string {
  const shown = rowAsArray
    ? rows
    : rows.map((row) => Object.fromEntries(row.map((value, at) => [fields[at]!.name, value])))
  const text = JSON.stringify({ rowAsArray, fields, rows: shown, ...result })
  return text.replace(/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(?=\+00|Z)/g, '2026-01-01 00:00:00')
}

async function runCommand(store: World['redis'], command: string[]): Promise<unknown> {
  if (!isOfTheGate(command)) return foreignResult(command)
  const [name, ...args] = command
  if (name !== 'EVAL') return withoutTokens(run(store, command))
  const [script = '', count, ...rest] = args
  const keys = rest.slice(0, Number(count))
  // A script sees its keys and nothing else.
  const seen = JSON.stringify([args, keys.map((key) => store[key])])
  const known = scripts.get(seen)
  if (known) {
    Object.assign(store, structuredClone(known.values))
    return known.result
  }
  const outcome = await runScript(
    { script: withoutUpstashFlag(script), keys, args: rest.slice(keys.length), readOnly: false },
    async (inner: Argument[]) => {
      const command = inner.map(String)
      return { result: isOfTheGate(command) ? run(store, command) : foreignResult(command) } as Outcome
    },
  )
  if ('error' in outcome) throw new Error(outcome.error)
  const values = Object.fromEntries(keys.flatMap((key) => (key in store ? [[key, store[key]!]] : [])))
  const result = withoutTokens(outcome.result)
  scripts.set(seen, structuredClone({ result, values }))
  return result
}

const scripts = new Map<string, { result: unknown; values: World['redis'] }>()

/** Only scripts compare tokens. So nobody else can distinguish them, and actors that differ only in tokens are equal. */
const withoutTokens = (result: unknown): unknown =>
  JSON.parse(JSON.stringify(result), (_, value) =>
    typeof value === 'string' && value.startsWith('~') ? '~' : value,
  )

const pairsOf = (flat: string[]) =>
  Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at]!, flat[2 * at + 1]!] as const)

function run(store: World['redis'], [name = '', key = '', ...args]: string[]): unknown {
  const scores = (store[key] ?? {}) as Record<string, number>
  switch (name.toUpperCase()) {
    case 'GET':
    case 'GETEX':
      return store[key] ?? null
    case 'MGET':
      return [key, ...args].map((each) => store[each] ?? null)
    case 'SET':
      if (args.includes('xx') && !(key in store)) return null
      store[key] = args[0]!
      return 'OK'
    case 'MSET':
      for (const [each, value] of pairsOf([key, ...args])) store[each] = value
      return 'OK'
    case 'PERSIST':
      return 0
    case 'DEL':
      for (const each of [key, ...args]) delete store[each]
      return 1
    case 'ZADD':
      store[key] = {
        ...scores,
        ...Object.fromEntries(pairsOf(args).map(([score, id]) => [id, Number(score)])),
      }
      return 1
    case 'ZMSCORE':
      return args.map((each) => String(scores[each] ?? '') || null)
    case 'ZREM':
      for (const each of args) delete scores[each]
      return 1
    case 'ZCARD':
      return Object.keys(scores).length
    case 'ZRANGE':
      return Object.entries(scores).flatMap(([member, score]) => [member, String(score)])
    default:
      throw new Error(`The model's Redis does not know ${name}: add it to run() in test/model/world.ts`)
  }
}
