/** What tells other programs of a ready draft: the webhook, a test of it, and what became of its deliveries. */
import { Hono } from 'hono'
import { AppError } from '../../../src/errors.ts'
import { parseCursor } from '../../../src/paging.ts'
import { getWebhookOverview } from '../../../src/webhooks/overview.ts'
import { sendTestEvent } from '../../../src/webhooks/test-event.ts'
import type { Env, Http } from '../../http/env.ts'
import { UUID } from '../../http/uuid.ts'
import { sitePage } from '../layout.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { pathIn } from '../site.ts'
import { RecentDeliveries, readFilter } from './deliveries.tsx'
import { delivery } from './delivery.tsx'
import { Result } from './result.tsx'
import { signatureCheck } from './signature-check.tsx'
import { Snippets } from './snippets.tsx'
import { NoWebhook, WebhookFacts, webhook } from './webhook.tsx'

const DELIVERIES_A_PAGE = 25

export const integrations = new Hono<Env>()

integrations.get('/integrations', (c) => integrationsPage(c))

async function integrationsPage(c: Http, { tooManyTests = false } = {}) {
  const tested = c.req.query('tested') ?? ''
  const cursor = parseCursor(c.req.query('cursor') ?? '')
  const filter = readFilter(c)
  const overview = await getWebhookOverview(c.get('ctx'), c.get('site'), {
    paging: { limit: DELIVERIES_A_PAGE, cursor },
    filter,
    deliveryId: UUID.test(tested) ? tested : null,
  })
  const { endpoint, deliveries, delivery } = overview
  const isUsed = deliveries.items.length > 0 || cursor !== null || Object.values(filter).some(Boolean)
  return sitePage(
    c,
    { tab: 'Integrations', status: tooManyTests ? 429 : 200 },
    <>
      <PageHeading
        title="Integrations"
        lead="A webhook tells your CMS when a quality-checked draft is ready."
      />
      {c.req.query('saved') && endpoint && <Notice tone="success">The webhook URL is saved.</Notice>}
      {c.req.query('removed') && !endpoint && (
        <Notice tone="success">The webhook is removed. Nothing is sent any more.</Notice>
      )}
      {endpoint ? <WebhookFacts c={c} endpoint={endpoint} /> : <NoWebhook c={c} />}
      {endpoint && (
        <Section
          id="test"
          title="Test"
          lead="Sends a webhook.test event at once, and shows what the receiver answers."
          action={
            <form method="post" action={pathIn(c, '/integrations/tests')}>
              <button type="submit" class="button">
                Send test event
              </button>
            </form>
          }
        >
          {tooManyTests && (
            <Notice tone="danger">
              Nothing was sent: a site has 10 test events a minute. Try again when the minute is over.
            </Notice>
          )}
          {delivery && <Result c={c} delivery={delivery} />}
        </Section>
      )}
      {(endpoint || isUsed) && <RecentDeliveries c={c} deliveries={deliveries} filter={filter} />}
      <Section
        id="verify"
        title="Verify deliveries"
        lead="Believe only what is signed with the secret and at most 5 minutes old."
        action={
          <a class="button" href={pathIn(c, '/integrations/signature-check')}>
            Check a signature
          </a>
        }
      >
        <Snippets />
      </Section>
    </>,
  )
}

integrations.post('/integrations/tests', async (c) => {
  const tested = await sendTestEvent(c.get('ctx'), c.get('site')).catch((error) => {
    if (error instanceof AppError && error.code === 'webhook_url_missing') return { sent: null }
    throw error
  })
  if ('refused' in tested) {
    c.header('Retry-After', String(tested.retryAfterSeconds))
    return integrationsPage(c, { tooManyTests: true })
  }
  const shown = tested.sent ? `?tested=${tested.sent.deliveryId}#test` : ''
  return c.redirect(pathIn(c, `/integrations${shown}`), 303)
})

for (const pages of [webhook, delivery, signatureCheck]) integrations.route('/integrations', pages)
