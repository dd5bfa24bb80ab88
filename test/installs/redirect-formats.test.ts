import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unstable_startWorker } from 'wrangler'
import { spawnAdmin } from '../cli/support/admin.ts'
import { nginxPath, startNginx } from '../support/nginx.ts'
import { type Service, startService } from '../support/service.ts'

/** Old and new slug: any script, every allowed character, both cases, and the maximum length. */
const RENAMED = [
  ['old', 'new'],
  ['Old', 'New'],
  ['café', 'kaffee'],
  ['новости', 'नमस्ते'],
  ['a.b_c~d-e', '~'],
  ['...', '字'.repeat(133)],
  ['字'.repeat(130), 'short'],
  ['_redirects', 'x'.repeat(200)],
] as const

/** Other old URLs, as a browser sends them, and their targets. */
const ADDRESSES = [
  ['/2019/05/caf%C3%A9', '/menu'],
  ["/a(b)+c.d/[e]|{f}^g$&'", '/brackets'],
  ['/100%25%20off', 'https://shop.example.com/'],
  ['/part', '/menu#p%C3%A4rt'],
  ['/query', '/menu?a=1&b=%24x#part'],
  [`/${'x'.repeat(300)}(1)`, '/long'],
] as const

const LANGUAGE = 'pt-BR'
const PATH = "/a!$&'()+,;=@/{slug}.html"

let service: Service
let read: (format: string, of?: Awaited<ReturnType<Service['makeSite']>>) => Promise<string>

beforeAll(async () => {
  service = await startService()
  const site = await service.makeSite({ postPath: PATH })
  const post = { title: 'T', contentHtml: '', status: 'published', language: LANGUAGE }
  for (const [from, to] of RENAMED) {
    await service.manage('PUT', `${site.path}/posts/${encodeURIComponent(from)}`, post)
    await service.manage('PUT', `${site.path}/posts/${encodeURIComponent(from)}/slug`, { slug: to })
  }
  const redirects = ADDRESSES.map(([from, to]) => ({ from, to }))
  await service.manage('PUT', `${site.path}/redirects`, { redirects })
  read = async (format, { key, path } = site) => {
    const headers = { Authorization: `Bearer ${key}` }
    return (await fetch(`${service.origin}/api/v1${path}/redirects?format=${format}`, { headers })).text()
  }
})

afterAll(() => service?.stop())

type Ask = (path: string) => Promise<{ status: number; headers: { get(name: string): string | null } }>

const pathOf = (slug: string) => `/${LANGUAGE}${PATH.replace('{slug}', () => encodeURIComponent(slug))}`
const decoded = (location: string | null) => location && decodeURIComponent(location)

async function expectRedirects(ask: Ask) {
  for (const [from, to] of RENAMED) {
    for (const [slash, query] of [
      ['', ''],
      ['', '?a=%20&b=1'],
      ['/', ''],
      ['/', '?a=%20&b=1'],
    ]) {
      const response = await ask(pathOf(from) + slash + query)
      expect([response.status, decoded(response.headers.get('Location'))], from).toEqual([
        301,
        decoded(pathOf(to) + query),
      ])
      expect(response.headers.get('Location')).toMatch(/^[\x21-\x7e]+$/)
    }
    expect((await ask(pathOf(to))).status, to).toBe(404)
    expect((await ask(pathOf(`${from}x`))).status, from).toBe(404)
  }
  expect((await ask(pathOf('OLD'))).status).toBe(404)
  for (const [from, to] of ADDRESSES) {
    for (const slash of ['', '/']) {
      const response = await ask(from + slash)
      expect([response.status, response.headers.get('Location')], from).toEqual([301, to])
    }
    expect((await ask(`${from}x`)).status, from).toBe(404)
  }
}

describe('the redirects of a site, for any slug', () => {
  it.skipIf(!nginxPath)('work in nginx (skipped where none is installed)', async () => {
    const nginx = await startNginx(await read('nginx'))
    try {
      await expectRedirects((path) => fetch(nginx.origin + path, { redirect: 'manual' }))
    } finally {
      await nginx.stop()
    }
  })

  it("work in Cloudflare's static assets", async () => {
    const dir = mkdtempSync(join(tmpdir(), 'assets-'))
    const config = join(dir, 'wrangler.toml')
    writeFileSync(
      config,
      'name = "site"\ncompatibility_date = "2026-11-01"\nassets = { directory = "public" }\n',
    )
    mkdirSync(join(dir, 'public'))
    writeFileSync(join(dir, 'public', '_redirects'), await read('cloudflare'))
    writeFileSync(join(dir, 'public', 'index.html'), '')
    // No request to Cloudflare for the properties that a request would have there.
    process.env.CLOUDFLARE_CF_FETCH_ENABLED = 'false'
    const server = { hostname: '127.0.0.1', port: 0 }
    const dev = { logLevel: 'error', server, watch: false, inspector: false, persist: false } as const
    const worker = await unstable_startWorker({ config, dev })
    try {
      await expectRedirects((path) => worker.fetch(`https://blog.example.com${path}`, { redirect: 'manual' }))
    } finally {
      await worker.dispose()
      rmSync(dir, { recursive: true, force: true })
    }
  })
})

it.each(['json', 'cloudflare', 'nginx'])(
  'are the same after an import into another site as %s',
  async (format) => {
    const site = await service.makeSite({ postPath: PATH })
    const post = { title: 'T', contentHtml: '', status: 'published', language: LANGUAGE }
    for (const [, to] of RENAMED)
      await service.manage('PUT', `${site.path}/posts/${encodeURIComponent(to)}`, post)
    const file = join(mkdtempSync(join(tmpdir(), 'redirects-')), format === 'json' ? 'r.json' : 'r.txt')
    writeFileSync(file, await read(format))
    const connection = ['--url', service.origin, '--token', service.operatorToken]
    const command = ['redirect', 'import', site.id, file, '--json']
    const count = RENAMED.length + ADDRESSES.length
    expect(JSON.parse((await spawnAdmin([...connection, ...command])).stdout)).toEqual({
      ...{ created: count, updated: 0, unchanged: 0, skipped: [], changed: [] },
    })
    const linesOf = (text: string) => text.split('\n').sort()
    expect(linesOf(await read('cloudflare', site))).toEqual(linesOf(await read('cloudflare')))
    await service.manage('PUT', `${site.path}/posts/short/slug`, { slug: 'moved-on' })
    expect(await read('cloudflare', site)).toContain(" /pt-BR/a!$&'()+,;=@/moved-on.html 301")
    rmSync(dirname(file), { recursive: true })
  },
)
