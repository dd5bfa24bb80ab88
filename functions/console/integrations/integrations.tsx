/** The integrations page: webhooks, tests, deliveries, alerts and verification. */
import { listAlerts } from '../../../src/alerts/alert.ts'
import { orNull } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { MAX_WEBHOOKS } from '../../../src/webhooks/endpoint.ts'
import type { LoggedEvent } from '../../../src/webhooks/event-log.ts'
import { getWebhookOverview } from '../../../src/webhooks/overview.ts'
import { sendTestEvent } from '../../../src/webhooks/test-event.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { DocsLink } from '../parts/docs-link.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { RequireRole } from '../parts/require-role.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { redirectInSite } from '../site.ts'
import { Alerts } from './alerts.tsx'
import { deliveries } from './deliveries.tsx'
import { delivery } from './delivery.tsx'
import { EventTable } from './event-table.tsx'
import { DELIVERIES } from './filter.ts'
import { endpointIdOf, webhookPath } from './paths.ts'
import { resends } from './resends.tsx'
import { TestResult } from './result.tsx'
import { secretRotation } from './secret.tsx'
import { signatureCheck } from './signature-check/signature-check.tsx'
import { readSnippets, Snippets } from './snippets.tsx'
import { NoWebhook, WebhookSection, webhook } from './webhook.tsx'

const EVENTS_SHOWN = 5
const ALERTS_SHOWN = 10

export const integrations = createApp()

integrations.get('/integrations', (c) => integrationsPage(c))

async function integrationsPage(c: Http, { refusedTestOf = null as string | null } = {}) {
  const tested = c.req.query('tested') ?? ''
  const site = c.get('site')
  const testedEndpoint = c.req.query('endpoint') ?? site.id
  const { config } = c.get('ctx')
  const [{ endpoints, events, delivery }, alerts] = await Promise.all([
    getWebhookOverview(c.get('ctx'), site, {
      newest: EVENTS_SHOWN,
      deliveryId: UUID.test(tested) ? tested : null,
    }),
    config.hasAlerts ? listAlerts(c.get('ctx'), site, { limit: ALERTS_SHOWN, cursor: null }) : null,
  ])
  const hasFirst = endpoints.some(({ id }) => id === site.id)
  const snippets = await readSnippets(c)
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
            <ButtonLink needs="admin" to="/integrations/webhooks" text="Add webhook" />
          )
        }
      />
      <Done of="integrations" unless={hasFirst ? 'removed' : 'saved'} />
      {endpoints.length === 0 && <NoWebhook />}
      {endpoints.map((endpoint, at) => (
        <>
          <WebhookSection endpoint={endpoint} page={webhookPath(site, endpoint)} number={at + 1} />
          <RequireRole needs="editor">
            <Section
              id={testId(site, endpoint.id)}
              title={at === 0 ? 'Test' : `Test of webhook ${at + 1}`}
              lead="Sends a webhook.test event now and shows the response of the receiver."
              action={
                <PostButton needs="editor" action={testPath(site, endpoint)} data-busy="Sending…">
                  Send test event
                </PostButton>
              }
            >
              {refusedTestOf === endpoint.id && (
                <Notice tone="danger">
                  No test was sent. The limit is 10 test events per minute for each site. Try again in a
                  minute.
                </Notice>
              )}
              {delivery && testedEndpoint === endpoint.id && <TestResult delivery={delivery} />}
            </Section>
          </RequireRole>
        </>
      ))}
      {(endpoints.length > 0 || events.length > 0) && <RecentDeliveries events={events} />}
      {alerts && <Alerts alerts={alerts.items} afterFailures={config.ALERT_AFTER_FAILURES} />}
      <Section
        id="verify"
        title="Verify deliveries"
        lead={
          <>
            Accept only requests that are signed with the secret and at most 5 minutes old.{' '}
            <DocsLink to="webhooks">Which headers to verify</DocsLink>
          </>
        }
        action={<ButtonLink to="/integrations/signature-check" text="Check signature" />}
      >
        <Snippets snippets={snippets} />
      </Section>
    </>,
    { tab: 'Integrations' },
  )
}

function RecentDeliveries({ events }: { events: LoggedEvent[] }) {
  return (
    <Section
      id="deliveries"
      title="Recent deliveries"
      lead="The latest events. We don't retry automatically."
      action={<ButtonLink to={DELIVERIES} text="All deliveries" />}
    >
      <div data-renew="deliveries">
        {events.length > 0 ? (
          <EventTable label="Deliveries" events={events} />
        ) : (
          <EmptyState title="No deliveries yet">
            <p>Send a test event, or mark a quality-checked draft ready.</p>
          </EmptyState>
        )}
      </div>
    </Section>
  )
}

const testId = (site: { id: string }, id: string) => (id === site.id ? 'test' : `test-${id}`)

const testPath = (site: { id: string }, { id }: { id: string }) =>
  `/integrations${id === site.id ? '' : `/webhooks/${id}`}/tests`

for (const path of ['/integrations/tests', '/integrations/webhooks/:endpointId/tests'])
  integrations.post(path, (c) => test(c))

async function test(c: Http) {
  const [site, id] = [c.get('site'), endpointIdOf(c)]
  const sending = sendTestEvent(c.get('ctx'), site, id)
  const test = await orNull(sending, 'webhook_url_missing', 'webhook_not_found')
  if (test && 'refused' in test) {
    c.header('Retry-After', String(test.retryAfterSeconds))
    c.status(429)
    return integrationsPage(c, { refusedTestOf: id })
  }
  // Someone may have removed the webhook since the page was opened.
  if (!test?.sent) return redirectInSite(c, '/integrations')
  const which = { tested: test.sent.deliveryId, ...(id !== site.id && { endpoint: id }) }
  return redirectInSite(c, `/integrations?${new URLSearchParams(which)}#${testId(site, id)}`)
}

for (const pages of [webhook, secretRotation, deliveries, delivery, resends, signatureCheck])
  integrations.route('/integrations', pages)
