/** The whole service as a separate process with a folder of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../support/embedded-database.ts'
import { freePort } from '../support/free-port.ts'
import { startReceiver } from '../support/receiver.ts'

const PROJECT = join(import.meta.dirname, '../..')
const OUTPUT = 'output'
const READY_TIMEOUT_MS = 180_000

export type Service = {
  origin: string
  operatorToken: string
  /** The site that every new service has, with posts, guides and a key. */
  demo: { siteId: string; apiKey: string }
  file: string
  /** A scripted webhook receiver. */
  receiver: string
}

/** Starts it on the embedded stack. Rejects with its output when it does not become ready. */
export async function startService(): Promise<Service & { stop: () => Promise<void> }> {
  const { stop, ...launched } = await launchService()
  return { ...(await untilReady(launched)), stop }
}

export type Launched = { dir: string; receiver: string }

export async function launchService(): Promise<Launched & { stop: () => Promise<void> }> {
  const dir = mkdtempSync(join(tmpdir(), 'console-'))
  const { DATABASE_URL: _database, REDIS_URL: _redis, ...inherited } = process.env
  await (await openDatabase('migrated', join(dir, 'postgres'))).close()
  const output = openSync(join(dir, OUTPUT), 'w')
  const child = spawn(process.execPath, ['src/local/start.ts'], {
    cwd: PROJECT,
    env: { ...inherited, PORT: String(await freePort()), LOCAL_DIR: dir },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const exited = once(child, 'exit')
  const receiver = await startReceiver()
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    await receiver.close()
    rmSync(dir, { recursive: true, force: true })
  }
  return { dir, receiver: receiver.url, stop }
}

export async function untilReady({ dir, receiver }: Launched): Promise<Service> {
  const output = () => readFileSync(join(dir, OUTPUT), 'utf8')
  for (const deadline = Date.now() + READY_TIMEOUT_MS; !output().includes('service.json'); await sleep(100)) {
    if (Date.now() > deadline) throw new Error(`The service is not ready:\n${output()}`)
  }
  const file = join(dir, 'service.json')
  const { baseUrl, operatorToken, demo } = JSON.parse(readFileSync(file, 'utf8'))
  return { receiver, origin: new URL(baseUrl).origin, operatorToken, demo, file }
}
