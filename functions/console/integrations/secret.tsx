/** The secret of a webhook: shown once, and rotated. */
import type { Child } from 'hono/jsx'
import { AppError, orNull } from '../../../src/core/errors.ts'
import { parseInstant } from '../../../src/core/instant.ts'
import { getWebhook, rotateWebhookSecret } from '../../../src/webhooks/endpoint.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { refusedPage } from '../forms/refused.tsx'
import { Notice } from '../parts/notice.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Time } from '../parts/time.tsx'
import { endpointIdOf, PATHS, webhookPath } from './paths.ts'

export const secretRotation = createApp()

for (const path of PATHS) {
  secretRotation.get(`${path}/secret-rotations`, (c) => confirmationPage(c))
  secretRotation.post(`${path}/secret-rotations`, (c) => rotate(c))
}

async function confirmationPage(c: Http) {
  const endpoint = await getWebhook(c.get('ctx'), c.get('site'), endpointIdOf(c))
  const { secretRotatedAt, previousSecretExpiresAt } = endpoint
  return c.render(
    <Confirm
      title="Rotate the webhook secret?"
      needs="admin"
      action={`${webhookPath(c.get('site'), endpoint)}/secret-rotations?${new URLSearchParams({ since: secretRotatedAt })}`}
      submit="Rotate secret"
      cancel="/integrations"
    >
      <p>
        A new secret is created and shown once. What happens next depends on the header that your receiver
        verifies:
      </p>
      <ul class="points">
        <li>
          <code>webhook-signature</code> carries both signatures for 24 hours, so nothing is refused while you
          change over.
        </li>
        <li>
          <code>X-Service-Signature</code> is made with the new secret at once. A receiver that verifies it
          refuses deliveries until it has the new secret.
        </li>
      </ul>
      {previousSecretExpiresAt && isFuture(previousSecretExpiresAt) && (
        <Notice tone="warning">
          The secret was rotated recently. The previous one, valid until <Time at={previousSecretExpiresAt} />
          , stops working at once.
        </Notice>
      )}
    </Confirm>,
    { tab: 'Integrations', title: 'Rotate the secret' },
  )
}

async function rotate(c: Http) {
  const rotatedAt = parseInstant(c.req.query('since') ?? '')
  if (!rotatedAt) throw new AppError('not_found')
  const input = { id: endpointIdOf(c), rotatedAt }
  const rotated = await orNull(rotateWebhookSecret(c.get('ctx'), c.get('site'), input), 'secret_rotated')
  if (!rotated) return refusedPage(c, 409, { tab: 'Integrations', title: 'Not rotated' }, ALREADY_ROTATED)
  return secretPage(c, {
    title: 'Secret rotated',
    lead: (
      <>
        <code>webhook-signature</code> is signed with the previous secret too until{' '}
        <Time at={rotated.previousSecretExpiresAt} />.
      </>
    ),
    secret: rotated.secret,
  })
}

/** The form was sent twice, or is an old one. A second rotation would end the secret that receivers now have. */
const ALREADY_ROTATED = {
  lead: 'The secret was rotated after you opened this form.',
  why: (
    <p>Nothing was changed this time. If you have not seen the new secret, rotate again to get another.</p>
  ),
  back: '/integrations',
  backText: 'Back to Integrations',
}

type SecretPage = { title: string; lead: Child; secret: string }

/** Shows a new secret, for the only time. */
export function secretPage(c: Http, { title, lead, secret }: SecretPage) {
  c.status(201)
  return c.render(
    <ShownOnce
      title={title}
      lead={lead}
      warning="Copy the secret now and store it with your other secrets. It cannot be shown again. If you lose it, rotate it."
      label="Secret"
      text={secret}
      done="/integrations"
    />,
    { tab: 'Integrations', title },
  )
}

export function isFuture(instant: string): boolean {
  return Date.parse(instant) > Date.now()
}
