/** The context that verbs take, made of the Worker's environment. */
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { createCaches } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import { parseConfig } from '../../src/core/config.ts'
import { AppError } from '../../src/core/errors.ts'
import { createLog, describeError } from '../../src/core/log.ts'
import {
  BACKGROUND_TIMEOUT_MS,
  connectRedis,
  READER_TIMEOUT_MS,
  WRITER_TIMEOUT_MS,
} from '../../src/core/redis.ts'
import { connectDatabase, READ_TIMEOUT_MS, WRITE_TIMEOUT_MS } from '../../src/db/client.ts'
import { logRefusal } from '../../src/people/audit-log.ts'
import type { Bindings, Env, Http } from './env.ts'

/** Header: seconds, from when Redis or the cache can be reached again, until a write takes effect that it could not be told of. */
export const EFFECTIVE_WITHIN = 'X-Effective-Within'

/** Header of a write that failed with 500: whether it was committed all the same. */
export const COMMITTED = 'X-Committed'

type Execution = Pick<ExecutionContext, 'waitUntil' | 'cache'>

type Clients = Pick<Context, 'db' | 'redis'>
type Shared = Pick<Context, 'config' | 'caches'> & { reads: Clients; writes: Clients; background: Clients }

const shared = new WeakMap<Bindings, Shared>()

/** A context for one request, message or cron run. Configuration, drivers and caches are made once an isolate. */
export function createContext(
  env: Bindings,
  execution: Execution,
  options: {
    writes: boolean
    /** Nobody waits for it. */
    background?: boolean
    logFields?: Record<string, unknown>
    takesEffectLater?: Context['takesEffectLater']
  },
): Context {
  const { config, caches, ...clients } = shared.get(env) ?? prepare(env)
  const logFields = { ...options.logFields }
  const log = createLog(logFields)
  return {
    config,
    actor: null,
    actId: crypto.randomUUID(),
    written: { committed: 'no' },
    ...clients[options.background ? 'background' : options.writes ? 'writes' : 'reads'],
    queue: env.WEBHOOK_EVENTS,
    fetch: (input, init) => fetch(input, init),
    email: env.EMAIL ?? null,
    log,
    logFields,
    caches,
    purgeCache: (tags) => purge(execution, tags),
    takesEffectLater: options.takesEffectLater ?? (() => {}),
    sawContentVersion: () => {},
    defer: (work) =>
      execution.waitUntil(work.catch((error) => log('deferred.failed', { error: describeError(error) }))),
  }
}

/** Gives each request its context, with the time limits of reads; where it `writes`, for GET and HEAD only. */
export function withContext({ writes }: { writes: boolean }) {
  return createMiddleware<Env>(async function withContext(c, next) {
    const ctx = createContext(c.env, c.executionCtx as ExecutionContext, {
      writes: writes && !isRead(c),
      logFields: { requestId: c.get('requestId') },
      takesEffectLater: (withinMs) => c.header(EFFECTIVE_WITHIN, String(withinMs / 1_000)),
    })
    c.set('ctx', ctx)
    await next()
    if (c.error instanceof AppError && c.error.code === 'role_required') {
      const [what, operation] = [c.req.path, routePath(c, -1)].map((path) => `${c.req.method} ${path}`)
      ctx.defer(logRefusal(ctx, 'operator.refused', what!, operation!))
    }
  })
}

export const isRead = (c: Http) => ['GET', 'HEAD'].includes(c.req.method)

/** Where no cache stands in front of the Worker, there is nothing to purge. */
async function purge({ cache }: Execution, tags: string[]): Promise<void> {
  const purged = await cache?.purge({ tags })
  if (purged && !purged.success) throw new Error(purged.errors.map(({ message }) => message).join('; '))
}

function prepare(env: Bindings): Shared {
  const config = parseConfig(env)
  // WRITE_TIMEOUT_MS stays as it is: EFFECTIVE_AFTER_MS is computed from it.
  const scaled = (ms: number) => ms * config.TIMEOUT_FACTOR
  const patientDb = connectDatabase(config, WRITE_TIMEOUT_MS)
  const made = {
    config,
    reads: {
      db: connectDatabase(config, scaled(READ_TIMEOUT_MS)),
      redis: connectRedis(config, scaled(READER_TIMEOUT_MS)),
    },
    writes: { db: patientDb, redis: connectRedis(config, scaled(WRITER_TIMEOUT_MS)) },
    background: { db: patientDb, redis: connectRedis(config, scaled(BACKGROUND_TIMEOUT_MS)) },
    caches: createCaches(),
  }
  shared.set(env, made)
  return made
}
