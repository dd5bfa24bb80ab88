/** The verbs' context over the test's environment, for what no API shows. */
import { env } from 'cloudflare:workers'
import { createContext } from '../../functions/http/context.ts'
import type { Bindings } from '../../functions/http/env.ts'
import type { Context } from '../../src/context.ts'
import { connectRedis } from '../../src/core/redis.ts'
import { ADMIN } from './actor.ts'

export const bindings = env as unknown as Bindings

/** An invocation that nothing outlives, with no cache in front of it. */
export const NO_EXECUTION = { waitUntil() {} }

/** `parts` replace parts of the context, such as a queue that loses its messages. */
export function testContext(parts: Partial<Context> = {}): Context {
  return { ...createContext(bindings, NO_EXECUTION, { writes: true }), actor: ADMIN, ...parts }
}

/** For what a test itself reads and writes, which may take longer than the service waits. */
export const patientRedis = () => connectRedis(testContext().config, 10_000)

/** A queue whose messages all get lost. */
export const lossyQueue: Context['queue'] = {
  send: async () => ({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }),
  sendBatch: async () => ({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } }),
}
