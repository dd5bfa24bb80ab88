/** The verbs' context, made of the Worker's environment. */
import { createMiddleware } from 'hono/factory'
import { type Config, parseConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { connect, type Database, READ_TIMEOUT_MS, WRITE_TIMEOUT_MS } from '../../src/db/client.ts'
import { createLog, describeError } from '../../src/log.ts'
import { Memory } from '../../src/memory.ts'
import { connectRedis } from '../../src/redis.ts'
import type { Bindings, Env } from './env.ts'

/** Of the 128 MiB of an isolate; the largest answers need several times their size while they are made. */
const MEMORY_BYTES = 32 * 1024 * 1024

type Shared = { config: Config; reads: Database; writes: Database; memory: Memory<unknown> }

const shared = new WeakMap<Bindings, Shared>()

/** A context for one request, message or cron run; configuration and drivers are made once per environment. */
export function createContext(
  env: Bindings,
  waitUntil: (work: Promise<unknown>) => void,
  options: { writes: boolean; logFields?: Record<string, unknown> },
): Context {
  const { config, reads, writes, memory } = shared.get(env) ?? prepare(env)
  const log = createLog(options.logFields)
  return {
    config,
    db: options.writes ? writes : reads,
    redis: connectRedis(config),
    queue: env.WEBHOOK_EVENTS,
    fetch: (input, init) => fetch(input, init),
    log,
    memory,
    defer: (work) =>
      waitUntil(work.catch((error) => log('deferred.failed', { error: describeError(error) }))),
  }
}

/** Gives each request its context: reads with a short time limit, or writes with a longer one. */
export function services(options: { writes: boolean }) {
  return createMiddleware<Env>(async function services(c, next) {
    const logFields = { requestId: c.get('requestId') }
    c.set(
      'ctx',
      createContext(c.env, (work) => c.executionCtx.waitUntil(work), { ...options, logFields }),
    )
    await next()
  })
}

function prepare(env: Bindings): Shared {
  const config = parseConfig(env)
  const made = {
    config,
    reads: connect(config, READ_TIMEOUT_MS),
    writes: connect(config, WRITE_TIMEOUT_MS),
    memory: new Memory<unknown>(MEMORY_BYTES),
  }
  shared.set(env, made)
  return made
}
