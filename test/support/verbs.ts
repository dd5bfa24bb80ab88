/** The verbs' context in Node, for tests with a stack of their own. */
import { randomBytes } from 'node:crypto'
import { createCaches } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import { parseConfig } from '../../src/core/config.ts'
import { connectRedis, WRITER_TIMEOUT_MS } from '../../src/core/redis.ts'
import { connectDatabase, WRITE_TIMEOUT_MS } from '../../src/db/client.ts'
import type { Stack } from '../../src/local/stack.ts'
import { ADMIN } from './actor.ts'

type Urls = Pick<Stack, 'databaseUrl' | 'databaseHttpEndpoint' | 'redisUrl' | 'redisToken'>

/** A key of WEBHOOK_KEYS. */
export const webhookKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

/** A context without a queue: events stay in the outbox. */
export function contextOver(stack: Urls, webhookKeys = webhookKey('k')): Context {
  const config = parseConfig({
    DATABASE_URL: stack.databaseUrl,
    DATABASE_HTTP_ENDPOINT: stack.databaseHttpEndpoint,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    OPERATOR_TOKEN: 'x'.repeat(32),
    WEBHOOK_KEYS: webhookKeys,
  })
  const refuse = () => Promise.reject(new Error('no queue'))
  return {
    config,
    written: { committed: 'no' },
    actor: ADMIN,
    changesetId: crypto.randomUUID(),
    db: connectDatabase(config, WRITE_TIMEOUT_MS),
    redis: connectRedis(config, WRITER_TIMEOUT_MS),
    queue: { send: refuse, sendBatch: refuse },
    importQueue: { send: refuse },
    fetch,
    email: null,
    log: () => {},
    logFields: {},
    caches: createCaches(),
    purgeCache: async () => {},
    takesEffectLater: () => {},
    noteVersionRead: () => {},
    defer: () => {},
  }
}
