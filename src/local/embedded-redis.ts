/** ioredis-mock as the Redis behind the gateway: in memory, gone when the process ends. */
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import RedisMock from 'ioredis-mock'
import { type Outcome, type RedisBackEnd, toReply } from './redis-session.ts'
import { takeTurns } from './turns.ts'

/** Opens an empty Redis of its own. */
export function openEmbeddedRedis(): RedisBackEnd {
  // Instances with the same host share their data.
  const redis: Redis = new RedisMock({ host: randomUUID() })
  const inTurn = takeTurns()

  async function runAll(commands: string[][]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const command of commands) outcomes.push(await run(redis, command))
    return outcomes
  }

  return {
    pipeline: (commands) => inTurn(() => runAll(commands)),
    transaction: (commands) =>
      inTurn(async () => {
        const unknown = commands.find(([name]) => !methodOf(redis, name))
        if (unknown)
          return { error: `EXECABORT Transaction discarded because of: ${unknownCommand(unknown)}` }
        return runAll(commands)
      }),
    close: () => inTurn(async () => redis.disconnect()),
  }
}

type Method = (...args: string[]) => Promise<unknown>

async function run(redis: Redis, command: string[]): Promise<Outcome> {
  const [name, ...args] = command
  const method = methodOf(redis, name)
  if (!method) return { error: unknownCommand(command) }
  try {
    return {
      result: toReply(await method.apply(redis, name?.toUpperCase() === 'SET' ? setArguments(args) : args)),
    }
  } catch (error) {
    return { error: errorText((error as Error).message) }
  }
}

// The mock has a method for each command it knows, beside those of a client.
const CLIENT_METHODS = new Set([
  'connect',
  'disconnect',
  'duplicate',
  'pipeline',
  'multi',
  'end',
  'on',
  'once',
  'emit',
])

function methodOf(redis: Redis, name = ''): Method | undefined {
  const method = name.toLowerCase()
  if (CLIENT_METHODS.has(method) || !/^[a-z]+$/.test(method)) return undefined
  const found = (redis as unknown as Record<string, unknown>)[method]
  return typeof found === 'function' && !(method in Object.prototype) ? (found as Method) : undefined
}

function unknownCommand([name, ...args]: string[]): string {
  const shown = args.slice(0, 3).map((arg) => `'${arg}' `)
  return `ERR unknown command '${name}', with args beginning with: ${shown.join('')}`
}

// The mock takes the options of SET in capitals only, and passes over `ex`, as Upstash's client writes it.
function setArguments([key = '', value = '', ...options]: string[]): string[] {
  return [key, value, ...options.map((option) => option.toUpperCase())]
}

function errorText(message: string): string {
  if (/ does not contain a /.test(message))
    return 'WRONGTYPE Operation against a key holding the wrong kind of value'
  return /^[A-Z]{3,} /.test(message) ? message : `ERR ${message}`
}
