/** The order of things: request id, log, then the doors; what no door takes is 404, what fails is answered here. */
import { Hono } from 'hono'
import { requestId } from 'hono/request-id'
import { api } from './api/api.ts'
import { workspaceConsole } from './console/console.tsx'
import type { Env } from './http/env.ts'
import { notFound, onError } from './http/errors.ts'
import { requestLog } from './http/request.ts'
import { manage } from './manage/manage.ts'

export const app = new Hono<Env>()

app.use(requestId())
app.use(requestLog)
app.route('/api/v1', api)
app.route('/manage/v1', manage)
app.route('/console', workspaceConsole)
app.notFound(notFound)
app.onError(onError)
