/**
 * A bundle in workerd as in production: no proxy before it, no inspector, the module as it would be uploaded. The
 * services next to it are simulated: the cache is a separate process, assets are files, and the queue accepts every message.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type Bundle, PROJECT } from './bundle.ts'

const READY_TIMEOUT_MS = 30_000
/** The limit of an isolate in production; workerd itself has none. */
const HEAP_MIB = 128
const QUEUE = 'export default { fetch: () => new Response(null, { status: 204 }) }'

// Wrangler brings the runtime along, and with it the one that its compatibility date is for.
const fromWrangler = createRequire(createRequire(import.meta.url).resolve('wrangler'))
const WORKERD: string = fromWrangler('workerd').default
export const workerdVersion: string = fromWrangler('workerd').version

type Options = {
  bindings: Record<string, string>
  /** The address behind `caches`. */
  cacheUrl: string
  /** With an inspector, which slows it down. */
  inspected?: boolean
}

export type Worker = {
  origin: string
  /** Host and port; null unless it was asked for. */
  inspector: string | null
  pid: number
  stop(): Promise<void>
}

/** Starts it on a free port of 127.0.0.1. */
export async function startWorker(
  bundle: Bundle,
  { bindings, cacheUrl, inspected = false }: Options,
): Promise<Worker> {
  const config = join(bundle.dir, 'workerd.capnp')
  await writeFile(config, configOf(bundle, Object.keys(bindings), new URL(cacheUrl).host))
  const inspection = inspected ? ['--inspector-addr=127.0.0.1:0'] : []
  const child = spawn(WORKERD, ['serve', config, '--control-fd=3', ...inspection], {
    // Text bindings are passed in the environment, so that no file contains them. The log is discarded.
    env: bindings,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const exited = once(child, 'exit')
  let complaints = ''
  child.stderr!.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-2_000)
  })
  const died = exited.then(() => {
    throw new Error(`workerd has stopped:\n${complaints}`)
  })
  const deadline = setTimeout(kill, READY_TIMEOUT_MS)
  const ports = await Promise.race([portsOf(child.stdio[3] as Readable), died])
  clearTimeout(deadline)
  died.catch(() => {})
  return {
    origin: `http://127.0.0.1:${ports.http}`,
    inspector: ports.inspector === null ? null : `127.0.0.1:${ports.inspector}`,
    pid: child.pid!,
    async stop() {
      process.off('exit', kill)
      kill()
      await exited
    },
  }
}

/** workerd reports on its control channel where it listens, the inspector first. */
async function portsOf(control: Readable): Promise<{ http: number; inspector: number | null }> {
  let inspector = null
  for await (const line of createInterface(control)) {
    const { event, port } = JSON.parse(line)
    if (event === 'listen') return { http: port, inspector }
    inspector = port
  }
  throw new Error('workerd does not say where it listens')
}

function configOf({ main, settings }: Bundle, bindings: string[], cache: string): string {
  const text = JSON.stringify
  const all = [
    ...bindings.map((name) => `(name = ${text(name)}, fromEnvironment = ${text(name)})`),
    ...settings.queues.producers.map(({ binding }) => `(name = ${text(binding)}, queue = "queue")`),
    `(name = ${text(settings.assets.binding)}, service = "assets")`,
  ]
  const compatibility = `compatibilityDate = ${text(settings.compatibility_date)}`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = (
      modules = [(name = ${text(main)}, esModule = embed ${text(main)})],
      bindings = [${all.join(', ')}],
      ${compatibility},
      compatibilityFlags = ${text(settings.compatibility_flags)},
      cacheApiOutbound = "cache",
    )),
    (name = "internet", network = (allow = ["public", "private"], tlsOptions = (trustBrowserCas = true))),
    (name = "assets", disk = (path = ${text(resolve(PROJECT, settings.assets.directory))})),
    (name = "cache", external = (address = ${text(cache)}, http = ())),
    (name = "queue", worker = (
      modules = [(name = "queue.js", esModule = ${text(QUEUE)})],
      ${compatibility},
    )),
  ],
  v8Flags = ["--max-old-space-size=${HEAP_MIB}"],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
`
}
