import { optionalEvents } from '../../../src/core/enums.ts'
import {
  addWebhook,
  changeWebhook,
  deleteWebhook,
  EndpointInput,
  findWebhook,
  getWebhook,
  type ListedEndpoint,
  listWebhooks,
  MAX_WEBHOOKS,
  setWebhook,
  webhookHost,
} from '../../../src/webhooks/endpoint.ts'
import { events } from '../../../src/webhooks/event-kinds.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { redirectDone } from '../actions/done.tsx'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submit, type Values } from '../forms/form.ts'
import { formPage } from '../forms/form-page.tsx'
import { changedOnly, saveMerged } from '../forms/three-way-merge.ts'
import { CheckField, TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues } from '../parts/fields/form.tsx'
import { EmptyState } from '../parts/page.tsx'
import { ButtonLink, DocsLink } from '../parts/site-link.tsx'
import { redirectInSite } from '../site.ts'
import { endpointIdOf, PATHS, webhookPath } from './paths.ts'
import { secretPage } from './secret.tsx'

export const webhook = createApp()

webhook.get('/webhook', async (c) => {
  const { id } = c.get('site')
  const endpoint = await findWebhook(c.get('ctx'), c.get('site'))
  return editPage(c, { id, values: toValues(endpoint), isNew: !endpoint })
})

webhook.get('/webhooks', async (c) => {
  const { length } = await listWebhooks(c.get('ctx'), c.get('site'))
  if (length >= MAX_WEBHOOKS) return redirectInSite(c, '/integrations')
  return editPage(c, { id: c.get('site').id, values: toValues(null), isNew: true, isFurther: true })
})

webhook.get('/webhooks/:endpointId/edit', async (c) => {
  const id = endpointIdOf(c)
  const values = toValues(await getWebhook(c.get('ctx'), c.get('site'), id))
  return editPage(c, { id, values, isNew: false, isFurther: true })
})

webhook.post('/webhook', (c) => change(c))

webhook.post('/webhooks', async (c) => {
  const values = await readForm(c)
  const { result, errors } = await submit(EndpointInput, toInput(values), (input) =>
    addWebhook(c.get('ctx'), c.get('site'), input),
  )
  return errors ? refused(c, values, errors) : newSecretPage(c, result)
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
    const logged = { action: 'webhook.updated', id } as const
    const choice = { conflicts, values: rest, cancel: webhookPath(id), logged }
    return conflictPage(c, { tab: 'Integrations', title: 'Edit webhook' }, choice)
  }
  if (errors) return refused(c, values, errors)
  const { secret } = result
  if (secret === null) return redirectDone(c, webhookPath(id), 'integrations', 'saved')
  return newSecretPage(c, { id, secret })
}

function toValues(endpoint: Pick<ListedEndpoint, 'name' | 'url' | 'events'> | null): Values {
  const { name = '', url = '', events: chosen = [] } = endpoint ?? {}
  const boxes = optionalEvents.map((event) => [event, chosen.includes(event) ? 'on' : ''])
  return { name: name === webhookHost(url) ? '' : name, url, ...Object.fromEntries(boxes) }
}

/** An unchecked box posts nothing. */
const toFields = (values: Values): Values =>
  Object.fromEntries(['name', 'url', ...optionalEvents].map((name) => [name, values[name] ?? '']))

const toInput = (values: Values) => ({
  name: values.name?.trim() || null,
  url: values.url?.trim() || undefined,
  events: optionalEvents.filter((event) => values[event] === 'on'),
})

function refused(c: Http, values: Values, errors: Errors) {
  if (errors.url?.startsWith('must be an absolute URL')) errors.url = NO_URL
  const isFurther = c.req.path.includes('/webhooks')
  return editPage(c, { id: endpointIdOf(c), values, isNew: values.new === '1', isFurther, errors })
}

const newSecretPage = (c: Http, made: { id: string; secret: string }) =>
  secretPage(c, {
    title: 'Webhook added',
    lead: 'Give your receiver the secret, then send a test.',
    ...made,
  })

type EditPage = {
  /** The id of the endpoint. The first one has the id of the site. */
  id: string
  values: Values
  isNew: boolean
  isFurther?: boolean
  errors?: Errors
}

function editPage(c: Http, { id, values, isNew, isFurther = false, errors = {} }: EditPage) {
  const field = fieldsOf(values, errors)
  const title = isNew ? 'Add webhook' : 'Edit webhook'
  const list = `/integrations/webhook${isFurther ? 's' : ''}`
  const [own, cancel] = isNew ? [list, '/integrations'] : [webhookPath(id), webhookPath(id)]
  const lead = isNew && 'You get a secret to verify events with.'
  return formPage(
    c,
    { tab: 'Integrations', title },
    { lead, errors },
    <Form needs="admin" action={own} submit={isNew ? 'Add webhook' : 'Save webhook'} cancel={cancel}>
      {isNew && <input type="hidden" name="new" value="1" autocomplete="off" />}
      <OriginalValues values={values} />
      <TextField
        label="URL"
        {...field('url')}
        placeholder={EXAMPLE}
        hint="https on port 443 or 8443, to a public host. We do not follow redirects."
        required
      />
      <TextField label="Name" {...field('name')} hint="Optional. The default is the host of the URL." />
      <fieldset class="checks">
        <legend>Events</legend>
        <CheckField label="article.ready" name="article.ready" hint={ALWAYS_SENT} checked disabled />
        {optionalEvents.map((event) => (
          <CheckField
            label={event}
            name={event}
            hint={`${events[event].summary}.`}
            checked={values[event] === 'on'}
          />
        ))}
      </fieldset>
    </Form>,
  )
}

const EXAMPLE = 'https://cms.example.org/hooks'
const NO_URL = `Enter a full URL, such as ${EXAMPLE}`
const ALWAYS_SENT = `${events['article.ready'].summary}. Always sent.`

for (const path of PATHS) {
  webhook.get(`${path}/removal`, async (c) => {
    const endpoint = await getWebhook(c.get('ctx'), c.get('site'), endpointIdOf(c))
    return c.render(
      <Confirm
        title="Remove the webhook “{name}”?"
        name={endpoint.name}
        needs="admin"
        submit="Remove webhook"
        cancel={webhookPath(endpoint.id)}
      >
        <p>
          <code>{endpoint.url}</code> receives no more events, and its secret is deleted. If you add a webhook
          later, it does not get events for drafts that became ready in the meantime. The delivery log stays.
        </p>
      </Confirm>,
      { tab: 'Integrations', title: 'Remove webhook', isNarrow: true },
    )
  })

  webhook.post(`${path}/removal`, async (c) => {
    await deleteWebhook(c.get('ctx'), c.get('site'), endpointIdOf(c))
    return redirectDone(c, '/integrations', 'integrations', 'removed')
  })
}

export function NoWebhook() {
  return (
    <EmptyState title="No webhook yet">
      <p>
        A webhook notifies your CMS when a quality-checked draft is ready and, if you turn it on, about
        changes to published posts. <DocsLink to="webhooks">How to receive webhooks</DocsLink>
      </p>
      <ButtonLink needs="admin" to="/integrations/webhook" text="Add webhook" look="primary" />
    </EmptyState>
  )
}
