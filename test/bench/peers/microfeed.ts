/** microfeed (https://microfeed.org), which runs on Workers as an Astro project and keeps posts in D1: its release, from its source. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Cleanups } from '../cleanups.ts'
import { migrate, secret, startEdge } from './edge.ts'
import type { Statement } from './edge-process.ts'
import { buildAstro, clone, type Peer, run, type Setting } from './peer.ts'
import { columnsOf } from './posts.ts'

const VERSION = '1.0.5'
const REPOSITORY = 'https://github.com/microfeed/microfeed'
const YARN = '@yarnpkg/cli-dist@4.18.0'

/** Where it is deployed, Workers Cache is before it, for up to 300 s and until a write; here it makes each answer. */
export async function startMicrofeed(cleanups: Cleanups, { dir: peers, posts }: Setting): Promise<Peer[]> {
  const dir = join(peers, 'microfeed')
  await clone(REPOSITORY, `v${VERSION}`, dir)
  if (!existsSync(join(dir, 'node_modules'))) {
    const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: dir })
    const env = { ...process.env, YARN_NPM_REGISTRY_SERVER: stdout.trim(), YARN_ENABLE_SCRIPTS: 'false' }
    await run('npx', ['--yes', YARN, 'workspaces', 'focus', 'microfeed'], { cwd: dir, env })
  }
  const server = await startEdge(cleanups, dir, {
    main: await buildAstro(dir),
    flags: ['nodejs_compat'],
    bindings: {
      FEED_DB: { type: 'd1' },
      MEDIA_BUCKET: { type: 'r2' },
      UPLOAD_SIGNING_KEY: secret(),
      BETTER_AUTH_SECRET: secret(),
      WEBHOOK_SECRET_KEY: secret(),
    },
  })
  await migrate(server, join(dir, 'migrations'))
  // Which makes its settings.
  await (await fetch(`${server.origin}/json/`)).arrayBuffer()
  await server.write([
    [`update settings set data = json_set(data, '$.itemsPerPage', 12) where category = 'webGlobalSettings'`],
    ['create index bench_newest on items (updated_at desc, id desc) where status = 1'],
    ...posts.map((post, number): Statement => {
      const { title, content_html, published_at, updated_at, ...others } = columnsOf(post)
      const data = JSON.stringify({ title, description: content_html, ...others })
      return [
        'insert into items (id, status, data, pub_date, created_at, updated_at) values (?1, 1, ?2, ?3, ?3, ?4)',
        ...[idOf(number), data, published_at, updated_at],
      ]
    }),
  ])
  function list(page: number) {
    const last = posts.length - 12 * (page - 1)
    const cursor = JSON.stringify([Date.parse(posts[last]?.updatedAt ?? ''), idOf(last)])
    const after = page > 1 ? `&next_cursor=${Buffer.from(cursor).toString('base64url')}` : ''
    return `/json/?sort=updated_at&order=desc${after}`
  }
  return [
    {
      name: `microfeed ${VERSION}`,
      ...server,
      headers: {},
      list,
      read: ({ items }: { items: unknown[] }) => ({ posts: items }),
      post: (number) => `/i/${idOf(number)}/json/`,
      runsOn: 'workers',
      does: { key: false, quota: false, staleSeconds: 0 },
      caches: false,
    },
  ]
}

const idOf = (number: number) => String(number).padStart(11, '0')
