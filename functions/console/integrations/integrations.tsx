import { MAX_WEBHOOKS } from '../../../src/webhooks/endpoint.ts'
import { listWebhooksWithRecent } from '../../../src/webhooks/overview.ts'
import { createApp } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { TabbedHeading } from '../parts/page.tsx'
import { RequireRole } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { deliveries } from './deliveries.tsx'
import { delivery } from './delivery.tsx'
import { resends } from './resends.tsx'
import { secretRotation } from './secret.tsx'
import { signatureCheck } from './signature-check/signature-check.tsx'
import { NoWebhook, webhook } from './webhook.tsx'
import { webhookPage } from './webhook-page.tsx'
import { WebhookTable } from './webhook-table.tsx'

export const integrations = createApp()

integrations.get('/integrations', async (c) => {
  const endpoints = await listWebhooksWithRecent(c.get('ctx'), c.get('site'))
  const hasFirst = endpoints.some(({ id }) => id === c.get('site').id)
  return c.render(
    <>
      <TabbedHeading
        title="Integrations"
        current="Webhooks"
        action={
          endpoints.length > 0 &&
          endpoints.length < MAX_WEBHOOKS && (
            <ButtonLink
              needs="admin"
              to={hasFirst ? '/integrations/webhooks' : '/integrations/webhook'}
              text="Add webhook"
              look="primary"
            />
          )
        }
      />
      <Done of="integrations" unless={hasFirst ? 'removed' : 'saved'} />
      {endpoints.length > 0 ? <WebhookTable endpoints={endpoints} /> : <NoWebhook />}
      {endpoints.length === MAX_WEBHOOKS && (
        <p class="muted">
          A site has at most {MAX_WEBHOOKS} webhooks.
          <RequireRole needs="admin"> Remove one to add another.</RequireRole>
        </p>
      )}
    </>,
    { tab: 'Integrations' },
  )
})

for (const pages of [webhook, webhookPage, secretRotation, deliveries, delivery, resends, signatureCheck])
  integrations.route('/integrations', pages)
