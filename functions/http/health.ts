/** For monitors, without a key. */
import { getHealth, HEALTH_KEPT_S } from '../../src/freshness/health.ts'
import { withContext } from './context.ts'
import { createApp } from './env.ts'
import { onError } from './errors.ts'
import { refuseMethods } from './methods.ts'

export const health = createApp()

health.use(refuseMethods(health, onError))
health.get('/', withContext, async (c) => {
  const withPostgres = ['', '1', 'true'].includes(c.req.query('postgres') ?? 'false')
  const found = await getHealth(c.get('ctx'), new Date(), { withPostgres })
  c.header('Cache-Control', `public, max-age=${HEALTH_KEPT_S}`)
  return c.json(found, found.status === 'ok' ? 200 : 503)
})
