/** The example, built and started, with a site of the service behind a counting proxy. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startCountingProxy } from '../../support/counting-proxy.ts'
import { copyExample } from '../../support/examples.ts'
import { freePort } from '../../support/free-port.ts'
import { startService } from '../../support/service.ts'
import { eventually } from '../../support/webhook.ts'
import { type Cookies, cookieJar } from './cookies.ts'

const START_TIMEOUT_MS = 30_000
const SEEN_TIMEOUT_MS = 10_000
const EVENTS = ['post.published', 'post.updated', 'post.unpublished', 'post.deleted']

type Page = { status: number; headers: Headers; text: string }
type Delivery = { id: string; event: string; slug: string | null; status: number | null }
type Sent = { request: { headers: Record<string, string>; body: string } }
type Link = { id: string; url: string; token: string }
export type Stage = Awaited<ReturnType<typeof openStage>>

export const pageOf = (slug: string) => `/blog/${encodeURIComponent(slug)}`

export async function openStage() {
  const service = await startService()
  const proxy = await startCountingProxy(service.origin)
  const example = await copyExample('next')
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const webhook = `${origin}/api/webhook`
  const site = await service.makeSite({ previewUrl: `${origin}/api/preview` })
  const { key } = await service.manage<{ key: string }>('POST', `${site.path}/keys`, {
    name: 'Website',
    access: 'published',
  })
  const { secret } = await service.manage<{ secret: string }>('PUT', `${site.path}/webhook`, {
    url: webhook,
    events: EVENTS,
  })
  const env = { CONTENT_URL: proxy.origin, CONTENT_SITE: site.id, CONTENT_KEY: key, WEBHOOK_SECRET: secret }
  await put('before', { title: 'Before the build' }, '?events=none')
  const server = await start()

  async function start() {
    await timed('next build', () => example.run('next', ['build'], env))
    const tool = join(example.dir, 'node_modules/.bin/next')
    const child = spawn(tool, ['start', '-H', '127.0.0.1', '-p', `${port}`], {
      cwd: example.dir,
      env: { ...process.env, ...env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let log = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        log += chunk
      })
    await eventually(() => fetch(origin).catch(() => null), START_TIMEOUT_MS).catch(() => {
      throw new Error(`It does not start:\n${log}`)
    })
    return { child, log: () => log }
  }

  async function timed(what: string, run: () => Promise<unknown>): Promise<void> {
    const begun = performance.now()
    await run()
    process.stderr.write(`${what}: ${((performance.now() - begun) / 1_000).toFixed(2)} s\n`)
  }

  async function put(slug: string, fields: Record<string, unknown>, query = '') {
    const body = { title: slug, contentHtml: '<p>Words.</p>', status: 'published', ...fields }
    await service.manage('PUT', `${site.path}/posts/${encodeURIComponent(slug)}${query}`, body)
  }

  async function get(path: string, cookies?: Cookies): Promise<Page> {
    const headers: Record<string, string> = cookies ? { Cookie: cookies.sentTo(path) } : {}
    const response = await fetch(origin + path, { headers, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  return {
    ...{ service, proxy, example, site, origin, webhook, key, secret, put, get },

    /** Requests the page until the condition holds. */
    async until(path: string, isSo: (page: Page) => boolean): Promise<void> {
      const ask = async () => (isSo(await get(path)) ? true : null)
      await timed(`${expect.getState().currentTestName}: ${path}`, () =>
        eventually(ask, SEEN_TIMEOUT_MS).catch(async (error) => {
          const { status, text } = await get(path)
          throw new Error(`${path}: ${error}\n${status} ${text}\n${server.log()}`)
        }),
      )
    },

    /**
     * Waits for a webhook.
     * @returns the POST
     */
    async waitForWebhook(event: string, slug: string) {
      const { id } = await eventually(async () => {
        const { items } = await service.manage<{ items: Delivery[] }>('GET', `${site.path}/deliveries`)
        return items.find((each) => each.event === event && each.slug === slug && each.status === 204)
      })
      return (await service.manage<Sent>('GET', `${site.path}/deliveries/${id}`)).request
    },

    makeLink: (slug: string) => service.manage<Link>('POST', `${site.path}/posts/${slug}/preview-links`, {}),

    /** Opens a link like a browser, up to the front end's last redirect. */
    async open({ url }: Link) {
      const { headers } = await fetch(url, { redirect: 'manual' })
      const preview = headers.get('Location')!
      const answer = await fetch(preview, { redirect: 'manual' })
      const cookies = cookieJar()
      cookies.take(answer)
      return { cookies, preview, status: answer.status, location: answer.headers.get('Location') }
    },

    async post(headers: Record<string, string>, body: string): Promise<number> {
      const all = { 'Content-Type': 'application/json', ...headers }
      const response = await fetch(webhook, { method: 'POST', headers: all, body })
      await response.body?.cancel()
      return response.status
    },

    async close() {
      const exited = once(server.child, 'exit')
      if (server.child.kill('SIGKILL')) await exited
      example.remove()
      proxy.close()
      await service.stop()
    },
  }
}
