/**
 * The Worker's process: Miniflare with the settings of wrangler.toml. `wrangler dev` adds a proxy, and takes more than
 * twice as long to start. The parent sends `RuntimeOptions` as a message, so that secrets are in no process list or file.
 */
import { once } from 'node:events'
import { Log, Miniflare } from 'miniflare'
import { bundleWorker, NETWORK, PROJECT, settings, type Table } from './worker-bundle.ts'

export type RuntimeOptions = {
  port: number
  persistTo: string
  bindings: Record<string, string>
  inspect: boolean
  isPaused: boolean
  bundle?: string
}

// Mail, which may contain a sign-in link, is written to the system's temporary folder.
process.umask(0o077)

const [{ port, persistTo, bindings, inspect, isPaused, bundle }] = (await once(process, 'message')) as [
  RuntimeOptions,
]
const { binding: assetsBinding, directory, ...assets } = settings.assets
const miniflare = new Miniflare({
  inspectorPort: inspect ? 9229 : undefined,
  resourcePersistencePath: persistTo,
  log: new Log(),
  logRequests: false,
  // Otherwise it would fetch an example of `request.cf` from Cloudflare.
  cf: false,
  // Otherwise it would register itself in the user's home.
  enableDevRegistry: false,
  workers: [
    {
      config: {
        name: settings.name,
        compatibilityDate: settings.compatibility_date,
        // The second flag lets `Local` run the cron.
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
          ...(bindings.ALERT_EMAIL_FROM ? [['EMAIL', { type: 'send-email' }]] : []),
        ]),
        triggers: (isPaused ? [] : settings.queues.consumers).map(({ queue, ...consumer }) => ({
          type: 'queue',
          name: queue,
          ...camelCased(consumer),
        })),
        assets: { directory, hasUserWorker: true, ...camelCased(assets) },
      },
      // The inspector's own proxy refuses requests from websites.
      dev: {
        unsafeDirectSockets: [{ host: '127.0.0.1', port, entrypoint: 'Local' }],
        rootPath: PROJECT,
        unsafeInspectorProxy: inspect,
        // It would keep every body on disk forever.
        cacheAPI: false,
      },
    },
  ],
})
process.once('SIGTERM', () => miniflare.dispose().finally(() => process.exit()))
await miniflare.ready

/** Miniflare uses camelCase, and rejects unknown settings. */
function camelCased(settings: Table): Table {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [camel(name), value]))
}
