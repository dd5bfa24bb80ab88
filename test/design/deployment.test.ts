/** The first deployment as the page for operators describes it, against a fake of Cloudflare's API. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'

const run = promisify(execFile)
const OWNER = 'postgresql://owner:owner@db.example.com/main'
const SECRETS = {
  DATABASE_URL: 'postgresql://hca_worker:pass$word@db.example.com/main',
  UPSTASH_REDIS_REST_URL: 'https://redis.example.com',
  UPSTASH_REDIS_REST_TOKEN: 'a#b "c" \\d',
  OPERATOR_TOKEN: 'o'.repeat(32),
  WEBHOOK_KEYS: 'k1:AAAA==',
}

type Settings = Record<'version_metadata' | 'secrets', unknown> & {
  queues: Record<'producers' | 'consumers', { queue: string }[]>
}
type Binding = { name: string; type: string; text?: string }

const page = readFileSync('docs/operating.md', 'utf8')
let api: HttpServer
let dir: string
const uploads: Binding[][] = []

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'deployment-'))
  api = await startHttpServer(async (request, response) => {
    const { status, result } = answerTo(request, await bodyOf(request))
    const errors = status === 200 ? [] : [{ code: status === 404 ? 10007 : 10000, message: 'stand-in' }]
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ success: status === 200, errors, messages: [], result }))
  })
})

afterAll(async () => {
  await api.close()
  await rm(dir, { recursive: true, force: true })
})

describe('the first deployment', () => {
  it("gives the Worker the secrets of the file unchanged, also in a shell that has the owner's DATABASE_URL", async () => {
    const [, shape] = /^ *```json\n([\s\S]+?)^ *```/m.exec(page)!
    expect(Object.keys(SECRETS)).toEqual(Object.keys(JSON.parse(shape!)))
    await deploy(SECRETS)
    const secrets = uploads[0]!.filter(({ type }) => type === 'secret_text')
    expect(Object.fromEntries(secrets.map(({ name, text }) => [name, text]))).toEqual(SECRETS)
  })

  it('is refused without one of the secrets, even if the shell has it', async () => {
    const { DATABASE_URL: _, ...others } = SECRETS
    await expect(deploy(others)).rejects.toThrow('required secrets have not been set: DATABASE_URL')
  })
})

it('staging has the queue settings, bindings and required secrets of production, with a queue of its own', () => {
  const { env, queues, version_metadata, secrets } = parse(
    readFileSync('wrangler.toml', 'utf8'),
  ) as unknown as Settings & {
    env: { staging: Settings & { routes: unknown[] } }
  }
  const rename = <Item extends { queue: string }>(item: Item) => ({ ...item, queue: `${item.queue}-staging` })
  expect(env.staging).toEqual({
    // Otherwise it would take production's.
    routes: [],
    version_metadata,
    queues: { producers: queues.producers.map(rename), consumers: queues.consumers.map(rename) },
    secrets,
  })
})

/** Runs the command of the page. */
async function deploy(secrets: Record<string, string>): Promise<void> {
  const [, command] = /\*\*Deploy:\*\* `npx wrangler ([^`]+)`/.exec(page)!
  const file = join(dir, 'secrets.json')
  await writeFile(file, JSON.stringify(secrets))
  const options = command!.replace('FILE', file).split(' ')
  await run(process.execPath, ['node_modules/wrangler/bin/wrangler.js', ...options], {
    env: {
      PATH: process.env.PATH,
      HOME: dir,
      CI: '1',
      WRANGLER_HIDE_BANNER: 'true',
      WRANGLER_SEND_METRICS: 'false',
      CLOUDFLARE_API_BASE_URL: api.url,
      CLOUDFLARE_ACCOUNT_ID: 'account',
      CLOUDFLARE_API_TOKEN: 'token',
      DATABASE_URL: OWNER,
    },
  })
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}

function answerTo({ method, url = '' }: IncomingMessage, body: string): { status: number; result: unknown } {
  const [, metadata] = /name="metadata"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(body) ?? []
  if (metadata) uploads.push(JSON.parse(metadata).bindings)
  if (url.endsWith('/assets-upload-session')) return { status: 200, result: { jwt: 'jwt', buckets: [] } }
  const [, queue] = /\/queues\?.*\bname=([\w-]+)/.exec(url) ?? []
  if (queue) {
    // The queues of the page's step.
    const isCreated = page.includes(`npx wrangler queues create ${queue}\``)
    const found = { queue_id: queue, queue_name: queue, consumers: [], producers: [] }
    return { status: 200, result: isCreated ? [found] : [] }
  }
  if (method === 'GET' && url.includes('/workers/s') && !url.endsWith('/subdomain'))
    return { status: 404, result: null }
  return { status: 200, result: { id: 'x', subdomain: 'stand-in', enabled: true, previews_enabled: true } }
}
