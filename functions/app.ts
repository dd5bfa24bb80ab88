/** Middleware runs in this order. Unmatched paths are 404. */
import { requestId } from 'hono/request-id'
import * as z from 'zod/mini'
import { customError } from '../src/core/zod.ts'
import { anyOrigin, api } from './api/api.ts'
import { sitemaps } from './api/sitemaps.ts'
import { workspaceConsole } from './console/console.tsx'
import { drafts } from './console/drafts.tsx'
import { docs, llms } from './http/docs.ts'
import { createApp } from './http/env.ts'
import { notFound, onError } from './http/errors.ts'
import { health } from './http/health.ts'
import { maintenance, notCachedByDefault, notSniffed, requestLog } from './http/request.ts'
import { manage } from './manage/manage.ts'
import { mcp } from './mcp/mcp.ts'

/** Clients' ids are echoed and logged, so they must be too short to hold a key or token. */
const MAX_REQUEST_ID_LENGTH = 40

z.config({ customError })

export const app = createApp()

app.use(function ownApp(c, next) {
  c.set('app', app)
  return next()
})
app.use(requestId({ limitLength: MAX_REQUEST_ID_LENGTH }))
app.use(requestLog)
app.use(notCachedByDefault)
app.use(notSniffed)
// Before maintenance, so that cross-origin scripts can read its 503.
app.use('/api/v1/*', anyOrigin)
app.use(maintenance)
app.get('/', (c) => c.redirect('/console/overview'))
app.route('/api/v1', api)
app.route('/manage/v1', manage)
for (const path of ['/mcp', '/mcp/']) app.route(path, mcp)
app.route('/console', workspaceConsole)
app.route('/sitemaps', sitemaps)
app.route('/drafts', drafts)
app.route('/healthz', health)
app.route('/docs', docs)
app.route('/llms.txt', llms)
app.notFound(notFound)
app.onError(onError)
