/** `/api/v1`: the read API for CMSs and sites. */
import { createMiddleware } from 'hono/factory'
import { TrainingRow } from '../../src/content/training.ts'
import { serveDocument } from '../http/assets.ts'
import { withContext } from '../http/context.ts'
import type { ApiDescription } from '../http/document.ts'
import { createApp, type Env } from '../http/env.ts'
import { onError } from '../http/errors.ts'
import { refuseMethods } from '../http/methods.ts'
import { textHeader } from '../http/responses.ts'
import { changes } from './changes.ts'
import { describeEvents } from './events.ts'
import { guides } from './guides.ts'
import { posts } from './posts.ts'
import { redirects } from './redirects.ts'
import { sitemap } from './sitemap.ts'
import { training } from './training.ts'
import { webhooks } from './webhooks.ts'

const EXPOSED = [
  'ETag',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Link',
  'X-Request-Id',
].join(',')

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET,HEAD,POST',
  'Access-Control-Allow-Headers': 'Authorization,Content-Type,If-None-Match,X-Request-Id',
  'Access-Control-Max-Age': '86400',
}

/** Replaces Hono's `cors`, which creates the response early and makes Hono copy every later one. */
export const anyOrigin = createMiddleware<Env>(async function anyOrigin(c, next) {
  c.header('Access-Control-Allow-Origin', '*')
  c.header('Access-Control-Expose-Headers', EXPOSED)
  return c.req.method === 'OPTIONS' ? c.body(null, 204, PREFLIGHT) : next()
})

export const api = createApp()

api.use(refuseMethods(api, onError))
api.use(withContext)

for (const resource of [posts, guides, sitemap, redirects, training, changes, webhooks])
  api.route('/', resource)

api.get('/openapi.json', serveDocument)

export const apiDescription = (): ApiDescription => ({
  root: '/api/v1',
  title: 'Headless Content API',
  description: 'Draft and published posts, guides, sitemap, training export and webhooks of a site.',
  schemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API key of the site. It can read everything, published content or only the sitemap',
    },
    sitemapToken: {
      type: 'apiKey',
      in: 'query',
      name: 'token',
      description: 'The API key as a query parameter of the sitemap, for clients that cannot send headers',
    },
  },
  headers: {
    'Access-Control-Allow-Origin': textHeader('Any origin can read the response', '*'),
    'Access-Control-Expose-Headers': textHeader('Headers that scripts can read', EXPOSED),
  },
  schemas: [TrainingRow],
  events: describeEvents(),
})
