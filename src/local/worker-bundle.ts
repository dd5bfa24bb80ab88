/** The Worker of wrangler.toml. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, stop } from 'esbuild'
import { parse } from 'smol-toml'

export type Table = Record<string, unknown>
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

export const PROJECT = join(import.meta.dirname, '../..')

export const settings = parse(readFileSync(join(PROJECT, 'wrangler.toml'), 'utf8')) as unknown as Settings

/** Its code, bundled as wrangler does. @param inspect with the source map */
export async function bundleWorker(inspect: boolean): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: asOnCloudflare(), resolveDir: PROJECT },
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
function asOnCloudflare(): string {
  const { main, cache } = settings
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
