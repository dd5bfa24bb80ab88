import type { Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'

/** The first webhook has a path of its own, too. */
export const PATHS = ['/webhook', '/webhooks/:endpointId'] as const

export const webhookPath = (id: string) => `/integrations/webhooks/${id}`

/** The endpoint id in the path. The first webhook has the id of its site. */
export const endpointIdOf = (c: Http) =>
  c.req.param('endpointId') === undefined ? c.get('site').id : idOf(c, 'endpointId', 'webhook_not_found')
