/** Adding, changing and removing the webhooks of a site. */
import { optionalEvents } from '../../../src/core/enums.ts'
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  EndpointInput,
  findWebhook,
  getWebhook,
  type ListedEndpoint,
  setWebhook,
} from '../../../src/webhooks/endpoint.ts'
import { events } from '../../../src/webhooks/event-kinds.ts'
import { MAX_COUNTED_EVENTS } from '../../../src/webhooks/event-log.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { redirectDone } from '../actions/done.tsx'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, readForm, submit } from '../forms/form.ts'
import { changedOnly, saveMerged, type Values } from '../forms/three-way-merge.ts'
import { DocsLink } from '../parts/docs-link.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { CopyableFact, Fact, Facts } from '../parts/facts.tsx'
import { CheckField, TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues } from '../parts/fields/form.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { ErrorSummary } from '../parts/notice.tsx'
import { formatCounted } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { deliveriesWith } from './filter.ts'
import { endpointIdOf, PATHS, webhookPath } from './paths.ts'
import { isFuture, secretPage } from './secret.tsx'

export const webhook = createApp()

webhook.get('/webhook', async (c) => {
  const { id } = c.get('site')
  const endpoint = await findWebhook(c.get('ctx'), c.get('site'))
  return formPage(c, { id, values: toValues(endpoint), isNew: !endpoint })
})

webhook.get('/webhooks', (c) =>
  formPage(c, { id: c.get('site').id, values: toValues(null), isNew: true, isFurther: true }),
)

webhook.get('/webhooks/:endpointId', async (c) => {
  const id = endpointIdOf(c)
  const values = toValues(await getWebhook(c.get('ctx'), c.get('site'), id))
  return formPage(c, { id, values, isNew: false, isFurther: true })
})

webhook.post('/webhook', (c) => change(c))

webhook.post('/webhooks', async (c) => {
  const values = await readForm(c)
  const { result, errors } = await submit(EndpointInput, toInput(values), (input) =>
    addWebhook(c.get('ctx'), c.get('site'), input),
  )
  return errors ? refused(c, values, errors) : newSecretPage(c, result.secret)
})

webhook.post('/webhooks/:endpointId', (c) => change(c))

/** Also creates the first webhook. Someone else may have created it since the form was opened. */
async function change(c: Http) {
  const values = await readForm(c)
  const [ctx, site, id] = [c.get('ctx'), c.get('site'), endpointIdOf(c)]
  const { result, errors, conflicts } = await saveMerged({
    values,
    read: () => (values.new === '1' ? findWebhook(ctx, site, id) : getWebhook(ctx, site, id)),
    toValues,
    write: (current) => {
      const changes = changedOnly(values, toFields(values)) as Values
      const input = toInput({ ...toValues(current), ...changes })
      return submit(EndpointInput, input, async (endpoint) =>
        current
          ? { ...(await changeWebhook(ctx, site, id, endpoint, current)), secret: null }
          : setWebhook(ctx, site, endpoint, { onlyNew: true }),
      )
    },
  })
  if (conflicts) {
    // Drop `new`, because the webhook exists now.
    const { new: _, ...rest } = values
    const choice = { conflicts, values: rest, cancel: '/integrations' }
    return conflictPage(c, { tab: 'Integrations', title: 'Edit webhook' }, choice)
  }
  if (errors) return refused(c, values, errors)
  if (result.secret === null) return redirectDone(c, '/integrations', 'integrations', 'saved')
  return newSecretPage(c, result.secret)
}

function toValues(endpoint: Pick<ListedEndpoint, 'url' | 'events'> | null): Values {
  const boxes = optionalEvents.map((event) => [event, endpoint?.events.includes(event) ? 'on' : ''])
  return { url: endpoint?.url ?? '', ...Object.fromEntries(boxes) }
}

/** An unchecked box posts nothing. */
const toFields = (values: Values): Values =>
  Object.fromEntries(['url', ...optionalEvents].map((name) => [name, values[name] ?? '']))

const toInput = (values: Values) => ({
  url: values.url?.trim() || undefined,
  events: optionalEvents.filter((event) => values[event] === 'on'),
})

function refused(c: Http, values: Values, errors: Errors) {
  c.status(400)
  const isFurther = c.req.path.includes('/webhooks')
  return formPage(c, { id: endpointIdOf(c), values, isNew: values.new === '1', isFurther, errors })
}

const newSecretPage = (c: Http, secret: string) =>
  secretPage(c, {
    title: 'Webhook added',
    lead: 'It is called when a draft is ready. Give your receiver the secret before you send a test.',
    secret,
  })

