/** SonicJS (https://sonicjs.com), which runs on Workers and keeps posts in D1: its release, and the next one from its source. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanups } from '../cleanups.ts'
import { bundle, migrate, secret, startEdge } from './edge.ts'
import type { Edge, Statement } from './edge-process.ts'
import { clone, install, type Peer, run, type Setting } from './peer.ts'
import { columnsOf } from './posts.ts'

const VERSION = '2.11.0'
const PACKAGE = {
  dependencies: { '@sonicjs-cms/core': VERSION, hono: '4.12.7', 'drizzle-orm': '0.44.7', zod: '4.1.12' },
}
const NEXT = '3.0.0-beta.27'
const REPOSITORY = 'https://github.com/SonicJs-Org/sonicjs'
/** For how long its cache answers, whatever was written elsewhere. */
const CACHE_TTL_SECONDS = 300

const COLLECTION = 'bench-posts'
const LIST = `/api/collections/${COLLECTION}/content?sort=${encodeURIComponent('[{"field":"updated_at","order":"desc"}]')}`
const list = (page: number) => `${LIST}&limit=12&offset=${(page - 1) * 12}`
const RUN: Pick<Edge, 'flags' | 'bindings'> = {
  flags: ['nodejs_compat'],
  bindings: {
    DB: { type: 'd1' },
    CACHE_KV: { type: 'kv' },
    MEDIA_BUCKET: { type: 'r2' },
    JWT_SECRET: secret(),
    BETTER_AUTH_SECRET: secret(),
    ENVIRONMENT: { type: 'text', value: 'production' },
  },
}

const peerOf = (at: Pick<Peer, 'origin' | 'meters' | 'processes' | 'restart'>) =>
  ({
    ...at,
    runsOn: 'workers',
    headers: {},
    list,
    read: ({ data }: { data: unknown[] }) => ({ posts: data }),
    does: { key: false, quota: false, staleSeconds: 0 },
    caches: false,
  }) satisfies Partial<Peer>

/** Its cache is made anew for each request, and so never has anything. */
export async function startSonicJs(cleanups: Cleanups, { dir: peers, posts }: Setting): Promise<Peer[]> {
  const dir = join(peers, 'sonicjs')
  await install(dir, PACKAGE)
  const source = `import { createSonicJSApp } from '@sonicjs-cms/core'
    export default createSonicJSApp({ collections: { autoSync: false }, plugins: { autoLoad: false } })`
  const server = await startEdge(cleanups, dir, { ...RUN, main: await bundle(dir, source) })
  // Which makes its tables.
  await (await fetch(`${server.origin}/api/collections`)).arrayBuffer()
  await server.write([
    [
      `insert into users (id, email, username, first_name, last_name, role, created_at, updated_at)
      values ('bench', 'bench@example.com', 'bench', 'B', 'B', 'admin', 0, 0)`,
    ],
    [
      `insert into collections (id, name, display_name, schema, is_active, created_at, updated_at)
      values ('${COLLECTION}', '${COLLECTION}', 'Posts', '{"type":"object","properties":{}}', 1, 0, 0)`,
    ],
    ['create index bench_newest on content (collection_id, status, updated_at desc)'],
    ...posts.map((post): Statement => {
      const { slug, title, published_at, updated_at, ...data } = columnsOf(post)
      const [published, updated] = [Date.parse(published_at ?? ''), Date.parse(updated_at ?? '')]
      return [
        `insert into content (id, collection_id, slug, title, data, status, published_at, author_id, created_at, updated_at)
          values (?, '${COLLECTION}', ?, ?, ?, 'published', ?, 'bench', ?, ?)`,
        ...[post.id, slug, title, JSON.stringify(data), published, published, updated],
      ]
    }),
  ])
  const post = (number: number) => `/api/content/${posts[number]!.id}`
  return [{ ...peerOf(server), name: `SonicJS ${VERSION}`, post }]
}

/** Past its cache, and through it. */
export async function startNextSonicJs(cleanups: Cleanups, { dir: peers, posts }: Setting): Promise<Peer[]> {
  const checkout = join(peers, 'sonicjs-3')
  const dir = join(checkout, 'packages/core')
  await clone(REPOSITORY, `v${NEXT}`, checkout)
  if (!existsSync(join(dir, 'node_modules')))
    await run('npm', ['install', '--no-workspaces', '--legacy-peer-deps', '--ignore-scripts', '--no-audit'], {
      cwd: dir,
    })
  const source = `import { createSonicJSApp, registerCollections } from './src/index'
    registerCollections([{ name: '${COLLECTION}', displayName: 'Posts', schema: { type: 'object', properties: {} } }])
    export default createSonicJSApp({ plugins: { register: [], disableAll: false } })`
  const server = await startEdge(cleanups, dir, { ...RUN, main: await bundle(dir, source) })
  await migrate(server, join(dir, 'migrations'))
  const past = { 'cache-control': 'no-cache' }
  // Which installs its plugins.
  await (await fetch(`${server.origin}/api/collections`, { headers: past })).arrayBuffer()
  const insert = `insert into documents (id, root_id, type_id, is_current_draft, is_published, status, slug, title, published_at,
    data, created_at, updated_at) values (?1, ?1, ?2, 1, 1, 'published', ?3, ?4, ?5, ?6, ?5, ?7)`
  await server.write([
    [
      `insert into document_types (id, name, display_name) values ('${COLLECTION}', '${COLLECTION}', 'Posts') on conflict do nothing`,
    ],
    [`create index bench_newest on documents (type_id, is_published, updated_at desc)`],
    [insert, 'core-cache', 'plugin', 'core-cache', 'Cache', 0, '{"status":"active"}', 0],
    ...posts.map((post): Statement => {
      const { slug, title, published_at, updated_at, ...data } = columnsOf(post)
      const [published, updated] = [Date.parse(published_at ?? ''), Date.parse(updated_at ?? '')]
      return [insert, post.id, COLLECTION, slug, title, published, JSON.stringify(data), updated]
    }),
  ])
  const name = `SonicJS ${NEXT}`
  const post = (number: number) => `/api/${COLLECTION}/${posts[number]!.id}`
  const plain = { ...peerOf(server), post }
  return [
    { ...plain, name, headers: past },
    {
      ...plain,
      name: `${name}, cached`,
      does: { ...plain.does, staleSeconds: CACHE_TTL_SECONDS },
      caches: true,
    },
  ]
}
