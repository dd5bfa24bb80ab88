/** The integrations page: webhooks, deliveries and verification. */
import { MAX_WEBHOOKS } from '../../../src/webhooks/endpoint.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import { getWebhookOverview } from '../../../src/webhooks/overview.ts'
import { createApp } from '../../http/create-app.ts'
import { Done } from '../actions/done.tsx'
import { DocsLink } from '../parts/docs-link.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { deliveries } from './deliveries.tsx'
import { delivery } from './delivery.tsx'
import { RecentDeliveries } from './event-table.tsx'
import { DELIVERIES } from './filter.ts'
import { resends } from './resends.tsx'
import { secretRotation } from './secret.tsx'
import { signatureCheck } from './signature-check/signature-check.tsx'
import { VERIFIER_LANGUAGES } from './snippets.tsx'
import { NoWebhook, webhook } from './webhook.tsx'
import { SendTest, WebhookFacts, webhookPage } from './webhook-page.tsx'
import { WebhookTable } from './webhook-table.tsx'

const EVENTS_SHOWN = 5

export const integrations = createApp()

integrations.get('/integrations', async (c) => {
  const site = c.get('site')
  const { endpoints, events } = await getWebhookOverview(c.get('ctx'), site, { newest: EVENTS_SHOWN })
  const [only, ...others] = endpoints
  const hasFirst = endpoints.some(({ id }) => id === site.id)
  return c.render(
    <>
      <PageHeading
        title="Integrations"
        lead={
          <>
            A webhook notifies your CMS when a quality-checked draft is ready and, if you turn it on, about
            changes to published posts. <DocsLink to="webhooks">How to receive webhooks</DocsLink>
          </>
        }
        action={
          endpoints.length > 0 &&
          endpoints.length < MAX_WEBHOOKS && (
            <ButtonLink
              needs="admin"
              to={hasFirst ? '/integrations/webhooks' : '/integrations/webhook'}
              text="Add webhook"
            />
          )
        }
      />
      <Done of="integrations" unless={hasFirst ? 'removed' : 'saved'} />
      {!only ? (
        <NoWebhook />
      ) : others.length === 0 ? (
        <Section id="webhook" title={only.name} action={<SendTest id={only.id} />}>
          <WebhookFacts endpoint={only} />
        </Section>
      ) : (
        <>
          <WebhookTable endpoints={endpoints} />
          {endpoints.length === MAX_WEBHOOKS && (
            <p class="muted">A site has at most {MAX_WEBHOOKS} webhooks. Remove one to add another.</p>
          )}
        </>
      )}
      {(only || events.length > 0) && (
        <RecentDeliveries events={events} names={nameWebhooks(endpoints)} list={DELIVERIES} />
      )}
      <Section
        id="verify"
        title="Verify deliveries"
        lead={
          <>
            Accept only requests that are signed with the secret and at most 5 minutes old.{' '}
            <SiteLink to="/integrations/signature-check#code">Code for {VERIFIER_LANGUAGES}</SiteLink>
          </>
        }
        action={<ButtonLink to="/integrations/signature-check" text="Check signature" />}
      />
    </>,
    { tab: 'Integrations' },
  )
})

for (const pages of [webhook, webhookPage, secretRotation, deliveries, delivery, resends, signatureCheck])
  integrations.route('/integrations', pages)