type FormPage = {
  /** The id of the endpoint. The first one has the id of the site. */
  id: string
  values: Values
  isNew: boolean
  isFurther?: boolean
  errors?: Errors
}

function formPage(c: Http, { id, values, isNew, isFurther = false, errors = {} }: FormPage) {
  const title = isNew ? (isFurther ? 'Add a webhook' : 'Set up a webhook') : 'Edit webhook'
  const own = isFurther && isNew ? '/integrations/webhooks' : webhookPath(c.get('site'), { id })
  const hint = c.get('ctx').config.ALLOW_LOOPBACK_WEBHOOKS
    ? `${URL_RULES} On this local service, http to this machine works too, such as http://127.0.0.1:9000.`
    : URL_RULES
  return c.render(
    <>
      <PageHeading
        title={title}
        lead={
          isNew
            ? 'The URL where your CMS receives events by POST. You get a secret to verify them with.'
            : 'Changes apply from the next event. The secret stays the same.'
        }
      />
      <ErrorSummary errors={errors} />
      <Form needs="admin" action={own} submit={isNew ? 'Add webhook' : 'Save webhook'} cancel="/integrations">
        {isNew && <input type="hidden" name="new" value="1" autocomplete="off" />}
        <OriginalValues values={values} />
        <TextField
          label="URL"
          name="url"
          placeholder="https://cms.example.org/hooks"
          hint={hint}
          required
          value={values.url}
          error={errors.url}
        />
        <p>
          <code>article.ready</code> is always sent. Also send:
        </p>
        {optionalEvents.map((event) => (
          <CheckField
            label={event}
            name={event}
            hint={`${events[event].summary}.`}
            checked={values[event] === 'on'}
          />
        ))}
      </Form>
    </>,
    { tab: 'Integrations', title },
  )
}

const URL_RULES =
  'Use https on port 443 or 8443 and a public host name: no IP address, no local or private name, no user or password. We do not follow redirects.'

for (const path of PATHS) {
  webhook.get(`${path}/removal`, async (c) => {
    const endpoint = await getWebhook(c.get('ctx'), c.get('site'), endpointIdOf(c))
    return c.render(
      <Confirm
        title="Remove this webhook?"
        needs="admin"
        action={`${webhookPath(c.get('site'), endpoint)}/removal`}
        submit="Remove webhook"
        cancel="/integrations"
      >
        <p>
          <code>{endpoint.url}</code> receives no more events, and its secret is deleted. If you add a webhook
          later, it does not get events for drafts that became ready in the meantime. The delivery log stays.
        </p>
      </Confirm>,
      { tab: 'Integrations', title: 'Remove webhook' },
    )
  })

  webhook.post(`${path}/removal`, async (c) => {
    await deleteWebhook(c.get('ctx'), c.get('site'), endpointIdOf(c))
    return redirectDone(c, '/integrations', 'integrations', 'removed')
  })
}

type WebhookSectionProps = {
  endpoint: ListedEndpoint & { notArrived: number }
  page: string
  number: number
}

export function WebhookSection({ endpoint, page, number }: WebhookSectionProps) {
  const { id, url, events, createdAt, updatedAt, secretRotatedAt, previousSecretExpiresAt, notArrived } =
    endpoint
  return (
    <Section
      id={number === 1 ? 'webhook' : `webhook-${number}`}
      title={number === 1 ? 'Webhook' : `Webhook ${number}`}
      action={<ButtonLink needs="admin" to={page} text="Edit" />}
    >
      <Facts boxed>
        <CopyableFact label="URL" text={url} needs="editor" />
        <Fact label="Events">{['article.ready', ...events].join(', ')}</Fact>
        {notArrived > 0 && (
          <Fact label="Not arrived">
            <SiteLink to={deliveriesWith({ outcome: 'not_arrived', webhook: id })}>
              {formatCounted(notArrived, MAX_COUNTED_EVENTS, 'event')}
            </SiteLink>
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
        <ButtonLink needs="admin" to={`${page}/secret-rotations`} text="Rotate secret" look="small" />
        <ButtonLink needs="admin" to={`${page}/removal`} text="Remove webhook" look="small" />
      </div>
    </Section>
  )
}

export function NoWebhook() {
  return (
    <EmptyState title="No webhook yet">
      <p>
        Set the URL where your CMS receives events. An admin adds it, gets a secret to verify events with, and
        can send a test right away. <DocsLink to="webhooks">How to receive events</DocsLink>
      </p>
      <ButtonLink needs="admin" to="/integrations/webhook" text="Set up a webhook" look="primary" />
    </EmptyState>
  )
}
