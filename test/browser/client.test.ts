import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type * as sdk from '../../src/sdk/client.ts'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'
import { inChromium } from './in-chromium.ts'

declare const content: typeof sdk

/** An app of another host with the client in its script. */
async function startApp(): Promise<HttpServer> {
  const { outputFiles } = await build({
    entryPoints: ['src/sdk/client.ts'],
    bundle: true,
    format: 'iife',
    globalName: 'content',
    platform: 'browser',
    write: false,
  })
  return startHttpServer((request, response) => {
    const isScript = request.url === '/script.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? outputFiles[0]!.text : '<!doctype html><script src="/script.js"></script>')
  })
}

inChromium('the client from another origin', (world) => {
  let app: HttpServer
  let page: Page
  let options: { url: string; site: string; key: string }

  beforeAll(async () => {
    app = await startApp()
    page = await world.browser.newPage()
    await page.goto(`${app.url}/`)
    const { origin, demo } = world.service
    options = { url: origin, site: demo.siteId, key: demo.apiKey }
  })
  afterAll(() => app?.close())

  it('keeps a copy, and reuses a cached answer that is unchanged', async () => {
    const seen = await page.evaluate(async (options) => {
      const statuses: number[] = []
      const client = content.createClient({
        ...options,
        async fetch(request) {
          const response = await fetch(request)
          statuses.push(response.status)
          return response
        },
      })
      const store = content.memoryStore()
      const { put } = await client.sync(store)
      const kinds = new Set<string>()
      for await (const { resource } of store.list()) kinds.add(resource)
      const [one, same] = [await client.listPosts(), await client.listPosts()]
      return {
        put,
        kinds: [...kinds].sort(),
        equal: JSON.stringify(one) === JSON.stringify(same),
        last: statuses.at(-1),
      }
    }, options)
    expect(seen).toEqual({ put: expect.any(Number), kinds: ['guide', 'post'], equal: true, last: 304 })
    expect(seen.put).toBeGreaterThan(3)
  })

  it('reports the stable text of an error, and that there was no answer', async () => {
    const errors = await page.evaluate(async (options) => {
      const unreachable = { ...options, url: 'http://127.0.0.1:9' }
      const asks = [options, unreachable].map((each) =>
        content
          .createClient(each)
          .getPost('missing')
          .catch((error) => error),
      )
      return (await Promise.all(asks)).map((error) => [
        error instanceof content.ContentApiError,
        error.status,
        error.message,
      ])
    }, options)
    expect(errors).toEqual([
      [true, 404, 'Post not found'],
      [true, 0, 'No answer'],
    ])
  })
})
