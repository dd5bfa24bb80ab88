/** Strapi (https://strapi.io): the least project that serves posts, without its admin and its log of requests. */
import { join } from 'node:path'
import type { Post } from '../../../src/content/posts/post.ts'
import { createDatabase } from '../../support/databases.ts'
import { freePort } from '../../support/free-port.ts'
import type { Cleanups } from '../cleanups.ts'
import { install, measuredBy, type Peer, type Setting, startServer, writeProject } from './peer.ts'
import { columnsOf, insertRows } from './posts.ts'

const PACKAGE = { dependencies: { '@strapi/strapi': '5.54.0', pg: '8.23.1' } }

// The defaults of a new project, without the request log.
const MIDDLEWARES = [
  'errors',
  'security',
  'cors',
  'poweredBy',
  'query',
  'body',
  'session',
  'favicon',
  'public',
]

const SCHEMA = {
  kind: 'collectionType',
  collectionName: 'posts',
  info: { singularName: 'post', pluralName: 'posts', displayName: 'Post' },
  // Drafts would be rows of their own: half as many are read without.
  options: { draftAndPublish: false },
  attributes: {
    slug: { type: 'uid' },
    ...attributes('string', [
      'title',
      'qualityBand',
      'assuranceLabel',
      'reviewStatus',
      'language',
      'sourcePostId',
    ]),
    ...attributes('text', ['excerpt', 'contentHtml']),
    ...attributes('integer', ['readingTimeMinutes']),
    ...attributes('boolean', ['aiGenerated']),
    ...attributes('json', ['seo', 'faqJsonLd', 'schemaBundle']),
  },
}

const made = (factory: string) =>
  `module.exports = require('@strapi/strapi').factories.${factory}('api::post.post')\n`
const constant = (value: unknown) => `module.exports = ${JSON.stringify(value, null, 2)}\n`

const PROJECT = {
  'config/server.js': `module.exports = ({ env }) => ({ host: '127.0.0.1', port: env.int('PORT'), app: { keys: ['key'] } })\n`,
  'config/admin.js': constant({
    serveAdminPanel: false,
    auth: { secret: 'secret' },
    apiToken: { salt: 'salt' },
    transfer: { token: { salt: 'salt' } },
  }),
  'config/database.js': `module.exports = ({ env }) => ({
  connection: { client: 'postgres', connection: { connectionString: env('DATABASE_URL') } },
})\n`,
  'config/logger.js': constant({ level: 'error' }),
  'config/middlewares.js': constant(MIDDLEWARES.map((name) => `strapi::${name}`)),
  // Like `strapi start`, which would need the admin's build tools.
  'server.js': `const { createStrapi } = require('@strapi/strapi')
createStrapi({ appDir: __dirname, distDir: __dirname }).start()\n`,
  'public/uploads/.gitkeep': '',
  'src/api/post/content-types/post/schema.json': JSON.stringify(SCHEMA),
  'src/api/post/controllers/post.js': made('createCoreController'),
  'src/api/post/routes/post.js': made('createCoreRouter'),
  'src/api/post/services/post.js': made('createCoreService'),
  'src/index.js': `module.exports = {
  async bootstrap({ strapi }) {
    const token = { name: 'bench', type: 'full-access', lifespan: null }
    process.send((await strapi.service('admin::api-token').create(token)).accessKey)
  },
}\n`,
}

export async function startStrapi(cleanups: Cleanups, setting: Setting): Promise<Peer[]> {
  const dir = join(setting.dir, 'strapi')
  await install(dir, PACKAGE)
  await writeProject(dir, PROJECT)
  const database = await createDatabase(setting.server)
  cleanups.push(database.drop)
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const { pid, message } = await startServer(cleanups, {
    dir,
    script: join(dir, 'server.js'),
    args: [],
    env: { DATABASE_URL: database.url, PORT: String(port), STRAPI_TELEMETRY_DISABLED: 'true' },
    healthUrl: `${origin}/_health`,
  })
  const documentId = (post: Post) => post.id.replaceAll('-', '').slice(0, 24)
  const rows = setting.posts.map((post) => ({
    document_id: documentId(post),
    created_at: post.publishedAt,
    ...columnsOf(post),
  }))
  await insertRows(database.url, rows)
  const peer: Peer = {
    name: `Strapi ${PACKAGE.dependencies['@strapi/strapi']}`,
    origin,
    headers: { authorization: `Bearer ${message}` },
    list: (page) =>
      encodeURI(`/api/posts?pagination[page]=${page}&pagination[pageSize]=12&sort=updatedAt:desc`),
    read: ({ data, meta }: { data: unknown[]; meta: { pagination: { total: number } } }) => ({
      posts: data,
      total: meta.pagination.total,
    }),
    post: (number) => `/api/posts/${documentId(setting.posts[number]!)}`,
    runsOn: 'node',
    ...measuredBy(pid, database.url),
    does: { key: true, quota: false, staleSeconds: 0 },
    caches: false,
  }
  return [peer]
}

function attributes(type: string, names: string[]) {
  return Object.fromEntries(names.map((name) => [name, { type }]))
}
