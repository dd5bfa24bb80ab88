/** The machine on which the figures were measured. */
import { readFileSync } from 'node:fs'
import { arch, cpus, loadavg, platform, totalmem } from 'node:os'
import { Redis } from 'ioredis'
import { query } from '../support/databases.ts'
import { workerdVersion } from './worker.ts'

export type Machine = Awaited<ReturnType<typeof describeMachine>>

export async function describeMachine(databaseUrl: string, redisUrl: string) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [{ server_version: postgres }] = await query(databaseUrl, 'show server_version')
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${platform()} ${arch()}`,
    /** The load of the machine just before. */
    loadAverage: loadavg()[0]!,
    versions: {
      node: process.versions.node,
      workerd: workerdVersion,
      postgres: postgres.split(' ')[0],
      redis: await redisVersion(redisUrl),
      wrangler: dependencies.wrangler,
      autocannon: devDependencies.autocannon,
      hono: dependencies.hono,
    },
  }
}

async function redisVersion(url: string): Promise<string> {
  const redis = new Redis(url)
  const info = await redis.info('server')
  redis.disconnect()
  return /redis_version:(\S+)/.exec(info)?.[1] ?? 'unknown'
}
