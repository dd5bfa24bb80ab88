/** The receivers of docs/receivers, each run as its first lines describe. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BuildOptions, build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { freePort } from './free-port.ts'

const PROJECT = join(import.meta.dirname, '../..')
const FOLDER = join(PROJECT, 'docs/receivers')
const KIT = { 'headless-content-api/webhooks': join(PROJECT, 'src/sdk/webhooks.ts') }
const COMPATIBILITY_DATE = /compatibility_date = "([^"]+)"/.exec(readFileSync('wrangler.toml', 'utf8'))![1]!
const START_TIMEOUT_MS = 20_000

export type Running = {
  url: string
  /** Its output so far. */
  output(): string
  stop(): Promise<void>
}

type Receiver = {
  name: string
  files: string[]
  /** The missing requirement on this machine; null if there is none. */
  missing: string | null
  /** Its status for a request that is not genuine. */
  refusal: number
  start(secret: string): Promise<Running>
}

const lacksCommand = (command: string, flag = '--version') =>
  spawnSync(command, [flag]).error ? `${command} is not installed` : null

function lacksPackage(name: string): string | null {
  try {
    createRequire(import.meta.url).resolve(name)
    return null
  } catch {
    return `${name} is not installed`
  }
}

export const RECEIVERS: Receiver[] = [
  {
    name: 'Hono on Workers',
    files: ['hono-worker.ts'],
    missing: null,
    refusal: 401,
    start: startWorkerReceiver,
  },
  {
    name: 'Express',
    files: ['express.mjs'],
    missing: lacksPackage('express'),
    refusal: 401,
    start: (secret) => startModule(secret, { entryPoints: [`${FOLDER}/express.mjs`] }),
  },
  {
    name: 'Fastify',
    files: ['fastify.mjs'],
    missing: lacksPackage('fastify'),
    refusal: 401,
    start: (secret) => startModule(secret, { entryPoints: [`${FOLDER}/fastify.mjs`] }),
  },
  {
    name: 'a Next.js route handler',
    files: ['next-route.ts'],
    missing: null,
    refusal: 401,
    start: (secret) => startModule(secret, { stdin: { contents: SERVED_ROUTE, resolveDir: FOLDER } }),
  },
  {
    name: 'PHP',
    files: ['receiver.php'],
    missing: lacksCommand('php'),
    refusal: 401,
    start: (secret) =>
      startProgram(secret, (port) => ['php', '-S', `127.0.0.1:${port}`, `${FOLDER}/receiver.php`]),
  },
  {
    name: 'Python',
    files: ['receiver.py'],
    missing: lacksCommand('python3'),
    refusal: 401,
    start: (secret) => startProgram(secret, () => ['python3', `${FOLDER}/receiver.py`]),
  },
  {
    name: "Debian's webhook",
    files: ['webhook/hooks.yaml', 'webhook/receive.sh'],
    missing: lacksCommand('webhook', '-version') ?? lacksCommand('openssl', 'version'),
    refusal: 500,
    start: startWebhook,
  },
]

/** A route handler gets a Request. Stands in for Next.js, which is not installed for it. */
const SERVED_ROUTE = `
  import { createServer } from 'node:http'
  import { Readable } from 'node:stream'
  import { POST } from './next-route.ts'
  createServer(async (incoming, outgoing) => {
    const { method, headers } = incoming
    const body = method === 'POST' ? Readable.toWeb(incoming) : null
    const request = new Request('http://localhost/hooks', { method, headers, body, duplex: 'half' })
    const response = await POST(request).catch(() => new Response(null, { status: 500 }))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text())
  }).listen(process.env.PORT)`

/** No server closes an idle connection, see http-server.ts. */
const KEEP_IDLE = `
  import { subscribe } from 'node:diagnostics_channel'
  subscribe('http.server.request.start', ({ server }) => { server.keepAliveTimeout = 0 })`

/** Runs a module with the installed packages. */
async function startModule(secret: string, source: BuildOptions): Promise<Running> {
  const cache = join(PROJECT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const dir = mkdtempSync(join(cache, 'receiver-'))
  const outfile = join(dir, 'receiver.mjs')
  const forNode = { bundle: true, platform: 'node', format: 'esm', packages: 'external' } as const
  await build({ ...source, ...forNode, alias: KIT, outfile, banner: { js: KEEP_IDLE } })
  return startProgram(secret, () => [process.execPath, outfile], dir)
}

async function startWebhook(secret: string): Promise<Running> {
  const dir = mkdtempSync(join(tmpdir(), 'receiver-'))
  const hooks = readFileSync(`${FOLDER}/webhook/hooks.yaml`, 'utf8')
  writeFileSync(join(dir, 'hooks.yaml'), hooks.replace('/etc/webhook/', `${FOLDER}/webhook/`))
  const options = ['-hooks', 'hooks.yaml', '-ip', '127.0.0.1', '-verbose', '-port']
  const running = await startProgram(secret, (port) => ['webhook', ...options, `${port}`], dir)
  return { ...running, url: `${running.url}/articles` }
}

/** Runs it in `dir`, which is deleted with it. */
async function startProgram(
  secret: string,
  command: (port: number) => string[],
  dir = mkdtempSync(join(tmpdir(), 'receiver-')),
): Promise<Running> {
  const port = await freePort()
  const [program, ...args] = command(port)
  const child = spawn(program!, args, {
    cwd: dir,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port), EVENTS_DIR: dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      printed += chunk
    })
  }
  const running: Running = {
    url: `http://127.0.0.1:${port}/hooks`,
    output: () => printed,
    async stop() {
      child.kill('SIGKILL')
      await closed
      rmSync(dir, { recursive: true, force: true })
    },
  }
  if (await isListening(child, port)) return running
  await running.stop()
  throw new Error(`It does not start: ${printed}`)
}

/** Waits until it answers; false if it ends before, or takes too long. */
async function isListening(child: ChildProcess, port: number): Promise<boolean> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; child.exitCode === null; await sleep(50)) {
    const response = await fetch(`http://127.0.0.1:${port}`).catch(() => null)
    await response?.body?.cancel()
    if (response) return true
    if (Date.now() > deadline) return false
  }
  return false
}

async function startWorkerReceiver(secret: string): Promise<Running> {
  const file = join(FOLDER, 'hono-worker.ts')
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    format: 'esm',
    alias: KIT,
    write: false,
  })
  let printed = ''
  const miniflare = new Miniflare({
    ...{ host: '127.0.0.1', port: 0, cf: false, enableDevRegistry: false },
    handleStructuredLogs: ({ message }) => {
      printed += `${message}\n`
    },
    workers: [
      {
        config: {
          name: 'receiver',
          compatibilityDate: COMPATIBILITY_DATE,
          manifest: {
            mainModule: 'receiver.js',
            modules: { 'receiver.js': { type: 'esm', contents: outputFiles[0]!.text } },
          },
          env: { WEBHOOK_SECRET: { type: 'text', value: secret }, DB: { type: 'd1', id: 'events' } },
        },
      },
    ],
  })
  const origin = await miniflare.ready
  const database = await miniflare.getD1Database('DB')
  await database.exec(/create table .*/.exec(readFileSync(file, 'utf8'))![0])
  return {
    url: new URL('/hooks', origin).href,
    output: () => printed,
    stop: () => miniflare.dispose(),
  }
}
