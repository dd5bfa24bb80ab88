/**
 * A peer's Worker in Miniflare, as `npm start` runs ours, with D1, KV and R2 in a folder. The parent sends an `Edge`, is told
 * once the port is open, and then sends statements for D1, each with its values.
 */
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Miniflare } from 'miniflare'

export type Edge = {
  port: number
  /** The main module. All others that are below its folder can be imported. */
  main: string
  persistTo: string
  flags: string[]
  /** By name, the kind of the binding, or the text that it is. */
  bindings: Record<string, { type: 'd1' | 'kv' | 'r2' } | { type: 'text'; value: string }>
}

export type Statement = [sql: string, ...values: (string | number | boolean | null)[]]

const [{ port, main, persistTo, flags, bindings }] = (await once(process, 'message')) as [Edge]
const env = Object.entries(bindings).map(([name, binding]) => {
  const id = name.toLowerCase().replaceAll('_', '-')
  return [
    name,
    binding.type === 'r2' ? { ...binding, name: id } : binding.type === 'text' ? binding : { ...binding, id },
  ]
})
const files = (await readdir(dirname(main), { recursive: true })).filter((file) => /\.m?js$/.test(file))
const modules = files.map(async (file) => {
  const contents = await readFile(join(dirname(main), file), 'utf8')
  return [file, { type: 'esm', contents }] as const
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
          mainModule: basename(main),
          modules: Object.fromEntries(await Promise.all(modules)),
        },
        env: Object.fromEntries(env),
      },
      dev: { unsafeDirectSockets: [{ host: '127.0.0.1', port }] },
    },
  ],
})
process.once('disconnect', () => miniflare.dispose().finally(() => process.exit()))
await miniflare.ready
const [name] = Object.entries(bindings).find(([, { type }]) => type === 'd1')!
const database = await miniflare.getD1Database(name)
process.on('message', async (statements: Statement[]) => {
  await database.batch(statements.map(([sql, ...values]) => database.prepare(sql).bind(...values)))
  process.send!('done')
})
process.send!('ready')
