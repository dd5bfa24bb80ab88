/** A site's webhook: setting its URL, and removing it. */
import type * as z from 'zod/mini'
import {
  deleteWebhook,
  type Endpoint,
  EndpointInput,
  findWebhook,
  getWebhook,
  setWebhook,
} from '../../../src/webhooks/endpoint.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { type Errors, readForm, submit } from '../form.ts'
import { Confirm } from '../parts/confirm.tsx'
import { withDone } from '../parts/done.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { CopyableFact, Fact, Facts } from '../parts/facts.tsx'
import { TextField } from '../parts/field.tsx'
import { SiteForm } from '../parts/form.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { ErrorSummary } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { redirectInSite } from '../site.ts'
import { isFuture, secretPage } from './secret.tsx'

type SiteEndpoint = z.infer<typeof Endpoint>

export const webhook = createApp()

webhook.get('/webhook', async (c) => {
  const endpoint = await findWebhook(c.get('ctx'), c.get('site'))
  return urlPage(c, { isNew: !endpoint, url: endpoint?.url, errors: {} })
})

// A new webhook answers with the page itself: a redirect would need the secret to be stored for it.
webhook.post('/webhook', async (c) => {
  const values = await readForm(c)
  const { result, errors } = await submit(EndpointInput, { url: values.url?.trim() || undefined }, (input) =>
    setWebhook(c.get('ctx'), c.get('site'), input),
  )
  if (errors) {
    c.status(400)
    return urlPage(c, { isNew: values.new === '1', url: values.url, errors })
  }
  if (result.secret === null) return redirectInSite(c, withDone('/integrations', 'integrations', 'saved'))
  return secretPage(c, {
    title: 'Webhook set',
    lead: 'It is called when a draft is ready. Give your receiver the secret before you send a test.',
    secret: result.secret,
  })
})

type UrlPage = { isNew: boolean; url: string | undefined; errors: Errors }

function urlPage(c: Http, { isNew, url, errors }: UrlPage) {
  const title = isNew ? 'Set a webhook' : 'Change the URL'
  const hint = c.get('ctx').config.ALLOW_LOOPBACK_WEBHOOKS
    ? `${URL_RULES} Here, http to this machine works too, such as http://127.0.0.1:9000.`
    : URL_RULES
  return c.render(
    <>
      <PageHeading
        title={title}
        lead={
          isNew
            ? 'The URL at which your CMS receives events by POST. You get a secret to verify them with.'
            : 'Used from the next event on. The secret stays the same.'
        }
      />
      <ErrorSummary errors={errors} />
      <SiteForm
        needs="admin"
        action="/integrations/webhook"
        submit={isNew ? 'Set webhook' : 'Save URL'}
        cancel="/integrations"
      >
        {isNew && <input type="hidden" name="new" value="1" />}
        <TextField
          label="URL"
          name="url"
          placeholder="https://cms.example.org/hooks"
          hint={hint}
          required
          value={url}
          error={errors.url}
        />
      </SiteForm>
    </>,
    { tab: 'Integrations', title },
  )
}

const URL_RULES =
  'Use https on port 443 or 8443 and a public host name: no IP address, no local or private name, no user or password. Redirects are not followed.'

webhook.get('/webhook/removal', async (c) => {
  const { url } = await getWebhook(c.get('ctx'), c.get('site'))
  return c.render(
    <Confirm
      title="Remove the webhook?"
      needs="admin"
      action="/integrations/webhook/removal"
      submit="Remove webhook"
      cancel="/integrations"
    >
      <p>
        Nothing more is sent to <code>{url}</code>, and its secret is deleted. Drafts that become ready in the
        meantime are not announced later. The log of deliveries stays.
      </p>
    </Confirm>,
    { tab: 'Integrations', title: 'Remove the webhook' },
  )
})

webhook.post('/webhook/removal', async (c) => {
  await deleteWebhook(c.get('ctx'), c.get('site'))
  return redirectInSite(c, withDone('/integrations', 'integrations', 'removed'))
})

export function WebhookSection({ endpoint }: { endpoint: SiteEndpoint }) {
  const { url, createdAt, updatedAt, secretRotatedAt, previousSecretExpiresAt } = endpoint
  return (
    <Section
      id="webhook"
      title="Webhook"
      action={<ButtonLink needs="admin" to="/integrations/webhook" text="Change URL" />}
    >
      <Facts boxed>
        <CopyableFact label="URL" text={url} />
        <Fact label="Set">
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
        <ButtonLink
          needs="admin"
          to="/integrations/webhook/secret-rotations"
          text="Rotate secret"
          look="small"
        />
        <ButtonLink needs="admin" to="/integrations/webhook/removal" text="Remove webhook" look="small" />
      </div>
    </Section>
  )
}

export function NoWebhook() {
  return (
    <EmptyState title="No webhook yet">
      <p>
        It is the URL at which your CMS receives events. An admin sets it, gets a secret to verify them with,
        and can send a test right away.
      </p>
      <ButtonLink needs="admin" to="/integrations/webhook" text="Set a webhook" look="primary" />
    </EmptyState>
  )
}
