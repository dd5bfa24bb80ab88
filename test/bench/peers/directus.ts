/** Directus (https://directus.io), without its limiter, which would refuse what the bench asks. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createDatabase } from '../../support/databases.ts'
import { freePort } from '../../support/free-port.ts'
import type { Cleanups } from '../cleanups.ts'
import { install, measuredBy, type Peer, runOnce, type Setting, startServer } from './peer.ts'
import { columnsOf, insertRows } from './posts.ts'

const PACKAGE = {
  dependencies: { directus: '12.4.0' },
  // The version it names has to be compiled for this Node; this one comes compiled.
  overrides: { 'isolated-vm': '6.2.0' },
}

/** Its default: a write through its API does not remove what is cached. */
const CACHE_TTL_SECONDS = 300

const NAME = `Directus ${PACKAGE.dependencies.directus}`

/** Two servers on one database: as it comes, and with its cache of answers in memory. */
export async function startDirectus(cleanups: Cleanups, setting: Setting): Promise<Peer[]> {
  const dir = join(setting.dir, 'directus')
  await install(dir, PACKAGE)
  const database = await createDatabase(setting.server)
  cleanups.push(database.drop)
  const token = randomBytes(24).toString('hex')
  const script = join(dir, 'node_modules/directus/cli.js')
  const common = {
    DB_CLIENT: 'pg',
    DB_CONNECTION_STRING: database.url,
    SECRET: randomBytes(24).toString('hex'),
    ADMIN_EMAIL: 'bench@example.com',
    ADMIN_PASSWORD: randomBytes(12).toString('hex'),
    ADMIN_TOKEN: token,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'silent',
    SERVE_APP: 'false',
    TELEMETRY: 'false',
    PRESSURE_LIMITER_ENABLED: 'false',
  }
  const headers = { authorization: `Bearer ${token}` }
  await runOnce({ dir, script, args: ['bootstrap'], env: common })

  async function start(name: string, env: Record<string, string>): Promise<Peer> {
    const caches = env.CACHE_ENABLED === 'true'
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    const { pid } = await startServer(cleanups, {
      ...{ dir, script, args: ['start'], env: { ...common, ...env, PORT: String(port) } },
      healthUrl: `${origin}/server/ping`,
    })
    return {
      ...{ name, origin, headers },
      list: (page) => `/items/posts?limit=12&page=${page}&sort=-updated_at&meta=total_count`,
      read: ({ data, meta }: { data: unknown[]; meta: { total_count: number } }) => ({
        posts: data,
        total: Number(meta.total_count),
      }),
      post: (number) => `/items/posts/${setting.posts[number]!.id}`,
      runsOn: 'node',
      ...measuredBy(pid, database.url),
      does: { key: true, quota: false, staleSeconds: caches ? CACHE_TTL_SECONDS : 0 },
      caches,
    }
  }

  const plain = await start(NAME, {})
  await createCollection(plain)
  const rows = setting.posts.map((post) => ({ id: post.id, status: post.status, ...columnsOf(post) }))
  await insertRows(database.url, rows)
  return [plain, await start(`${NAME}, cached`, { CACHE_ENABLED: 'true', CACHE_STORE: 'memory' })]
}

async function createCollection({ origin, headers }: Peer): Promise<void> {
  const field = (type: string) => (name: string) => ({ field: name, type, schema: {}, meta: {} })
  const body = {
    collection: 'posts',
    schema: {},
    meta: {},
    fields: [
      { field: 'id', type: 'uuid', schema: { is_primary_key: true }, meta: {} },
      ...['slug', 'title', 'status', 'quality_band', 'assurance_label', 'review_status', 'language'].map(
        field('string'),
      ),
      ...['excerpt', 'content_html'].map(field('text')),
      ...['published_at', 'updated_at'].map(field('timestamp')),
      field('integer')('reading_time_minutes'),
      field('boolean')('ai_generated'),
      field('uuid')('source_post_id'),
      ...['seo', 'faq_json_ld', 'schema_bundle'].map(field('json')),
    ],
  }
  const response = await fetch(`${origin}/collections`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`Directus: ${response.status} ${await response.text()}`)
}
