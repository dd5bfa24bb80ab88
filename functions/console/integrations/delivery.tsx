import { resendEvent } from '../../../src/webhooks/deliver.ts'
import { getDelivery } from '../../../src/webhooks/log.ts'
import { nameWebhooks } from '../../../src/webhooks/names.ts'
import { getDeliveryWithAttempts } from '../../../src/webhooks/overview.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { readForm } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { Snippet } from '../parts/copy.tsx'
import { CopyableFact, Fact, Facts } from '../parts/facts.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Notice, PageHeading, Section } from '../parts/page.tsx'
import { NeighbourLinks } from '../parts/pager.tsx'
import { RequireRole, useAllowed } from '../parts/require-role.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { redirectInSite } from '../site.ts'
import { curlCommand } from './curl.ts'
import { AttemptTable, nameOf } from './event-table.tsx'
import { parentFilter } from './filter.ts'
import { webhookPath } from './paths.ts'
import { refusalOf, refusalText } from './refusals.ts'
import { OutcomeNotice, ResponseSnippet } from './result.tsx'

export const delivery = createApp()

delivery.get('/deliveries/:deliveryId', async (c) => {
  const { delivery, attempts, resource, currentSlug, arrivalId, adjacent, ...of } =
    await getDeliveryWithAttempts(c.get('ctx'), c.get('site'), deliveryIdOf(c), parentFilter(c))
  const { id, event, url, request } = delivery
  const endpoint = of.endpoints.find((each) => each.id === of.endpointId)
  // Postgres does not keep the order of a JSON object's keys.
  const headers = Object.entries(request?.headers ?? {}).sort(([a], [b]) => a.localeCompare(b, 'en'))
  const others = attempts.items.filter((attempt) => attempt.id !== id)
  const refusal = refusalText(c)
  return c.render(
    <>
      <PageHeading
        title={nameOf(delivery)}
        lead={event === 'webhook.test' ? 'A test event. No post has changed.' : event}
        action={
          <div class="actions">
            <NeighbourLinks
              of="delivery"
              previous={toDelivery(adjacent.newer)}
              next={toDelivery(adjacent.older)}
            />
            {endpoint && (
              <PostButton
                needs="editor"
                action={`${itemPath('deliveries', id)}/resends`}
                data-busy="Sending…"
              >
                Resend
              </PostButton>
            )}
          </div>
        }
      />
      {refusal && <Notice tone="warning">{refusal}</Notice>}
      <OutcomeNotice delivery={delivery} />
      {delivery.arrivedLater && (
        <Notice tone="success">
          <p>
            <strong>Delivered later.</strong> The event was resent.{' '}
            {arrivalId && (
              <SiteLink to={itemPath('deliveries', arrivalId)}>View the successful attempt</SiteLink>
            )}
          </p>
        </Notice>
      )}
      <div class="split">
        <Facts boxed>
          <Fact label={resource === 'guide' ? 'Guide' : 'Post'}>
            {resource && currentSlug ? (
              <SiteLink to={itemPath(`${resource}s`, currentSlug)}>{delivery.title ?? currentSlug}</SiteLink>
            ) : (
              delivery.slug && `${delivery.slug} (deleted)`
            )}
          </Fact>
          <Fact label="Webhook">
            {endpoint ? (
              <SiteLink to={webhookPath(endpoint.id)}>
                {nameWebhooks(of.endpoints).get(endpoint.id)!}
              </SiteLink>
            ) : (
              'Removed'
            )}
          </Fact>
          <Fact label="URL">
            {url && <code>{url}</code>}
            {endpoint && url && endpoint.url !== url && (
              <span class="below">
                The webhook has a new URL. Resending sends the event to {endpoint.url}
              </span>
            )}
          </Fact>
          <Fact label="Sent">
            <Time at={delivery.attemptedAt} isRelative />
            {delivery.manual && ', resent manually'}
          </Fact>
          <CopyableFact label="Event ID" text={delivery.eventId} />
        </Facts>
        <ResponseSnippet delivery={delivery} />
      </div>
      {request ? (
        <Section
          id="request"
          title="Request"
          action={<ButtonLink to={`/integrations/signature-check?delivery=${id}`} text="Check signature" />}
        >
          <Snippet title="Body, formatted" text={JSON.stringify(JSON.parse(request.body), null, 2)} />
          <div class="folds">
            <details>
              <summary>Body as sent, which the signature covers</summary>
              <Snippet title="Body" text={request.body} />
            </details>
            <details>
              <summary>Headers</summary>
              <Snippet title="Headers" text={headers.map((pair) => pair.join(': ')).join('\n')} />
              <SignaturesLeftOut />
            </details>
            <RequireRole needs="editor">
              <details>
                <summary>Repeat with curl</summary>
                <p class="muted">
                  The same POST from your shell. Receivers refuse its timestamp after 5 minutes.
                </p>
                <Snippet title="curl" text={curlCommand(url, headers, request.body)} />
              </details>
            </RequireRole>
          </div>
        </Section>
      ) : (
        <p class="muted">Nothing was sent.</p>
      )}
      {others.length > 0 && (
        <Section id="attempts" title={attempts.next ? 'Latest other attempts' : 'Other attempts'}>
          <AttemptTable label="Other attempts" deliveries={others} />
        </Section>
      )}
    </>,
    { tab: 'Integrations', title: `Delivery: ${nameOf(delivery)}` },
  )
})

delivery.post('/deliveries/:deliveryId/resends', async (c) => {
  const ctx = c.get('ctx')
  const id = deliveryIdOf(c)
  const { eventId } = await getDelivery(ctx, c.get('site'), id)
  // A form on a post's page carries the post's slug.
  const { post } = await readForm(c)
  const back = post && itemPath('posts', post)
  try {
    const resent = await resendEvent(ctx, c.get('site'), eventId)
    return redirectInSite(c, back ? `${back}?done=resent#history` : itemPath('deliveries', resent.id))
  } catch (error) {
    const refused = refusalOf(error)
    if (!refused) throw error
    const query = `?refused=${refused}`
    return redirectInSite(c, back ? `${back}${query}#history` : `${itemPath('deliveries', id)}${query}`)
  }
})

const toDelivery = (id: string | null) => (id ? { to: itemPath('deliveries', id) } : null)

const deliveryIdOf = (c: Http) => idOf(c, 'deliveryId', 'delivery_not_found')

function SignaturesLeftOut() {
  if (useAllowed('editor')) return null
  return (
    <p class="muted">
      Only editors and admins see the signatures, since anyone with a signature could send the event.
    </p>
  )
}
