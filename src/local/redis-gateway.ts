/** The part of Upstash's REST protocol that the Worker's production client uses. */
import {
  type Answer,
  type Call,
  type Gateway,
  type GatewayOptions,
  isEqualConstantTime,
  json,
  MAX_BODY_BYTES,
  startGateway,
} from './gateway.ts'
import { withReplica } from './redis-replica.ts'
import { scriptTable } from './redis-scripts.ts'
import type { Outcome, RedisBackEnd, Reply } from './redis-session.ts'

export function startRedisGateway(
  backEnd: RedisBackEnd,
  token: string,
  { replicaLagMs = 0, ...options }: GatewayOptions & { replicaLagMs?: number | undefined } = {},
): Promise<Gateway> {
  const prepare = scriptTable()
  let replicaReads = 0
  const onReplicaRead = () => {
    replicaReads += 1
  }
  const copies = replicaLagMs > 0 ? withReplica(backEnd, replicaLagMs, onReplicaRead) : backEnd

  async function answer(call: Call, count: (calls: number, counter?: string) => void): Promise<Answer> {
    if (!isEqualConstantTime(call.headers.authorization ?? '', `Bearer ${token}`)) {
      return json(401, { error: 'WRONGPASS invalid or missing auth token' })
    }
    if (!PATHS.has(call.path))
      return json(400, { error: `ERR Command is not available: '${call.path.slice(1)}'` })
    if (call.method !== 'POST') return json(405, { error: 'ERR method not allowed' }, { allow: 'POST' })
    const commands = readCommands(call.path, await call.body())
    if ('error' in commands) return json(400, commands)
    count(commands.length)
    const outcomes = await run(commands, call.path === '/multi-exec')
    if (replicaReads > 0) count(replicaReads, 'replicaReads')
    replicaReads = 0
    if ('error' in outcomes) return json(400, outcomes)
    const encode = call.headers['upstash-encoding'] === 'base64' ? inBase64 : asText
    if (call.path !== '/') return json(200, outcomes.map(encode), SYNC)
    const [outcome = { error: 'ERR empty command' }] = outcomes
    return json('error' in outcome ? 400 : 200, encode(outcome), SYNC)
  }

  async function run(commands: string[][], atomic: boolean): Promise<Outcome[] | { error: string }> {
    const prepared = commands.map((command) => refuseForeign(command) ?? prepare(command))
    const runnable = prepared.flatMap((each) => ('command' in each ? [each.command] : []))
    const ran = atomic ? await copies.transaction(runnable) : await copies.pipeline(runnable)
    if ('error' in ran) return ran
    return prepared.map((each) => {
      if ('outcome' in each) return each.outcome
      const outcome = ran.shift() as Outcome
      return each.finish?.(outcome) ?? outcome
    })
  }

  const counts = replicaLagMs > 0 ? ['commands', 'replicaReads'] : ['commands']
  return startGateway({ counts, answer, tooLarge, failed }, options)
}

const PATHS = new Set(['/', '/pipeline', '/multi-exec'])

// The client expects a sync token in each answer, for reads from replicas; one Redis needs none.
const SYNC = { 'upstash-sync-token': 'local' }

function readCommands(path: string, body: string): string[][] | { error: string } {
  const malformed = { error: 'ERR failed to parse command' }
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return malformed
  }
  const commands = path === '/' ? [value] : value
  if (!Array.isArray(commands) || !commands.every(Array.isArray)) return malformed
  if (commands.some((command) => command.length === 0)) return { error: 'ERR empty command' }
  return commands.map((command: unknown[]) => command.map(toArgument))
}

function toArgument(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

// Commands that block, or change the shared connection or the server. Upstash refuses most of them over REST, too.
const FOREIGN = new Set(
  `ACL AUTH BGREWRITEAOF BGSAVE BLMOVE BLMPOP BLPOP BRPOP BRPOPLPUSH BZMPOP BZPOPMAX BZPOPMIN CLIENT CLUSTER CONFIG DEBUG DISCARD
  EXEC FAILOVER HELLO MIGRATE MODULE MONITOR MULTI PSUBSCRIBE PSYNC PUNSUBSCRIBE QUIT REPLCONF REPLICAOF RESET SAVE SELECT SHUTDOWN
  SLAVEOF SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE SWAPDB SYNC UNSUBSCRIBE UNWATCH WAIT WAITAOF WATCH XREAD XREADGROUP`.split(
    /\s+/,
  ),
)

function refuseForeign([name = '']: string[]): { outcome: Outcome } | undefined {
  // ioredis looks commands up in plain objects.
  if (FOREIGN.has(name.toUpperCase()) || name in {} || name.toLowerCase() in {})
    return { outcome: { error: `ERR Command is not available: '${name}'` } }
  return undefined
}

function inBase64(outcome: Outcome): Outcome {
  // The client does not decode this one string.
  if ('error' in outcome || String(outcome.result) === 'OK') return asText(outcome)
  return { result: withStrings(outcome.result, (text) => Buffer.from(text).toString('base64')) }
}

function asText(outcome: Outcome): Outcome {
  return 'error' in outcome ? outcome : { result: withStrings(outcome.result, String) }
}

function withStrings(reply: Reply, convert: (text: string | Buffer) => string): Reply {
  if (Array.isArray(reply)) return reply.map((each) => withStrings(each, convert))
  return reply === null || typeof reply === 'number' ? reply : convert(reply)
}

function tooLarge(bytes: number): Answer {
  return json(413, {
    error: `ERR max request size exceeded. Limit: ${MAX_BODY_BYTES} bytes, Actual: ${bytes} bytes`,
  })
}

function failed(error: unknown): Answer {
  return json(500, { error: `ERR upstream connection failed: ${(error as Error).message}` })
}
