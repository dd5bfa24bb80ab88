/** The pages of a site's webhooks. */
import type { Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'

/** The first webhook has a path of its own. */
export const PATHS = ['/webhook', '/webhooks/:endpointId'] as const

/** The page of a webhook, in its site. */
export const webhookPath = (site: { id: string }, { id }: { id: string }) =>
  `/integrations/${id === site.id ? 'webhook' : `webhooks/${id}`}`

/** The endpoint that the path names; without a name, the site's first one. */
export const endpointIdOf = (c: Http) =>
  c.req.param('endpointId') === undefined ? c.get('site').id : idOf(c, 'endpointId', 'webhook_not_found')
