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

/** Seconds until a write takes effect, counted from when Redis or the cache is reachable again. */
export const EFFECTIVE_WITHIN = 'X-Effective-Within'

/** On a 500 after a write: says if the write was committed. */
export const COMMITTED = 'X-Committed'

type Execution = Pick<ExecutionContext, 'waitUntil' | 'cache'>

type Clients = Pick<Context, 'db' | 'redis'>
type Shared = Pick<Context, 'config' | 'caches'> & { reads: Clients; writes: Clients; background: Clients }

const shared = new WeakMap<Bindings, Shared>()

/** For one request, message or cron run. Each isolate creates its configuration, clients and caches once. */
export function createContext(
  env: Bindings,
  execution: Execution,
  options: {
    writes: boolean
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
    changesetId: crypto.randomUUID(),
    written: { committed: 'no' },
    ...clients[options.background ? 'background' : options.writes ? 'writes' : 'reads'],
    queue: env.WEBHOOK_EVENTS,
    importQueue: env.IMPORTS,
    fetch: (input, init) => fetch(input, init),
    email: env.EMAIL ?? null,
    log,
    logFields,
    caches,
    purgeCache: (tags) => purge(execution, tags),
    takesEffectLater: options.takesEffectLater ?? (() => {}),
    noteVersionRead: () => {},
    defer: (work) =>
      execution.waitUntil(work.catch((error) => log('deferred.failed', { error: describeError(error) }))),
  }
}

/** Only GET and HEAD get the short timeouts. */
export const withContext = createMiddleware<Env>(async function withContext(c, next) {
  const ctx = createContext(c.env, c.executionCtx as ExecutionContext, {
    writes: !isRead(c),
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

export const isRead = (c: Http) => ['GET', 'HEAD'].includes(c.req.method)

/** Does nothing when no cache stands in front of the Worker. */
async function purge({ cache }: Execution, tags: string[]): Promise<void> {
  const purged = await cache?.purge({ tags })
  if (purged && !purged.success) throw new Error(purged.errors.map(({ message }) => message).join('; '))
}

function prepare(env: Bindings): Shared {
  const config = parseConfig(env)
  // Don't scale WRITE_TIMEOUT_MS: EFFECTIVE_AFTER_MS is derived from it.
  const scaled = (ms: number) => ms * config.TIMEOUT_FACTOR
  const writeDb = connectDatabase(config, WRITE_TIMEOUT_MS)
  const made = {
    config,
    reads: {
      db: connectDatabase(config, scaled(READ_TIMEOUT_MS)),
      redis: connectRedis(config, scaled(READER_TIMEOUT_MS)),
    },
    writes: { db: writeDb, redis: connectRedis(config, scaled(WRITER_TIMEOUT_MS)) },
    background: { db: writeDb, redis: connectRedis(config, scaled(BACKGROUND_TIMEOUT_MS)) },
    caches: createCaches(),
  }
  shared.set(env, made)
  return made
}
