/** The gateways and the cache in a process of their own, so that their CPU can be told from the Worker's. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Stack } from '../../src/local/stack.ts'

type Urls = Pick<Stack, 'databaseUrl' | 'databaseHttpEndpoint' | 'redisUrl' | 'redisToken'> & {
  cacheUrl: string
}
type Stats = { requests: number; queries?: number; commands?: number }
/** `stats` are of the calls so far. */
export type Gateways = Urls & {
  pid: number
  stats(gateway: 'postgres' | 'redis'): Promise<Stats>
  stop(): Promise<void>
}

/** Starts them before the servers of these URLs, the database at its newest migration. */
export async function startGateways(servers: { databaseUrl: string; redisUrl: string }): Promise<Gateways> {
  const child = fork(join(import.meta.dirname, 'gateways-process.ts'), {
    env: { ...process.env, DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl },
    execArgv: [],
  })
  const exited = once(child, 'exit')
  const died = exited.then(() => {
    throw new Error('The gateways could not be started')
  })
  const [urls] = (await Promise.race([once(child, 'message'), died])) as [Urls]
  died.catch(() => {})
  return {
    ...urls,
    pid: child.pid!,
    async stats(gateway) {
      const url = gateway === 'postgres' ? urls.databaseHttpEndpoint : urls.redisUrl
      return (await (await fetch(new URL('/stats', url))).json()) as Stats
    },
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
