import type { Child } from 'hono/jsx'
import { AppError } from '../../../src/core/errors.ts'
import { parseInstant } from '../../../src/core/instant.ts'
import { getWebhook, rotateWebhookSecret } from '../../../src/webhooks/endpoint.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { Notice } from '../parts/page.tsx'
import { shownOncePage } from '../parts/shown-once.tsx'
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
      title="Rotate the secret of “{name}”?"
      name={endpoint.name}
      needs="admin"
      action={`${webhookPath(endpoint.id)}/secret-rotations?${new URLSearchParams({ since: secretRotatedAt })}`}
      submit="Rotate secret"
      cancel={webhookPath(endpoint.id)}
    >
      <p>
        You get a new secret, which is shown once. The effect depends on the header that your receiver
        verifies:
      </p>
      <ul class="points">
        <li>
          <code>webhook-signature</code> carries both signatures for 24 hours, so your receiver keeps working
          while you switch.
        </li>
        <li>
          <code>X-Service-Signature</code> uses the new secret immediately. A receiver that verifies it
          refuses deliveries until it has the new secret.
        </li>
      </ul>
      {previousSecretExpiresAt && isFuture(previousSecretExpiresAt) && (
        <Notice tone="warning">
          The secret was rotated recently. The previous one, valid until <Time at={previousSecretExpiresAt} />
          , stops working immediately.
        </Notice>
      )}
    </Confirm>,
    { tab: 'Integrations', title: 'Rotate the secret', isNarrow: true },
  )
}

async function rotate(c: Http) {
  const rotatedAt = parseInstant(c.req.query('since') ?? '')
  if (!rotatedAt) throw new AppError('not_found')
  const input = { id: endpointIdOf(c), rotatedAt }
  const rotated = await rotateWebhookSecret(c.get('ctx'), c.get('site'), input)
  return secretPage(c, {
    title: 'Secret rotated',
    lead: (
      <>
        <code>webhook-signature</code> also carries a signature with the previous secret until{' '}
        <Time at={rotated.previousSecretExpiresAt} />.
      </>
    ),
    secret: rotated.secret,
    id: input.id,
  })
}

type SecretPage = { title: string; lead: Child; secret: string; id: string }

export function secretPage(c: Http, { title, lead, secret, id }: SecretPage) {
  return shownOncePage(c, {
    page: { tab: 'Integrations', title },
    lead,
    warning:
      'Copy the secret now and store it with your other secrets. You will not be able to see it again. If you lose it, rotate it.',
    label: 'Secret',
    text: secret,
    done: webhookPath(id),
    next: <TestButton webhook={id} />,
  })
}

export const TestButton = ({ webhook }: { webhook: string }) => (
  <PostButton needs="editor" action={`${webhookPath(webhook)}/tests`} data-busy="Sending…">
    Send test event
  </PostButton>
)

export function isFuture(instant: string): boolean {
  return Date.parse(instant) > Date.now()
}
