/** ioredis-mock as the Redis behind the gateway, in memory. Scripts run in redis-lua.ts. */
import './lua-numbers.ts'
import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import RedisMock from 'ioredis-mock'
import { createMutex } from './mutex.ts'
import { type Argument, runScript, scriptFault } from './redis-lua.ts'
import { type Outcome, type RedisBackEnd, toReply } from './redis-session.ts'

export function openEmbeddedRedis(): RedisBackEnd {
  // Instances with the same host share their data.
  const redis: Redis = new RedisMock({ host: randomUUID() })
  const runExclusive = createMutex()

  async function runAll(commands: string[][]): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const command of commands) outcomes.push(await run(redis, command))
    return outcomes
  }

  return {
    pipeline: (commands) => runExclusive(() => runAll(commands)),
    transaction: (commands) =>
      runExclusive(async () => {
        const unknown = commands.find(([name = '']) => !SCRIPTS.has(name) && !methodOf(redis, name))
        if (unknown)
          return { error: `EXECABORT Transaction discarded because of: ${unknownCommand(unknown)}` }
        return runAll(commands)
      }),
    close: () => runExclusive(async () => redis.disconnect()),
  }
}

const SCRIPTS = new Set(['EVAL', 'EVAL_RO', 'SCRIPT'])

type Method = (...args: Argument[]) => Promise<unknown>

async function run(redis: Redis, command: Argument[]): Promise<Outcome> {
  const name = String(command[0])
  const args = command.slice(1)
  if (SCRIPTS.has(name)) return runEval(redis, command.map(String))
  if (name.toUpperCase() === 'COPY') return copy(redis, command.map(String))
  const method = methodOf(redis, name)
  if (!method) return { error: unknownCommand(command.map(String)) }
  try {
    const result = await method.apply(redis, name.toUpperCase() === 'SET' ? setArguments(args) : args)
    return { result: toReply(result) }
  } catch (error) {
    return { error: errorText((error as Error).message) }
  }
}

// The mock has no COPY.
function copy(redis: Redis, [, from = '', to = '']: string[]): Outcome {
  const { data } = redis as unknown as { data: Map<string, unknown> }
  if (!data.has(from)) return { result: 0 }
  data.set(to, data.get(from))
  return { result: 1 }
}

async function runEval(redis: Redis, [name, text = '', count = '', ...rest]: string[]): Promise<Outcome> {
  if (name === 'SCRIPT') {
    const fault = scriptFault(count)
    return fault ? { error: fault } : { result: null }
  }
  if (!/^-?\d+$/.test(count)) return { error: 'ERR value is not an integer or out of range' }
  const keys = Number(count)
  if (keys < 0) return { error: "ERR Number of keys can't be negative" }
  if (keys > rest.length) return { error: "ERR Number of keys can't be greater than number of args" }
  return runScript(
    { script: text, keys: rest.slice(0, keys), args: rest.slice(keys), readOnly: name === 'EVAL_RO' },
    (command) => run(redis, command),
  )
}

// The mock has a method for each Redis command, and these methods of a client.
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
  // Every command has a variant that returns bytes.
  const methods = redis as unknown as Record<string, unknown>
  const found = methods[`${method}Buffer`] ?? methods[method]
  return typeof found === 'function' && !(method in Object.prototype) ? (found as Method) : undefined
}

function unknownCommand([name, ...args]: string[]): string {
  const shown = args.slice(0, 3).map((arg) => `'${arg}' `)
  return `ERR unknown command '${name}', with args beginning with: ${shown.join('')}`
}

// The mock accepts options of SET only in upper case; Upstash's client sends `ex`.
function setArguments([key = '', value = '', ...options]: Argument[]): Argument[] {
  return [key, value, ...options.map((option) => String(option).toUpperCase())]
}

function errorText(message: string): string {
  if (/ does not contain a /.test(message))
    return 'WRONGTYPE Operation against a key holding the wrong kind of value'
  return /^[A-Z]{3,} /.test(message) ? message : `ERR ${message}`
}
