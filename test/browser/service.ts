/** The whole service as a separate process with a folder of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { startReceiver } from '../support/receiver.ts'

const PROJECT = join(import.meta.dirname, '../..')

export type Service = {
  origin: string
  operatorToken: string
  /** The site that every new service has, with posts, guides and a key. */
  demo: { siteId: string; apiKey: string }
  /** The file with its URLs and secrets. */
  file: string
  /** A scripted receiver of webhooks. */
  receiver: string
  stop(): Promise<void>
}

/** Starts it on the embedded stack. Rejects with its output when it does not become ready. */
export async function startService(): Promise<Service> {
  const dir = mkdtempSync(join(tmpdir(), 'console-'))
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env
  const child = spawn(process.execPath, ['src/local/start.ts'], {
    cwd: PROJECT,
    env: { ...inherited, PORT: String(await freePort()), LOCAL_DIR: dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let output = ''
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        if (output.includes('service.json')) resolve()
      })
    }
    exited.then(() => reject(new Error(output)))
  })
  const file = join(dir, 'service.json')
  const { baseUrl, operatorToken, demo } = JSON.parse(readFileSync(file, 'utf8'))
  const receiver = await startReceiver()
  return {
    receiver: receiver.url,
    origin: new URL(baseUrl).origin,
    operatorToken,
    demo,
    file,
    async stop() {
      child.kill('SIGTERM')
      await exited
      await receiver.close()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
