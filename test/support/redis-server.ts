/** A Redis server of a test's own, to empty, to fill, and to leave. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

export async function startRedisServer() {
  const port = await freePort()
  const dir = mkdtempSync(join(tmpdir(), 'redis-'))
  const child = spawn('redis-server', [
    '--port',
    String(port),
    '--save',
    '',
    '--dir',
    dir,
    '--bind',
    '127.0.0.1',
  ])
  if (child.pid === undefined) throw new Error('Install redis-server, which this test starts')
  const exited = once(child, 'exit')
  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: null })
  redis.on('error', () => {})
  while (
    !(await redis.connect().then(
      () => true,
      () => false,
    ))
  ) {
    if (child.exitCode !== null) throw new Error('redis-server ended')
    await sleep(20)
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    redis,
    async stop() {
      redis.disconnect()
      child.kill()
      await exited
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
