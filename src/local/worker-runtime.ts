/**
 * The Worker's process: Miniflare with the settings of wrangler.toml. `wrangler dev` is the same behind a proxy, and takes
 * more than twice as long to start. The parent sends the `RuntimeOptions`, so that no process list or file has the secrets.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, stop } from 'esbuild'
import { Log, Miniflare } from 'miniflare'
import { parse } from 'smol-toml'

export type RuntimeOptions = {
  port: number
  persistTo: string
  /** Variables and secrets. */
  bindings: Record<string, string>
  inspect: boolean
}

type Table = Record<string, unknown>
type Settings = {
  name: string
  main: string
  compatibility_date: string
  compatibility_flags: string[]
  minify: boolean
  queues: { producers: { binding: string; queue: string }[]; consumers: ({ queue: string } & Table)[] }
  assets: { binding: string; directory: string } & Table
  cache: { enabled: boolean }
}

const PROJECT = join(import.meta.dirname, '../..')

const [{ port, persistTo, bindings, inspect }] = (await once(process, 'message')) as [RuntimeOptions]
const settings = parse(readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8')) as unknown as Settings
const { binding: assetsBinding, directory, ...assets } = settings.assets
const miniflare = new Miniflare({
  host: '127.0.0.1',
  port,
  inspectorPort: inspect ? 9229 : undefined,
  resourcePersistencePath: persistTo,
  log: new Log(),
  logRequests: false,
  // The cron is run by /cdn-cgi/local/scheduled.
  unsafeTriggerHandlers: true,
  // Otherwise it would ask Cloudflare for an example of `request.cf`.
  cf: false,
  // Nor is it announced in a folder of the user.
  enableDevRegistry: false,
  workers: [
    {
      config: {
        name: settings.name,
        compatibilityDate: settings.compatibility_date,
        compatibilityFlags: settings.compatibility_flags,
        manifest: {
          mainModule: 'worker.js',
          modules: { 'worker.js': { type: 'esm', contents: await bundle(settings) } },
        },
        env: Object.fromEntries([
          ...Object.entries(bindings).map(([name, value]) => [name, { type: 'text', value }]),
          ...settings.queues.producers.map(({ binding, queue }) => [binding, { type: 'queue', name: queue }]),
          [assetsBinding, { type: 'assets' }],
        ]),
        triggers: settings.queues.consumers.map(({ queue, ...consumer }) => ({
          type: 'queue',
          name: queue,
          ...camelCased(consumer),
        })),
        assets: { directory, hasUserWorker: true, ...camelCased(assets) },
      },
      // The inspector's own proxy refuses what a website asks.
      dev: { rootPath: PROJECT, unsafeInspectorProxy: inspect },
    },
  ],
})
process.once('SIGTERM', () => miniflare.dispose().finally(() => process.exit()))
await miniflare.ready

/** As wrangler bundles it. */
async function bundle(settings: Settings): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: asOnCloudflare(settings), resolveDir: PROJECT },
    bundle: true,
    minify: settings.minify,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    sourcemap: inspect && 'inline',
    write: false,
  })
  await stop()
  return outputFiles[0]!.text
}

/**
 * As Cloudflare does, puts a cache before each entrypoint, and reads a request to its end: workerd would break the
 * connection of a client that still sends.
 */
function asOnCloudflare({ main, cache }: Settings): string {
  return `
    import worker, { Bodies as Inner } from './${main}'
    import { withCacheBefore, withWorkersCache } from './src/local/workers-cache.ts'
    const { fetch, ...handlers } = ${cache.enabled} ? withWorkersCache(worker) : worker
    export default {
      ...handlers,
      async fetch(request, env, execution) {
        const response = await fetch(request, env, execution)
        if (request.body && !request.bodyUsed) await request.body.pipeTo(new WritableStream())
        return response
      },
    }
    export const Bodies = ${cache.enabled} ? withCacheBefore('Bodies', Inner) : Inner`
}

/** Miniflare spells the settings of wrangler.toml like this, and refuses those that it does not know. */
function camelCased(settings: Table): Table {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [camel(name), value]))
}
