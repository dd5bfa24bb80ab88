/** SonicJS (https://sonicjs.com), which runs on Workers and keeps posts in D1. It makes its tables at the first request. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Cleanups } from '../cleanups.ts'
import { bundle, startEdge } from './edge.ts'
import { install, type Peer, type Setting } from './peer.ts'
import { columnsOf } from './posts.ts'

const VERSION = '2.11.0'
const PACKAGE = {
  dependencies: { '@sonicjs-cms/core': VERSION, hono: '4.12.7', 'drizzle-orm': '0.44.7', zod: '4.1.12' },
}
const SOURCE = `import { createSonicJSApp } from '@sonicjs-cms/core'
export default createSonicJSApp({ collections: { autoSync: false }, plugins: { autoLoad: false } })\n`

export async function startSonicJs(cleanups: Cleanups, setting: Setting): Promise<Peer[]> {
  const dir = join(setting.dir, 'sonicjs')
  await install(dir, PACKAGE)
  const { origin, meters, processes, write } = await startEdge(cleanups, dir, {
    file: await bundle(dir, SOURCE),
    flags: ['nodejs_compat'],
    bindings: {
      DB: { type: 'd1' },
      CACHE_KV: { type: 'kv' },
      MEDIA_BUCKET: { type: 'r2' },
      JWT_SECRET: { type: 'text', value: randomBytes(24).toString('hex') },
      ENVIRONMENT: { type: 'text', value: 'production' },
    },
  })
  await (await fetch(`${origin}/api/collections`)).arrayBuffer()
  const now = Date.now()
  await write([
    [
      `insert into users (id, email, username, first_name, last_name, role, created_at, updated_at)
      values ('bench', 'bench@example.com', 'bench', 'B', 'B', 'admin', ?, ?)`,
      now,
      now,
    ],
    [
      `insert into collections (id, name, display_name, schema, is_active, created_at, updated_at)
      values ('bench-posts', 'bench-posts', 'Posts', '{"type":"object","properties":{}}', 1, ?, ?)`,
      now,
      now,
    ],
    ['create index bench_newest on content (collection_id, status, updated_at desc)'],
    ...setting.posts.map((post): [string, ...(string | number)[]] => {
      const { slug, title, published_at, updated_at, ...data } = columnsOf(post)
      const [published, updated] = [Date.parse(String(published_at)), Date.parse(String(updated_at))]
      return [
        `insert into content (id, collection_id, slug, title, data, status, published_at, author_id, created_at, updated_at)
          values (?, 'bench-posts', ?, ?, ?, 'published', ?, 'bench', ?, ?)`,
        ...[post.id, slug, title, JSON.stringify(data), published, published, updated],
      ]
    }),
  ])
  const sort = encodeURIComponent('[{"field":"updated_at","order":"desc"}]')
  return [
    {
      name: `SonicJS ${VERSION}`,
      runsOn: 'workers',
      origin,
      headers: {},
      list: (page) => `/api/collections/bench-posts/content?limit=12&offset=${(page - 1) * 12}&sort=${sort}`,
      total: null,
      post: (number) => `/api/content/${setting.posts[number]!.id}`,
      meters,
      processes,
      does: { key: false, quota: false, staleSeconds: 0 },
      caches: false,
    },
  ]
}
