/**
 * The calls at which an actor stops: requests to Redis, Postgres and the queue as the drivers send them, and lookups in the
 * cache of bodies.
 */

export type Call = {
  to: 'redis' | 'postgres' | 'queue' | 'bodies'
  /** The request's body as JSON; equal calls run once in each state of the world. */
  text: string
  /** Changes something. The reply of a call that does not can only be late, not lost. */
  writes: boolean
}

/** One request to Upstash: the commands of a pipeline, or a single one. */
export type RedisRequest = { commands: string[][]; isPipeline: boolean }

/** Without a body it is a lookup. */
export type BodyRequest = { url: string; body?: string }

const PREFIX = 'model'
const READING = ['MGET', 'GET', 'ZRANGE']
/** A script that does more than read from the leader. */
const WRITING_SCRIPT = /redis\.call\('(?!PERSIST|MGET)/
/** The gate's keys in Redis. Counters and recorded uses are not included, and nothing else depends on them. */
const OF_THE_GATE = new RegExp(`^${PREFIX}:(versions:.*|auth:.*|waiting|sweep)$`)
/** Other statements of the sweep. Postgres has no rows for them. */
const OF_OTHER_JOBS =
  /^(?!.*(?:delete from \\"posts|lock_site)).*(webhook_|console_sessions|tombstones|daily_usage|last_used_at = u\.at)/

export const ENVIRONMENT = {
  DATABASE_URL: 'postgresql://user:password@postgres.invalid/model',
  UPSTASH_REDIS_REST_URL: 'https://redis.invalid',
  UPSTASH_REDIS_REST_TOKEN: 'token',
  REDIS_PREFIX: PREFIX,
  OPERATOR_TOKEN: 'operator'.repeat(4),
  WEBHOOK_KEYS: `k1:${btoa('k'.repeat(32))}`,
}

/** The call that a driver's `fetch` makes. */
export function callOf(url: string, body: string, headers: Record<string, string>): Call {
  if (!url.startsWith(ENVIRONMENT.UPSTASH_REDIS_REST_URL)) {
    const arrayMode = headers['Neon-Array-Mode'] === 'true'
    return {
      to: 'postgres',
      text: JSON.stringify({ arrayMode, ...JSON.parse(body) }),
      writes: /\b(insert|update|delete) /i.test(body),
    }
  }
  const isPipeline = url.endsWith('/pipeline')
  const parsed = JSON.parse(body) as unknown[]
  const commands = (isPipeline ? parsed : [parsed]) as unknown[][]
  const named = commands.map(([name, ...args]) => [String(name).toUpperCase(), ...args.map(String)])
  return {
    to: 'redis',
    text: JSON.stringify({ commands: named, isPipeline } satisfies RedisRequest),
    writes: named.some(([name, script = '']) =>
      name === 'EVAL' ? WRITING_SCRIPT.test(script) : !READING.includes(name!),
    ),
  }
}

export function commandsOf(call: Call): string[][] {
  return call.to === 'redis' ? (JSON.parse(call.text) as RedisRequest).commands : []
}

export function bodyCall(request: BodyRequest): Call {
  return { to: 'bodies', text: JSON.stringify(request), writes: 'body' in request }
}

/**
 * Replies to calls that are not the gate's, and need no waiting; null for the gate's own. Redis never knows a script by its
 * digest, so that each is sent as text.
 */
export function foreignReply(call: Call): string | null {
  if (call.to === 'queue' || call.to === 'bodies') return null
  if (call.to === 'postgres') return OF_OTHER_JOBS.test(call.text) ? NO_ROWS : null
  const request = JSON.parse(call.text) as RedisRequest
  if (request.commands[0]?.[0] === 'EVALSHA') return JSON.stringify({ error: 'NOSCRIPT' })
  if (request.commands.some((command) => isOfTheGate(command))) return null
  return replyTo(request, request.commands.map(foreignResult))
}

export function isOfTheGate([name, ...args]: string[]): boolean {
  // A script that stores versions also has the key of the purges, and one that admits a request has the key of a counter.
  const keys = name === 'EVAL' ? args.slice(2, 2 + Number(args[1])) : args.slice(0, 1)
  return keys.some((key) => OF_THE_GATE.test(key))
}

/** One of very many requests is used. */
export function foreignResult([name]: string[]): unknown {
  if (name === 'SSCAN') return ['0', []]
  return name === 'ZRANGE' ? [] : 1
}

export function replyTo({ isPipeline }: RedisRequest, results: unknown[]): string {
  return JSON.stringify(isPipeline ? results.map((result) => ({ result })) : { result: results[0] })
}

const NO_ROWS = JSON.stringify({ command: 'SELECT', rowCount: 0, rowAsArray: true, fields: [], rows: [] })

/** A call in a line. */
export function describeCall({ to, text }: Call): string {
  const request = JSON.parse(text)
  if (to === 'queue') return `queue: store the versions`
  if (to === 'bodies') return describeBodyRequest(request)
  if (to === 'redis') {
    const own = (request as RedisRequest).commands.filter(isOfTheGate)
    return `Redis: ${own.map(describeCommand).join(', ')}`
  }
  const statements: { query: string }[] = request.queries ?? [request]
  return `Postgres: ${statements.map(({ query }) => describeStatement(query)).join('; ')}`
}

function describeBodyRequest({ url, body }: BodyRequest): string {
  const [, version] = /%20(\d+)%20/.exec(url)!
  return body === undefined
    ? `shared bodies: get one of ${version}`
    : `shared bodies: put ${/"title":"(\w+)"/.exec(body)![1]} under ${version}`
}

function describeCommand([name, ...args]: string[]): string {
  const shown = name === 'EVAL' ? ['script', ...args.slice(2)] : args
  const short = shown.map((arg) => arg.replace(/^model:/, '').replace(/^(.{40}).+/, '$1…'))
  return `${name} ${short.join(' ')}`
}

function describeStatement(query: string): string {
  const tables = [...query.matchAll(/(?:from|update|into|join) "(\w+)"/g)].map(([, table]) => table)
  return `${query.trim().split(/\s/)[0]} ${[...new Set(tables)].join(', ') || 'lock'}`
}
