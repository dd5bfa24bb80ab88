import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Asked, Session } from '../openapi/tools/programs/mcp-session.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

const TOOLS = join(import.meta.dirname, '../openapi/tools')

const installed = existsSync(join(TOOLS, 'node_modules/@modelcontextprotocol'))
if (!installed && process.env.CI) throw new Error("The SDK's client is not installed: npm run openapi:tools")

describe.skipIf(!installed)("the SDK's client (skipped where npm run openapi:tools was not run)", () => {
  let service: Service
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  let folder: string
  let use: (asked: Asked) => Promise<Session>

  beforeAll(async () => {
    service = await startService()
    receiver = await startReceiver()
    folder = await mkdtemp(join(tmpdir(), 'mcp-'))
    const outfile = join(folder, 'mcp.mjs')
    const entryPoints = [join(TOOLS, 'programs/mcp.ts')]
    await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' })
    use = (await import(pathToFileURL(outfile).href)).use
  })

  afterAll(async () => {
    if (folder) await rm(folder, { recursive: true })
    await receiver?.close()
    await service?.stop()
  })

  it.each<[string, Asked['mode'], string]>([
    ['with a handshake', 'legacy', '2025-11-25'],
    ['without one', 'auto', '2026-07-28'],
    ['without one, and with no fallback', { pin: '2026-07-28' }, '2026-07-28'],
  ])('writes, publishes and reads %s', async (_, mode, version) => {
    const { origin, operatorToken, manage } = service
    const { id: siteId, key, path } = await service.makeSite()
    await manage('PUT', `${path}/webhook`, { url: `${receiver.url}/${siteId}/ok` })
    const slug = 'by-mcp'
    const body = {
      title: 'By a model',
      contentHtml: '<h2>Why</h2><p>A <b>draft</b>.</p>',
      qualityBand: 'premium',
    }
    const provenance = { sources: [{ url: 'https://s.example/1', title: 'S' }] }
    const written = await use({
      ...{ origin, token: operatorToken, mode },
      calls: [
        ['list_sites', { limit: 500 }],
        ['put_post', { siteId, slug, ...body, provenance }],
        ['mark_post_ready', { siteId, slug }],
        ['publish_post', { siteId, slug }],
        ['list_deliveries', { siteId }],
        ['publish_post', { siteId, slug: 'none' }],
      ],
    })
    expect(written).toMatchObject({ version, server: 'headless-content-api' })
    expect(written.tools).toContain('put_post')
    expect(written.results.map(({ isError }) => isError)).toEqual([false, false, false, false, false, true])
    expect(written.results[0]!.text).toContain(siteId)
    expect(written.results[1]!.structured).toMatchObject({ slug, outcome: 'created', status: 'draft' })
    expect(written.results[5]!.text).toBe('Post not found (404)')
    const read = await use({
      ...{ origin, token: key, mode },
      calls: [
        ['find_posts', { status: 'published' }],
        ['read_post', { slug, include: 'provenance' }],
        ['list_changes', {}],
        ['get_sitemap', {}],
      ],
    })
    expect(read).toMatchObject({ version, server: 'headless-content-api' })
    expect(read.tools).not.toContain('put_post')
    expect(read.results[0]!.structured).toMatchObject({ total: 1, items: [{ slug }] })
    expect(read.results[1]!.text).toMatch(/^---\n[\s\S]*\n---\n\n## Why\n\nA \*\*draft\*\*\.\n$/)
    expect(read.results[3]!.text).toContain(`/blog/${slug}</loc>`)
    for (const { status } of [...written.exchanges, ...read.exchanges])
      expect([200, 202, 405]).toContain(status)
    if (process.env.TRANSCRIPT) console.log(JSON.stringify({ written, read }, null, 1))
  })

  it('reports the problem with a key', async () => {
    const { path } = await service.makeSite()
    const { id, key } = await service.manage<{ id: string; key: string }>('POST', `${path}/keys`, {
      name: 'gone',
    })
    await service.manage('PUT', `${path}/keys/${id}/revocation`)
    for (const mode of ['legacy', 'auto'] as const)
      await expect(use({ origin: service.origin, token: key, mode, calls: [] })).rejects.toThrow(
        /Missing or invalid API key|HTTP 401/,
      )
  })
})
