/** EmDash (https://emdashcms.com), which runs on Workers as an Astro project and keeps posts in D1: the least such project. */
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Cleanups } from '../cleanups.ts'
import { startEdge } from './edge.ts'
import type { Statement } from './edge-process.ts'
import { buildAstro, install, type Peer, type Setting, writeProject } from './peer.ts'
import { columnsOf } from './posts.ts'

const VERSION = '0.32.0'
const PACKAGE = {
  type: 'module',
  dependencies: {
    emdash: VERSION,
    '@emdash-cms/cloudflare': VERSION,
    astro: '7.3.5',
    '@astrojs/cloudflare': '14.3.3',
    '@astrojs/react': '7.0.0',
    kysely: '0.29.0',
    react: '19.2.4',
    'react-dom': '19.2.4',
    wrangler: '4.164.0',
  },
}

const FLAGS = ['nodejs_compat']
const PROJECT = {
  'astro.config.mjs': `import cloudflare from '@astrojs/cloudflare'
import react from '@astrojs/react'
import { d1, r2 } from '@emdash-cms/cloudflare'
import { defineConfig } from 'astro/config'
import emdash from 'emdash/astro'
export default defineConfig({
  output: 'server',
  adapter: cloudflare(),
  integrations: [react(), emdash({ database: d1({ binding: 'DB' }), storage: r2({ binding: 'MEDIA' }) })],
})\n`,
  'wrangler.jsonc': JSON.stringify({
    name: 'peer',
    main: './src/worker.ts',
    compatibility_date: '2026-11-02',
    compatibility_flags: FLAGS,
    d1_databases: [{ binding: 'DB', database_name: 'peer', database_id: 'peer' }],
    r2_buckets: [{ binding: 'MEDIA', bucket_name: 'media' }],
  }),
  'src/worker.ts': `export { default } from '@emdash-cms/cloudflare/worker'\n`,
  'src/live.config.ts': `import { defineLiveCollection } from 'astro:content'
import { emdashLoader } from 'emdash/runtime'
export const collections = { _emdash: defineLiveCollection({ loader: emdashLoader() }) }\n`,
}

// Its first start makes one that is called posts.
const COLLECTION = 'bench_posts'
const FIELDS = {
  string: ['title', 'quality_band', 'assurance_label', 'review_status', 'language', 'source_post_id'],
  text: ['excerpt', 'content_html'],
  integer: ['reading_time_minutes'],
  boolean: ['ai_generated'],
  json: ['seo', 'faq_json_ld', 'schema_bundle'],
}

export async function startEmDash(cleanups: Cleanups, { dir: peers, posts }: Setting): Promise<Peer[]> {
  const dir = join(peers, 'emdash')
  await install(dir, PACKAGE)
  await writeProject(dir, PROJECT)
  const server = await startEdge(cleanups, dir, {
    main: await buildAstro(dir),
    flags: FLAGS,
    bindings: { DB: { type: 'd1' }, MEDIA: { type: 'r2' }, SESSION: { type: 'kv' } },
  })
  const api = `${server.origin}/_emdash/api`
  const token = `ec_pat_${randomBytes(24).toString('base64url')}`
  const headers = { authorization: `Bearer ${token}` }
  // Which makes its tables.
  await (await fetch(`${api}/auth/mode`)).arrayBuffer()
  await server.write([
    [`insert into users (id, email, role, email_verified) values ('bench', 'bench@example.com', 50, 1)`],
    [
      `insert into _emdash_api_tokens (id, name, token_hash, prefix, user_id, scopes) values ('bench', 'bench', ?, 'ec_pat_', 'bench', ?)`,
      createHash('sha256').update(token).digest('base64url'),
      JSON.stringify(['admin', 'content:read', 'schema:write']),
    ],
  ])
  async function create(path: string, body: Record<string, unknown>) {
    const response = await fetch(`${api}/schema/collections${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`EmDash: ${response.status} ${await response.text()}`)
  }
  await create('', { slug: COLLECTION, label: 'Posts' })
  for (const [type, slugs] of Object.entries(FIELDS))
    for (const slug of slugs) await create(`/${COLLECTION}/fields`, { slug, label: slug, type })
  await server.write([
    [`create index bench_newest on ec_${COLLECTION} (updated_at desc, id desc) where deleted_at is null`],
    ...posts.map((post): Statement => {
      const values = { id: post.id, ...columnsOf(post), status: 'published', created_at: post.publishedAt }
      const names = Object.keys(values)
      return [
        `insert into ec_${COLLECTION} (${names}) values (${names.map(() => '?')})`,
        ...Object.values(values).map((value) => (value instanceof Object ? JSON.stringify(value) : value)),
      ]
    }),
  ])
  const newest = posts.toReversed()
  function list(page: number) {
    const last = newest[(page - 1) * 12 - 1]
    const cursor =
      last && Buffer.from(JSON.stringify({ orderValue: last.updatedAt, id: last.id })).toString('base64')
    return `/_emdash/api/content/${COLLECTION}?limit=12&orderBy=updatedAt${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
  }
  return [
    {
      name: `EmDash ${VERSION}`,
      ...server,
      headers,
      list,
      read: ({ data }: { data: { items: unknown[]; total: number } }) => ({
        posts: data.items,
        total: data.total,
      }),
      post: (number) => `/_emdash/api/content/${COLLECTION}/${posts[number]!.id}`,
      runsOn: 'workers',
      does: { key: true, quota: false, staleSeconds: 0 },
      caches: false,
    },
  ]
}
