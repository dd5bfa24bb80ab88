import type { Item } from '../../transfer/routes.ts'
import { limitFlag, type Noun } from '../command.ts'
import { listed } from './calls.ts'

type Alert = Item<'GET /sites/{siteId}/alerts'>

export const ALERT: Noun = {
  name: 'alert',
  description: 'alerts sent to the operator of the service',
  verbs: [
    listed({
      usage: 'list <site>',
      description: "list a site's alerts, newest first, with their channels",
      flags: [limitFlag()],
      route: 'GET /sites/{siteId}/alerts',
      columns: {
        raised: (alert) => alert.createdAt,
        alert: (alert) => alert.kind,
        about: ({ webhook, quota }) =>
          webhook
            ? `${webhook.failures} failed: ${webhook.name}, ${webhook.url}`
            : `${quota?.percent} % of ${quota?.limit}${quota?.key ? `, ${quota.key.requests} with the key ${quota.key.name}` : ''}`,
        state: (alert) => alert.state,
        'sent to': ({ results }) => results.map(channelOf).join(', ') || null,
        id: (alert) => alert.id,
      },
      none: 'No alerts',
    }),
  ],
}

const channelOf = ({ target, status, error }: Alert['results'][number]) =>
  error === null ? target : `${target} failed (${status ?? error})`
