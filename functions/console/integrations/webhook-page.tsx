/** The page of a webhook: facts, a test, deliveries, and what admins can do with it. */
import { AppError, orNull } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import { getWebhookOverview, type WebhookOverview } from '../../../src/webhooks/overview.ts'
import { RECENT_DAYS } from '../../../src/webhooks/recent-deliveries.ts'
import { sendTestEvent } from '../../../src/webhooks/test-event.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { CopyableFact, Fact, Facts } from '../parts/facts.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { redirectInSite } from '../site.ts'
import { RecentDeliveries } from './event-table.tsx'
import { deliveriesWith } from './filter.ts'
import { endpointIdOf, PATHS, webhookPath } from './paths.ts'
import { TestResult } from './result.tsx'
import { isFuture } from './secret.tsx'
import { ArrivedShare, RecentBars } from './webhook-table.tsx'

const EVENTS_SHOWN = 10

export const webhookPage = createApp()

webhookPage.get('/webhooks/:endpointId', (c) => showWebhook(c))

async function showWebhook(c: Http, { isRefused = false } = {}) {
  const [id, tested = ''] = [endpointIdOf(c), c.req.query('tested')]
  const { endpoints, events, delivery } = await getWebhookOverview(c.get('ctx'), c.get('site'), {
    newest: EVENTS_SHOWN,
    webhook: id,
    deliveryId: UUID.test(tested) ? tested : undefined,
  })
  const endpoint = endpoints.find((each) => each.id === id)
  if (!endpoint) throw new AppError('webhook_not_found')
  const title = nameWebhooks(endpoints).get(id)!
  return c.render(
    <>
      <PageHeading title={title} action={<SendTest id={id} />} />
      <Done of="integrations" unless="removed" />
      {(isRefused || delivery) && (
        <Section id="test" title="Test">
          {isRefused && (
            <Notice tone="danger">
              No test was sent. The limit is 10 test events per minute for each site. Try again in a minute.
            </Notice>
          )}
          {delivery && <TestResult delivery={delivery} />}
        </Section>
      )}
      <WebhookFacts endpoint={endpoint} />
      <RecentDeliveries events={events} list={deliveriesWith({ webhook: id })} />
    </>,
    { tab: 'Integrations', title },
  )
}

export function SendTest({ id }: { id: string }) {
  return (
    <PostButton needs="editor" action={`${webhookPath(id)}/tests`} data-busy="Sending…">
      Send test event
    </PostButton>
  )
}

export function WebhookFacts({ endpoint }: { endpoint: WebhookOverview }) {
  const { id, url, events, createdAt, updatedAt, secretRotatedAt, previousSecretExpiresAt, recent } = endpoint
  const page = webhookPath(id)
  return (
    <>
      <Facts boxed>
        <CopyableFact label="URL" text={url} needs="editor" />
        <Fact label="Events">{['article.ready', ...events].join(', ')}</Fact>
        <Fact label={`Last ${RECENT_DAYS} days`}>
          <ArrivedShare id={id} recent={recent} /> <RecentBars recent={recent} />
        </Fact>
        {recent.lastFailedAt && (
          <Fact label="Last failure">
            <Time at={recent.lastFailedAt} isRelative />
          </Fact>
        )}
        <Fact label="Added">
          <Time at={createdAt} />
          {updatedAt !== createdAt && (
            <>
              , changed <Time at={updatedAt} />
            </>
          )}
        </Fact>
        <Fact label="Secret">
          {secretRotatedAt === createdAt ? 'Created' : 'Rotated'} <Time at={secretRotatedAt} />
          {previousSecretExpiresAt && isFuture(previousSecretExpiresAt) && (
            <>
              . The previous secret is valid until <Time at={previousSecretExpiresAt} />
            </>
          )}
        </Fact>
      </Facts>
      <div class="actions">
        <ButtonLink needs="admin" to={`${page}/edit`} text="Edit" look="small" />
        <ButtonLink needs="admin" to={`${page}/secret-rotations`} text="Rotate secret" look="small" />
        <ButtonLink needs="admin" to={`${page}/removal`} text="Remove webhook" look="small" />
      </div>
    </>
  )
}

for (const path of ['/tests', `${PATHS[1]}/tests`]) webhookPage.post(path, (c) => test(c))

async function test(c: Http) {
  const id = endpointIdOf(c)
  const sending = sendTestEvent(c.get('ctx'), c.get('site'), id)
  const test = await orNull(sending, 'webhook_url_missing', 'webhook_not_found')
  if (test && 'refused' in test) {
    c.header('Retry-After', String(test.retryAfterSeconds))
    c.status(429)
    return showWebhook(c, { isRefused: true })
  }
  // Someone may have removed the webhook since the page was opened.
  if (!test?.sent) return redirectInSite(c, '/integrations')
  return redirectInSite(c, `${webhookPath(id)}?tested=${test.sent.deliveryId}#test`)
}
