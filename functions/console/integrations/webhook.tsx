/** The webhook itself: its URL, its secret, and the end of it. */
import { Hono } from 'hono'
import type { z } from 'zod'
import { AppError } from '../../../src/errors.ts'
import { parseInstant } from '../../../src/time.ts'
import {
  deleteWebhook,
  type Endpoint,
  EndpointInput,
  findWebhook,
  getWebhook,
  rotateWebhookSecret,
  setWebhook,
} from '../../../src/webhooks/endpoint.ts'
import type { Env, Http } from '../../http/env.ts'
import { type Errors, readForm, submit } from '../form.ts'
import { sitePage } from '../layout.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Copyable } from '../parts/copy.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fact } from '../parts/fact.tsx'
import { TextField } from '../parts/field.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { Notice, Refusal } from '../parts/notice.tsx'
import { Time } from '../parts/time.tsx'
import { pathIn } from '../site.ts'

type SiteEndpoint = z.infer<typeof Endpoint>

const HOME = '/integrations'
const FORM = '/integrations/webhook'
const ROTATIONS = '/integrations/webhook/secret-rotations'
const REMOVAL = '/integrations/webhook/removal'

export const webhook = new Hono<Env>()

webhook.get('/webhook', async (c) => {
  const endpoint = await findWebhook(c.get('ctx'), c.get('site'))
  return urlPage(c, { isNew: !endpoint, url: endpoint?.url, errors: {} })
})

// A new endpoint is answered with the page itself: to redirect, its secret would have to be kept somewhere.
webhook.post('/webhook', async (c) => {
  const values = await readForm(c)
  const meant = { url: values.url?.trim() || undefined }
  const outcome = await submit(EndpointInput, meant, (input) =>
    setWebhook(c.get('ctx'), c.get('site'), input),
  )
  if (outcome.errors)
    return urlPage(c, { isNew: values.new === '1', url: values.url, errors: outcome.errors })
  const { secret } = outcome.done
  if (secret === null) return c.redirect(pathIn(c, `${HOME}?saved=1`), 303)
  return secretPage(c, {
    title: 'Webhook set',
    lead: 'From now on ready drafts are announced to it. Give your receiver the secret before you send a test.',
    secret,
  })
})

function urlPage(
  c: Http,
  { isNew, url, errors }: { isNew: boolean; url: string | undefined; errors: Errors },
) {
  const refused = Object.keys(errors).length > 0
  const hint = c.get('ctx').config.ALLOW_LOOPBACK_WEBHOOKS
    ? `${URL_RULES} Here, http to this machine works too, such as http://127.0.0.1:9000.`
    : URL_RULES
  return sitePage(
    c,
    { tab: 'Integrations', title: isNew ? 'Set a webhook' : 'Change the URL', status: refused ? 400 : 200 },
    <>
      <PageHeading
        title={isNew ? 'Set a webhook' : 'Change the URL'}
        lead={
          isNew
            ? 'Where your CMS takes events by POST. A secret to verify them with is made for it.'
            : 'From the next event on, the new URL is used. The secret stays as it is.'
        }
      />
      <Refusal errors={errors} />
      <form method="post" action={pathIn(c, FORM)} class="fields">
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
        <div class="actions">
          <button type="submit" class="button primary">
            {isNew ? 'Set webhook' : 'Save URL'}
          </button>
          <a class="button" href={pathIn(c, HOME)}>
            Cancel
          </a>
        </div>
      </form>
    </>,
  )
}

const URL_RULES =
  'https on port 443 or 8443, at a public host name. Not an IP address, no local or private name, no user or password in it. Redirects are not followed.'

webhook.get('/webhook/secret-rotations', async (c) => {
  const endpoint = await getWebhook(c.get('ctx'), c.get('site'))
  return sitePage(
    c,
    { tab: 'Integrations', title: 'Rotate the secret' },
    <Confirm
      title="Rotate the webhook secret?"
      action={pathIn(c, `${ROTATIONS}?${new URLSearchParams({ since: endpoint.secretRotatedAt })}`)}
      verb="Rotate secret"
      back={pathIn(c, HOME)}
    >
      <p>A new secret is made and shown once. What it means depends on the header your receiver verifies:</p>
      <ul class="points">
        <li>
          <code>webhook-signature</code> bears both signatures for 24 hours, so nothing is refused while you
          change over.
        </li>
        <li>
          <code>X-Service-Signature</code> is made with the new secret at once. A receiver that verifies it
          refuses deliveries until it has the new secret.
        </li>
      </ul>
      {endpoint.previousSecretExpiresAt && isAhead(endpoint.previousSecretExpiresAt) && (
        <Notice tone="warning">
          There was a rotation already: the secret before the present one, good until{' '}
          <Time at={endpoint.previousSecretExpiresAt} />, ends at once.
        </Notice>
      )}
    </Confirm>,
  )
})

