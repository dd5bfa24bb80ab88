/** The verbs' context in the test's environment, for state that no API shows. */
import { env } from 'cloudflare:workers'
import { createContext } from '../../functions/http/context.ts'
import type { Bindings } from '../../functions/http/env.ts'
import type { Context } from '../../src/context.ts'
import { connectRedis } from '../../src/core/redis.ts'
import { ADMIN } from './actor.ts'

export const bindings = env as unknown as Bindings

/** An invocation without deferred work or a cache in front of it. */
export const NO_EXECUTION = { waitUntil() {} }

/** `parts` replace parts of the context, such as the queue. */
export function testContext(parts: Partial<Context> = {}): Context {
  return { ...createContext(bindings, NO_EXECUTION, { writes: true }), actor: ADMIN, ...parts }
}

/** For the test's own reads and writes, which may exceed the service's timeouts. */
export const patientRedis = () => connectRedis(testContext().config, 10_000)

/** A queue that loses all messages. */
export const lossyQueue: Context['queue'] = {
  send: async () => ({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }),
  sendBatch: async () => ({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }),
}
