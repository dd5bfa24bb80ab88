/** One delivery: what came of it, what was sent, and sending it again. */
import { Hono } from 'hono'
import { AppError, type ErrorCode } from '../../../src/errors.ts'
import { resendEvent } from '../../../src/webhooks/deliver.ts'
import { getDelivery } from '../../../src/webhooks/log.ts'
import { getDeliveryWithAttempts } from '../../../src/webhooks/overview.ts'
import type { Env, Http } from '../../http/env.ts'
import { UUID } from '../../http/uuid.ts'
import { sitePage } from '../layout.tsx'
import { Copyable, Snippet } from '../parts/copy.tsx'
import { Fact } from '../parts/fact.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { Time } from '../parts/time.tsx'
import { pathIn } from '../site.ts'
import { curlLine } from './curl.ts'
import { DeliveryTable } from './deliveries.tsx'
import { Answer, duration, Outcome } from './result.tsx'

export const delivery = new Hono<Env>()

/** Why an event cannot be sent again now, and what the page says about it. */
const REFUSALS: Partial<Record<ErrorCode, [query: string, words: string]>> = {
  event_under_way: [
    'busy',
    'The event is on its way at this moment, so it was not sent again. Try in a few seconds.',
  ],
  webhook_missing: ['unset', 'No webhook is set, so nothing was sent. Set one, then send this event again.'],
}

delivery.get('/deliveries/:deliveryId', async (c) => {
  const read = await getDeliveryWithAttempts(c.get('ctx'), c.get('site'), deliveryIdOf(c))
  const { request, ...about } = read.delivery
  // Postgres gives the names back in an order of its own.
  const headers = Object.entries(request?.headers ?? {}).sort(([a], [b]) => a.localeCompare(b, 'en'))
  const others = read.attempts.items.filter(({ id }) => id !== about.id)
  const refusal = Object.values(REFUSALS).find(([query]) => query === c.req.query('refused'))
  return sitePage(
    c,
    { tab: 'Integrations', title: `Delivery of ${about.event}` },
    <>
      <p class="back">
        <a href={`${pathIn(c, '/integrations')}#deliveries`}>All deliveries</a>
      </p>
      <PageHeading
        title={about.event}
        lead={about.slug ?? 'A test: no post has changed.'}
        action={
          read.endpoint && (
            <form method="post" action={pathIn(c, `/integrations/deliveries/${about.id}/resends`)}>
              <button type="submit" class="button">
                Send again
              </button>
            </form>
          )
        }
      />
      {refusal && <Notice tone="warning">{refusal[1]}</Notice>}
      <Outcome delivery={read.delivery} />
      <dl class="copyables">
        <Fact label="URL">
          {about.url ? <code>{about.url}</code> : <span class="muted">None was set</span>}
          {read.endpoint && about.url && read.endpoint.url !== about.url && (
            <span class="below">
              The webhook has another URL by now, to which it would be sent again: {read.endpoint.url}
            </span>
          )}
        </Fact>
        <Fact label="Sent">
          <Time at={about.attemptedAt} />
          {about.manual && ', again, by hand'}
        </Fact>
        <Fact label="Status">{about.status ?? <span class="muted">None</span>}</Fact>
        <Fact label="Duration">{duration(about)}</Fact>
        <Copyable label="Event ID" text={about.eventId} />
      </dl>
      <Answer delivery={read.delivery} />
      {request ? (
        <Section
          id="request"
          title="What was sent"
          lead="The body is signed to the byte: verify it before parsing, just as it arrives."
          action={
            <a class="button" href={pathIn(c, '/integrations/signature-check')}>
              Check a signature
            </a>
          }
        >
          <Snippet title="Body" text={request.body} />
          <details class="snippet">
            <summary>Body, laid out to read</summary>
            <pre>
              <code>{laidOut(request.body)}</code>
            </pre>
          </details>
          <Snippet title="Headers" text={headers.map((pair) => pair.join(': ')).join('\n')} />
        </Section>
      ) : (
        <p class="muted">Nothing was sent.</p>
      )}
      {request && (
        <Section
          id="curl"
          title="Repeat it yourself"
          lead="The same POST from a shell. After 5 minutes a receiver refuses its timestamp as too old."
        >
          <Snippet title="As curl" text={curlLine(about.url, headers, request.body)} />
        </Section>
      )}
      {others.length > 0 && (
        <Section
          id="attempts"
          title="Other attempts"
          lead={
            read.attempts.next ? 'The newest attempts at the same event.' : 'The same event, at other times.'
          }
        >
          <DeliveryTable c={c} label="Other attempts" deliveries={others} />
        </Section>
      )}
    </>,
  )
})

delivery.post('/deliveries/:deliveryId/resends', async (c) => {
  const ctx = c.get('ctx')
  const id = deliveryIdOf(c)
  const { eventId } = await getDelivery(ctx, c.get('site'), id)
  try {
    const again = await resendEvent(ctx, c.get('site'), eventId)
    return c.redirect(pathIn(c, `/integrations/deliveries/${again.id}`), 303)
  } catch (error) {
    const refusal = error instanceof AppError ? REFUSALS[error.code] : undefined
    if (!refusal) throw error
    return c.redirect(pathIn(c, `/integrations/deliveries/${id}?refused=${refusal[0]}`), 303)
  }
})

function deliveryIdOf(c: Http): string {
  const id = (c.req.param('deliveryId') ?? '').toLowerCase()
  if (!UUID.test(id)) throw new AppError('delivery_missing')
  return id
}

function laidOut(body: string): string {
  return JSON.stringify(JSON.parse(body), null, 2)
}
