/** `/sites/{siteId}/alerts`. */
import { zValidator } from '@hono/zod-validator'
import { Alert, listAlerts } from '../../src/alerts/alert.ts'
import type { Operation } from '../http/document.ts'
import { createApp } from '../http/env.ts'
import { refuseInvalid } from '../http/validation.ts'
import { pageResponse, siteErrors } from './responses.ts'
import { PageQuery, paging, siteOf } from './route.ts'

export const alerts = createApp()

export const listAlertsOperation = (): Operation => ({
  route: 'GET /sites/:siteId/alerts',
  operationId: 'listAlerts',
  summary: 'List alerts, newest first',
  description:
    'An alert reports a webhook that fails, a webhook that works again, or a quota that is nearly or fully used up. `results` says where it was sent. The list is empty if the deployment has no alert target. Alerts are kept for 90 days by default.',
  query: PageQuery,
  responses: { 200: pageResponse(Alert, 'A page of alerts'), ...siteErrors },
})

alerts.get('/sites/:siteId/alerts', zValidator('query', PageQuery, refuseInvalid), async (c) =>
  c.json(await listAlerts(c.get('ctx'), await siteOf(c), paging(c.req.valid('query')))),
)