webhook.post('/webhook/secret-rotations', async (c) => {
  const rotatedAt = parseInstant(c.req.query('since') ?? '')
  if (!rotatedAt) throw new AppError('not_found')
  const rotated = await rotateWebhookSecret(c.get('ctx'), c.get('site'), { rotatedAt }).catch((error) => {
    if (error instanceof AppError && error.code === 'secret_rotated') return null
    throw error
  })
  if (!rotated) return alreadyRotatedPage(c)
  return secretPage(c, {
    title: 'Secret rotated',
    lead: (
      <>
        The one before signs along in <code>webhook-signature</code> until{' '}
        <Time at={rotated.previousSecretExpiresAt} />.
      </>
    ),
    secret: rotated.secret,
  })
})

/** The form was sent twice, or is an old one: another rotation would end the secret that receivers have. */
function alreadyRotatedPage(c: Http) {
  return sitePage(
    c,
    { tab: 'Integrations', title: 'Not rotated', status: 409 },
    <>
      <PageHeading title="Not rotated" lead="The secret has been rotated since you were asked." />
      <p>
        Nothing was changed this time. If you have not seen the new secret, rotate once more to get another.
      </p>
      <div class="actions">
        <a class="button" href={pathIn(c, HOME)}>
          Back to Integrations
        </a>
      </div>
    </>,
  )
}

function secretPage(
  c: Http,
  { title, lead, secret }: { title: string; lead: Parameters<typeof PageHeading>[0]['lead']; secret: string },
) {
  return sitePage(
    c,
    { tab: 'Integrations', title, status: 201 },
    <>
      <PageHeading title={title} lead={lead} />
      <Notice tone="warning">
        Copy the secret now and keep it where secrets are kept. It cannot be shown again; if it is lost,
        rotate.
      </Notice>
      <dl class="copyables">
        <Copyable label="Secret" text={secret} />
      </dl>
      <div class="actions">
        <a class="button primary" href={pathIn(c, HOME)}>
          Done
        </a>
      </div>
    </>,
  )
}

webhook.get('/webhook/removal', async (c) => {
  const { url } = await getWebhook(c.get('ctx'), c.get('site'))
  return sitePage(
    c,
    { tab: 'Integrations', title: 'Remove the webhook' },
    <Confirm
      title="Remove the webhook?"
      action={pathIn(c, REMOVAL)}
      verb="Remove webhook"
      back={pathIn(c, HOME)}
    >
      <p>
        Nothing is sent to <code>{url}</code> any more, and its secret is forgotten. Drafts that become ready
        are not announced, now or later. The log of deliveries stays.
      </p>
    </Confirm>,
  )
})

webhook.post('/webhook/removal', async (c) => {
  await deleteWebhook(c.get('ctx'), c.get('site'))
  return c.redirect(pathIn(c, `${HOME}?removed=1`), 303)
})

export function WebhookFacts({ c, endpoint }: { c: Http; endpoint: SiteEndpoint }) {
  const { url, createdAt, updatedAt, secretRotatedAt, previousSecretExpiresAt } = endpoint
  const wasRotated = secretRotatedAt !== createdAt
  return (
    <Section
      id="webhook"
      title="Webhook"
      action={
        <a class="button" href={pathIn(c, FORM)}>
          Change URL
        </a>
      }
    >
      <dl class="copyables">
        <Copyable label="URL" text={url} />
        <Fact label="Set">
          <Time at={createdAt} />
          {updatedAt !== createdAt && (
            <>
              , changed <Time at={updatedAt} />
            </>
          )}
        </Fact>
        <Fact label="Secret">
          {wasRotated ? 'Rotated' : 'Made'} <Time at={secretRotatedAt} />
          {previousSecretExpiresAt && isAhead(previousSecretExpiresAt) && (
            <>
              ; the one before signs along until <Time at={previousSecretExpiresAt} />
            </>
          )}
        </Fact>
      </dl>
      <div class="actions">
        <a class="button small" href={pathIn(c, ROTATIONS)}>
          Rotate secret
        </a>
        <a class="button small" href={pathIn(c, REMOVAL)}>
          Remove webhook
        </a>
      </div>
    </Section>
  )
}

export function NoWebhook({ c }: { c: Http }) {
  return (
    <EmptyState title="No webhook yet">
      <p>
        Set the URL at which your CMS takes events. You get a secret to verify them with, and can send a test
        at once.
      </p>
      <a class="button primary" href={pathIn(c, FORM)}>
        Set a webhook
      </a>
    </EmptyState>
  )
}

function isAhead(instant: string): boolean {
  return Date.parse(instant) > Date.now()
}
