/**
 * The Worker's process: Miniflare with the settings of wrangler.toml. `wrangler dev` is the same behind a proxy, and takes
 * more than twice as long to start. The parent sends the `RuntimeOptions`, so that no process list or file has the secrets.
 */
import { once } from 'node:events'
import { Log, Miniflare } from 'miniflare'
import { bundleWorker, NETWORK, PROJECT, settings, type Table } from './worker-bundle.ts'

export type RuntimeOptions = {
  port: number
  persistTo: string
  /** Variables and secrets. */
  bindings: Record<string, string>
  inspect: boolean
  /** The Worker's code, if somebody has bundled it already. */
  bundle?: string
}

// Mail, which may have a link that signs in, is written into the system's temporary folder.
process.umask(0o077)

const [{ port, persistTo, bindings, inspect, bundle }] = (await once(process, 'message')) as [RuntimeOptions]
const { binding: assetsBinding, directory, ...assets } = settings.assets
const miniflare = new Miniflare({
  inspectorPort: inspect ? 9229 : undefined,
  resourcePersistencePath: persistTo,
  log: new Log(),
  logRequests: false,
  // Otherwise it would ask Cloudflare for an example of `request.cf`.
  cf: false,
  // Nor is it announced in a folder of the user.
  enableDevRegistry: false,
  workers: [
    {
      config: {
        name: settings.name,
        compatibilityDate: settings.compatibility_date,
        // The second lets `Local` run the cron.
        compatibilityFlags: [...settings.compatibility_flags, 'service_binding_extra_handlers'],
        manifest: {
          mainModule: 'worker.js',
          modules: { 'worker.js': { type: 'esm', contents: bundle ?? (await bundleWorker(inspect)) } },
        },
        env: Object.fromEntries([
          ...Object.entries(bindings).map(([name, value]) => [name, { type: 'text', value }]),
          ...settings.queues.producers.map(({ binding, queue }) => [binding, { type: 'queue', name: queue }]),
          [assetsBinding, { type: 'assets' }],
          [NETWORK, { type: 'network', allow: ['private'] }],
          // Writes each mail to a file, whose name is in the log.
          ...(bindings.ALERT_EMAIL_TO ? [['EMAIL', { type: 'send-email' }]] : []),
        ]),
        triggers: settings.queues.consumers.map(({ queue, ...consumer }) => ({
          type: 'queue',
          name: queue,
          ...camelCased(consumer),
        })),
        assets: { directory, hasUserWorker: true, ...camelCased(assets) },
      },
      // The inspector's own proxy refuses what a website asks.
      dev: {
        unsafeDirectSockets: [{ host: '127.0.0.1', port, entrypoint: 'Local' }],
        rootPath: PROJECT,
        unsafeInspectorProxy: inspect,
        // It would keep every body on disk, for ever.
        cacheAPI: false,
      },
    },
  ],
})
process.once('SIGTERM', () => miniflare.dispose().finally(() => process.exit()))
await miniflare.ready

/** Miniflare spells the settings of wrangler.toml like this, and refuses those that it does not know. */
function camelCased(settings: Table): Table {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [camel(name), value]))
}
