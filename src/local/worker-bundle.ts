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

/** Bundles the code as wrangler does. @param inspect adds the source map */
export async function bundleWorker(inspect: boolean): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: asOnCloudflare(), resolveDir: PROJECT },
    bundle: true,
    minify: settings.minify,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    sourcemap: inspect && 'inline',
    write: false,
  })
  await stop()
  return outputFiles[0]!.text
}

/** A direct binding to the network. Miniflare puts its own Worker before other fetches. */
export const NETWORK = 'LOCAL_NETWORK'

/** Miniflare runs the cron there, too. Websites are refused: their requests have another host, or headers of a browser. */
const CRON = '/cdn-cgi/local/scheduled'

/**
 * As on Cloudflare, puts a cache before the Worker, sets the client's address, and reads requests to their end: workerd
 * would break the connection of a client that still sends. The port and calls to the gateways bypass Miniflare's own
 * Workers. Miniflare also opens a port to the default export, where clients could forge their address: so that serves only
 * the Worker's own requests, which have props.
 */
function asOnCloudflare(): string {
  const { main, cache } = settings
  return `
    import { env as bound } from 'cloudflare:workers'
    import inner from './${main}'
    import { withWorkersCache } from './src/local/workers-cache.ts'
    const { fetch } = globalThis
    const gateways = [bound.DATABASE_HTTP_ENDPOINT, bound.UPSTASH_REDIS_REST_URL]
    const isGateway = (url) =>
      typeof url === 'string' && gateways.some((gateway) => url === gateway || url.startsWith(gateway + '/'))
    globalThis.fetch = (input, init) => (isGateway(input) ? bound.${NETWORK}.fetch(input, init) : fetch(input, init))
    const isOfWebsite = ({ url, headers }) =>
      !['127.0.0.1', 'localhost'].includes(new URL(url).hostname) ||
      headers.has('Origin') ||
      !['none', null].includes(headers.get('Sec-Fetch-Site'))
    const worker = ${cache.enabled} ? withWorkersCache(inner) : inner
    export default {
      ...worker,
      fetch: (request, env, execution) =>
        execution.props?.isCanonical ? worker.fetch(request, env, execution) : new Response(null, { status: 404 }),
    }
    export const Local = {
      async fetch(request, env, execution) {
        if (request.url.includes('${CRON}') && new URL(request.url).pathname === '${CRON}') {
          if (isOfWebsite(request)) return new Response('Forbidden', { status: 403 })
          const { outcome } = await execution.exports.default.scheduled({ cron: '* * * * *' })
          return new Response(outcome, { status: outcome === 'ok' ? 200 : 500 })
        }
        request = new Request(request)
        request.headers.set('CF-Connecting-IP', '127.0.0.1')
        const response = await worker.fetch(request, env, execution)
        if (request.body && !request.bodyUsed) await request.body.pipeTo(new WritableStream())
        return response
      },
    }`
}
