/** Runs in Node before the Worker's tests: the local stack, migrated and empty, and a scripted webhook receiver. */
import { randomBytes, randomInt } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { startStack } from '../../src/local/stack.ts'
import { startReceiver } from './receiver.ts'
import { knownAfter, secretsInPostgres, secretsInRedis, secretsReceived } from './remains.ts'

declare module 'vitest' {
  interface ProvidedContext {
    bindings: Record<string, string>
    receiver: string
    /** The PostgreSQL server under test, as its owner; null on the embedded stack. */
    server: string | null
    /** A migrated database on it, to copy. */
    template: string | null
    gateways: { postgres: string; redis: string }
    /** FUZZ_SEED, or a random one. */
    fuzzSeed: number
    /** The long searches run completely. */
    deep: boolean
  }
  interface TaskMeta {
    /** Output of a test that is printed even if it passed. */
    summary?: string
  }
}

/** Servers to use instead of the embedded ones, the prefix of every Redis key, and the name of a migrated database. */
export type Services = {
  databaseUrl: string
  ownerUrl: string
  redisUrl: string
  redisPrefix: string
  template: string
}

/** @returns the teardown */
export async function provideStack(project: TestProject, services: Services | null) {
  const stack = await startStack(services ?? {})
  await stack.migrate()
  const receiver = await startReceiver()
  const redisPrefix = services?.redisPrefix ?? 'hca'
  const bindings = {
    DATABASE_URL: stack.databaseUrl,
    DATABASE_HTTP_ENDPOINT: stack.databaseHttpEndpoint,
    UPSTASH_REDIS_REST_URL: stack.redisUrl,
    UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    REDIS_PREFIX: redisPrefix,
    OPERATOR_TOKEN: `hca_operator_${randomBytes(24).toString('hex')}`,
    WEBHOOK_KEYS: `test:${randomBytes(32).toString('base64')}`,
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
  }
  project.provide('bindings', bindings)
  project.provide('receiver', receiver.url)
  project.provide('server', services?.ownerUrl ?? null)
  project.provide('template', services?.template ?? null)
  project.provide('gateways', {
    postgres: stack.databaseHttpEndpoint.replace(/\/sql$/, ''),
    redis: stack.redisUrl,
  })
  project.provide('fuzzSeed', Number(process.env.FUZZ_SEED ?? randomInt(2 ** 31)))
  return async () => {
    tell(project)
    try {
      const known = knownAfter(bindings, receiver.received)
      const leaks = [
        ...secretsReceived(receiver.received, known),
        ...(await secretsInPostgres(stack, known)),
        ...(await secretsInRedis(stack, services ? `${redisPrefix}:*` : '*', known)),
      ]
      if (leaks.length > 0) throw new Error(`Secrets were left behind: ${leaks.join('; ')}`)
    } finally {
      await receiver.close()
      await stack.stop()
    }
  }
}

/** Prints the `summary` of tests, since the config's `silent` hides their output. */
function tell(project: TestProject): void {
  for (const module of project.vitest.state.getTestModules()) {
    for (const test of module.children.allTests()) {
      const { summary } = test.meta()
      if (summary) console.info(`\n${summary}`)
    }
  }
}
