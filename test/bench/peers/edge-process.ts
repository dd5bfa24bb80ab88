/**
 * A peer's Worker in Miniflare, as `npm start` runs ours, with D1, KV and R2 in a folder. The parent sends an `Edge`, is told
 * once the port is open, and then sends statements for D1, each with its values.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Miniflare } from 'miniflare'

export type Edge = {
  port: number
  /** The bundle. */
  file: string
  persistTo: string
  flags: string[]
  /** By name, the kind of the binding, or the text that it is. */
  bindings: Record<string, { type: 'd1' | 'kv' | 'r2' } | { type: 'text'; value: string }>
}

export type Statement = [sql: string, ...values: (string | number | null)[]]

const [{ port, file, persistTo, flags, bindings }] = (await once(process, 'message')) as [Edge]
const env = Object.entries(bindings).map(([name, binding]) => {
  const id = name.toLowerCase().replaceAll('_', '-')
  return [
    name,
    binding.type === 'r2' ? { ...binding, name: id } : binding.type === 'text' ? binding : { ...binding, id },
  ]
})
const miniflare = new Miniflare({
  cf: false,
  enableDevRegistry: false,
  resourcePersistencePath: persistTo,
  workers: [
    {
      config: {
        name: 'peer',
        compatibilityDate: '2026-11-02',
        compatibilityFlags: flags,
        manifest: {
          mainModule: 'worker.js',
          modules: { 'worker.js': { type: 'esm', contents: await readFile(file, 'utf8') } },
        },
        env: Object.fromEntries(env),
      },
      dev: { unsafeDirectSockets: [{ host: '127.0.0.1', port }] },
    },
  ],
})
process.once('disconnect', () => miniflare.dispose().finally(() => process.exit()))
await miniflare.ready
const database = await miniflare.getD1Database('DB')
process.on('message', async (statements: Statement[]) => {
  await database.batch(statements.map(([sql, ...values]) => database.prepare(sql).bind(...values)))
  process.send!('done')
})
process.send!('ready')
