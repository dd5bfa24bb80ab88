/**
 * The Worker's process: `wrangler dev` through its API, because its command line always opens V8's inspector, whose heap
 * snapshots hold every secret, to every user of the machine. Its one argument is a `RuntimeOptions` as JSON.
 */
import { join } from 'node:path'
import { unstable_startWorker } from 'wrangler'

export type RuntimeOptions = {
  port: number
  envFile: string
  persistTo: string
  vars: Record<string, string>
  inspect: boolean
}

const { port, envFile, persistTo, vars, inspect } = JSON.parse(process.argv[2]!) as RuntimeOptions
const worker = await unstable_startWorker({
  config: join(import.meta.dirname, '../../wrangler.toml'),
  envFiles: [envFile],
  bindings: Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, { type: 'plain_text', value }]),
  ),
  dev: {
    server: { hostname: '127.0.0.1', port },
    inspector: inspect ? { hostname: '127.0.0.1' } : false,
    persist: persistTo,
    watch: true,
    remote: false,
    logLevel: 'log',
  },
})
process.once('SIGTERM', () => worker.dispose().finally(() => process.exit()))
