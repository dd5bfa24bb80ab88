import { Option } from 'commander'
import { optionalEvents } from '../../core/enums.ts'
import type { Schemas } from '../../transfer/routes.ts'
import type { Noun } from '../command.ts'
import { fieldLines, list } from '../output.ts'
import { call } from './calls.ts'

type Webhook = Schemas['ListedWebhookEndpoint']

const urlFlag = () => new Option('--url <url>', 'https URL that events are posted to')

const eventsFlag = () =>
  new Option(
    '--events <events>',
    `comma-separated events to send in addition to article.ready, or none: ${optionalEvents.join(', ')}`,
  ).argParser((text) => (text === 'none' ? [] : text.split(',').map((event) => event.trim())))

const nameFlag = () =>
  new Option('--name <name>', 'name in the console and in alerts, or none for the host of the URL')

/** Commander's parsers cannot return null. */
const body = (flags: Record<string, unknown>) => (flags.name === 'none' ? { ...flags, name: null } : flags)

const KEEP = 'Save the secret: it is not shown again.'

const COLUMNS = {
  webhook: ({ id }: Webhook) => id,
  name: ({ name }: Webhook) => name,
  url: ({ url }: Webhook) => url,
  events: ({ events }: Webhook) => ['article.ready', ...events].join(','),
}

export const WEBHOOK: Noun = {
  name: 'webhook',
  description: 'webhooks of a site: the first, and up to four more',
  verbs: [
    call({
      usage: 'set <site>',
      description: 'set the URL, events and name of the first webhook; a new secret is shown once',
      flags: [urlFlag().makeOptionMandatory(), eventsFlag(), nameFlag()],
      body,
      route: 'PUT /sites/{siteId}/webhook',
      json: ({ secret, ...rest }) => ({ ...rest, secret: secret ?? null }),
      text: ({ secret, ...rest }) =>
        `${fieldLines(rest)}\n${secret ? `secret  ${secret}\n${KEEP}` : 'The secret is unchanged.'}`,
    }),
    call({
      usage: 'add <site>',
      description: 'add another webhook, with its own secret',
      flags: [urlFlag().makeOptionMandatory(), eventsFlag(), nameFlag()],
      body,
      route: 'POST /sites/{siteId}/webhooks',
      text: (webhook) => `${fieldLines(webhook)}\n${KEEP}`,
    }),
    call({
      usage: 'change <site> <webhook>',
      description: 'change the URL, events or name of a webhook',
      flags: [urlFlag(), eventsFlag(), nameFlag()],
      body,
      route: 'PATCH /sites/{siteId}/webhooks/{endpointId}',
      text: fieldLines,
    }),
    {
      usage: 'list <site>',
      description: 'list all webhooks, the first one on top',
      async work(_io, api, args) {
        const { items } = await api('GET /sites/{siteId}/webhooks', args)
        return list(items, COLUMNS, 'No webhook is set')
      },
    },
    call({
      usage: 'show <site>',
      description: 'show the first webhook',
      route: 'GET /sites/{siteId}/webhook',
      text: fieldLines,
    }),
    {
      usage: 'rotate <site> [webhook]',
      description:
        'create a new secret for the first webhook or another; for 24 hours, deliveries are also signed with the old one',
      async work(_io, api, [site = '', webhook]) {
        const json = webhook
          ? await api('POST /sites/{siteId}/webhooks/{endpointId}/secret-rotations', [site, webhook])
          : await api('POST /sites/{siteId}/webhook/secret-rotations', [site])
        return { json, text: `${fieldLines(json)}\n${KEEP}` }
      },
    },
    {
      usage: 'remove <site> [webhook]',
      description: 'remove the first webhook or another',
      async work(_io, api, [site = '', webhook]) {
        if (webhook) await api('DELETE /sites/{siteId}/webhooks/{endpointId}', [site, webhook])
        else await api('DELETE /sites/{siteId}/webhook', [site])
        return { json: { removed: true }, text: 'Removed' }
      },
    },
  ],
}
