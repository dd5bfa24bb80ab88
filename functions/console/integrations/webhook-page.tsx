import { AppError, orNull } from '../../../src/core/errors.ts'
import { UUID } from '../../../src/core/ids.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import { getWebhookOverview, type WebhookOverview } from '../../../src/webhooks/overview.ts'
import { RECENT_DAYS } from '../../../src/webhooks/recent-deliveries.ts'
import { sendTestEvent } from '../../../src/webhooks/test-event.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { itemPath } from '../parent-list.ts'
import { BarChart } from '../parts/bar-chart.tsx'
import { CopyableFact, Fact, Facts } from '../parts/facts.tsx'
import { MoreMenu, Notice, PageHeading, Section } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { useAllowed } from '../parts/require-role.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { redirectInSite } from '../site.ts'
import { EventTable } from './event-table.tsx'
import { deliveriesWith } from './filter.ts'
import { endpointIdOf, PATHS, webhookPath } from './paths.ts'
import { ResendForm } from './resends.tsx'
import { OutcomeNotice } from './result.tsx'
import { isFuture, TestButton } from './secret.tsx'
import { DeliveredShare, isFailing, SERIES } from './webhook-table.tsx'

const EVENTS_SHOWN = 5

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
      <PageHeading
        title={title}
        action={
          <div class="actions">
            <TestButton webhook={id} />
            <ButtonLink needs="admin" to={`${webhookPath(id)}/edit`} text="Edit" />
            <MoreMenu needs="admin">
              <SiteLink to={`${webhookPath(id)}/secret-rotations`}>Rotate secret…</SiteLink>
              <SiteLink to={`${webhookPath(id)}/removal`}>Remove webhook…</SiteLink>
            </MoreMenu>
          </div>
        }
      />
      <Done of="integrations" unless="removed" />
      {isRefused && (
        <Notice tone="danger">
          No test was sent. The limit is 10 test events per minute for each site. Try again in a minute.
        </Notice>
      )}
      {delivery && (
        <OutcomeNotice delivery={delivery} before="Test event: ">
          <SiteLink to={itemPath('deliveries', delivery.id)}>View delivery</SiteLink>
        </OutcomeNotice>
      )}
      {isFailing(endpoint.recent) && !delivery && <FailingNotice {...endpoint} />}
      <div class="split">
        {endpoint.recent.arrived + endpoint.recent.failed > 0 && <Share {...endpoint} />}
        <WebhookFacts {...endpoint} />
      </div>
      <Section
        id="deliveries"
        title="Recent deliveries"
        action={<ButtonLink to={deliveriesWith({ webhook: id })} text="All deliveries" />}
      >
        <div data-renew={events.length > 0 ? 'deliveries' : undefined}>
          <EventTable events={events} />
        </div>
      </Section>
    </>,
    { tab: 'Integrations', title },
  )
}

function FailingNotice({ id, recent }: WebhookOverview) {
  const mayResend = useAllowed('editor')
  return (
    <Notice
      tone="danger"
      action={mayResend && <ResendForm fields={[['webhookId', id]]}>Resend failed</ResendForm>}
    >
      <p>
        <strong>
          Failing since <Time at={recent.failingSince} />.
        </strong>{' '}
        {formatQuantity(recent.streak, 'attempt')} in a row failed. Open a delivery to see why
        {mayResend ? ', fix the receiver, then resend.' : '.'}
      </p>
    </Notice>
  )
}

function Share({ id, recent }: WebhookOverview) {
  const { days, lastFailedAt } = recent
  return (
    <section aria-label="Deliveries per day">
      <p class="figure">
        <strong>
          <DeliveredShare id={id} recent={recent} />
        </strong>{' '}
        delivered in {RECENT_DAYS} days
        {lastFailedAt && !isFailing(recent) && (
          <>
            {' · last failure '}
            <Time at={lastFailedAt} isRelative />
          </>
        )}
      </p>
      <BarChart label="Deliveries per day" series={SERIES} days={days} />
    </section>
  )
}

function WebhookFacts({
  url,
  events,
  createdAt,
  updatedAt,
  secretRotatedAt,
  previousSecretExpiresAt,
}: WebhookOverview) {
  return (
    <Facts boxed>
      <CopyableFact label="URL" text={url} needs="editor" />
      <Fact label="Events">{['article.ready', ...events].join(', ')}</Fact>
      <Fact label="Added">
        <Time at={createdAt} isRelative />
        {updatedAt !== createdAt && (
          <>
            , changed <Time at={updatedAt} isRelative />
          </>
        )}
      </Fact>
      <Fact label="Secret">
        {secretRotatedAt === createdAt ? 'Created' : 'Rotated'} <Time at={secretRotatedAt} isRelative />
        {previousSecretExpiresAt && isFuture(previousSecretExpiresAt) && (
          <>
            . The previous secret is valid until <Time at={previousSecretExpiresAt} />
          </>
        )}
      </Fact>
    </Facts>
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
  return redirectInSite(c, `${webhookPath(id)}?tested=${test.sent.deliveryId}`)
}
