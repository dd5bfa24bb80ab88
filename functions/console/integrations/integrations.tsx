/** The webhook of a site, a test of it, its deliveries, and how to verify them. */
import { AppError } from '../../../src/foundation/errors.ts'
import { parseCursor } from '../../../src/foundation/paging.ts'
import { UUID } from '../../../src/foundation/uuid.ts'
import type { DeliveryFilter } from '../../../src/webhooks/log.ts'
import { getWebhookOverview } from '../../../src/webhooks/overview.ts'
import { sendTestEvent } from '../../../src/webhooks/test-event.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { readCursor } from '../cursor.ts'
import { submit } from '../form.ts'
import { Done } from '../parts/done.tsx'
import { SiteButton } from '../parts/form.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { Needs } from '../parts/needs.tsx'
import { Notice } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { redirectInSite } from '../site.ts'
import { Filters, RecentDeliveries, readFilter } from './deliveries.tsx'
import { delivery } from './delivery.tsx'
import { resends } from './resends.tsx'
import { TestResult } from './result.tsx'
import { secretRotation } from './secret.tsx'
import { signatureCheck } from './signature-check/signature-check.tsx'
import { readSnippets, Snippets } from './snippets.tsx'
import { NoWebhook, WebhookSection, webhook } from './webhook.tsx'

const DELIVERIES_A_PAGE = 25

export const integrations = createApp()

integrations.get('/integrations', (c) => integrationsPage(c))

async function integrationsPage(c: Http, { tooManyTests = false } = {}) {
  const tested = c.req.query('tested') ?? ''
  const cursor = readCursor(c, parseCursor)
  const { values, input } = readFilter(c)
  const overviewOf = (filter: DeliveryFilter) =>
    getWebhookOverview(c.get('ctx'), c.get('site'), {
      paging: { limit: DELIVERIES_A_PAGE, cursor },
      filter,
      deliveryId: UUID.test(tested) ? tested : null,
    })
  const { result, errors } = await submit(Filters, input, overviewOf)
  if (errors) c.status(400)
  const { endpoint, deliveries, count, delivery } = result ?? (await overviewOf({}))
  const snippets = await readSnippets(c)
  const hasDeliveries = deliveries.items.length > 0 || cursor !== null || Object.keys(values).length > 0
  return c.render(
    <>
      <PageHeading
        title="Integrations"
        lead="A webhook tells your CMS when a quality-checked draft is ready."
      />
      <Done of="integrations" unless={endpoint ? 'removed' : 'saved'} />
      {endpoint ? <WebhookSection endpoint={endpoint} /> : <NoWebhook />}
      {endpoint && (
        <Needs who="editor">
          <Section
            id="test"
            title="Test"
            lead="Sends a webhook.test event at once, and shows what the receiver answers."
            action={
              <SiteButton needs="editor" action="/integrations/tests" data-busy="Sending…">
                Send test event
              </SiteButton>
            }
          >
            {tooManyTests && (
              <Notice tone="danger">
                Nothing was sent: the limit is 10 test events a minute for each site. Try again in a minute.
              </Notice>
            )}
            {delivery && <TestResult delivery={delivery} />}
          </Section>
        </Needs>
      )}
      {(endpoint || hasDeliveries) && (
        <RecentDeliveries
          found={errors ? null : { deliveries, count }}
          values={values}
          errors={errors ?? {}}
          isFirstPage={c.req.query('cursor') === undefined}
        />
      )}
      <Section
        id="verify"
        title="Verify deliveries"
        lead="Accept only what is signed with the secret and at most 5 minutes old."
        action={<ButtonLink to="/integrations/signature-check" text="Check a signature" />}
      >
        <Snippets snippets={snippets} />
      </Section>
    </>,
    { tab: 'Integrations' },
  )
}

integrations.post('/integrations/tests', async (c) => {
  const test = await sendTestEvent(c.get('ctx'), c.get('site')).catch((error) => {
    if (error instanceof AppError && error.code === 'webhook_url_missing') return { sent: null }
    throw error
  })
  if ('refused' in test) {
    c.header('Retry-After', String(test.retryAfterSeconds))
    c.status(429)
    return integrationsPage(c, { tooManyTests: true })
  }
  const query = test.sent ? `?tested=${test.sent.deliveryId}#test` : ''
  return redirectInSite(c, `/integrations${query}`)
})

for (const pages of [webhook, secretRotation, delivery, resends, signatureCheck])
  integrations.route('/integrations', pages)
