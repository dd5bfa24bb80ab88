/** Keys of a site: a new one, shown once, and the end of one. */
import { Hono } from 'hono'
import { z } from 'zod'
import { AppError } from '../../src/errors.ts'
import { createKey, type Key, KeyInput, listKeys, revokeKey } from '../../src/keys.ts'
import { parseInstant } from '../../src/time.ts'
import type { Env, Http } from '../http/env.ts'
import { explain } from '../http/errors.ts'
import { UUID } from '../http/uuid.ts'
import { FirstRequest } from './first-request.tsx'
import { type Errors, readForm, submit, type Values } from './form.ts'
import { sitePage } from './layout.tsx'
import { Badge } from './parts/badge.tsx'
import { Confirm } from './parts/confirm.tsx'
import { Copyable } from './parts/copy.tsx'
import { SelectField, TextField } from './parts/field.tsx'
import { PageHeading } from './parts/heading.tsx'
import { Notice, Refusal } from './parts/notice.tsx'
import { Time } from './parts/time.tsx'
import { pathIn } from './site.ts'

type SiteKey = z.infer<typeof Key>

const DAY_END = 'T23:59:59.999Z'

export const keys = new Hono<Env>()

keys.get('/keys/new', (c) => newKeyPage(c, {}, {}))

// Answered with the page itself: to redirect, the key would have to be kept somewhere.
keys.post('/keys', async (c) => {
  const values = await readForm(c)
  const meant = {
    name: values.name || undefined,
    access: values.access,
    expiresAt: values.expiresAt || null,
    id: values.id,
  }
  const outcome = await submit(KeyForm, meant, (input) =>
    createKey(c.get('ctx'), c.get('site'), input),
  ).catch((error) => {
    if (!(error instanceof AppError) || error.code !== 'key_exists') throw error
    return { errors: { '': explain(error, c).text } }
  })
  if (outcome.errors) return newKeyPage(c, values, outcome.errors)
  return sitePage(
    c,
    { tab: 'API', title: 'Key created', status: 201 },
    <>
      <PageHeading title="Key created" lead={`“${outcome.done.name}” can be used at once.`} />
      <Notice tone="warning">
        Copy the key now and keep it where secrets are kept. It is not stored and cannot be shown again.
      </Notice>
      <dl class="copyables">
        <Copyable label="API key" text={outcome.done.key} />
      </dl>
      {outcome.done.access === 'full' && <FirstRequest c={c} apiKey={outcome.done.key} />}
      <div class="actions">
        <a class="button primary" href={pathIn(c, '/api')}>
          Done
        </a>
      </div>
    </>,
  )
})

const lastDay = z
  .string()
  .transform((day) => parseInstant(day + DAY_END))
  .refine((at): at is Date => at !== null, 'must be a date such as 2027-01-31')
  .refine((at) => at === null || at.getTime() > Date.now(), 'must be today or later')

const KeyForm = KeyInput.extend({ expiresAt: lastDay.nullable(), id: z.uuid().optional() })

function newKeyPage(c: Http, values: Values, errors: Errors) {
  const refused = Object.keys(errors).length > 0
  return sitePage(
    c,
    { tab: 'API', title: 'New key', status: refused ? 400 : 200 },
    <>
      <PageHeading title="New key" />
      <Refusal errors={errors} done="created" />
      <form method="post" action={pathIn(c, '/keys')} class="fields">
        {/* Sent again, when the page is loaded anew, the form makes no second key. */}
        <input type="hidden" name="id" value={crypto.randomUUID()} autocomplete="off" />
        <TextField
          label="Name"
          name="name"
          hint="The program that will use it, such as “CMS” or “Staging”."
          required
          value={values.name}
          error={errors.name}
        />
        <SelectField
          label="Access"
          name="access"
          value={values.access}
          error={errors.access}
          options={[
            { value: 'full', text: 'Full: posts, guides, sitemap, changes, training export' },
            { value: 'sitemap', text: 'Sitemap only' },
          ]}
        />
        <TextField
          label="Expires"
          name="expiresAt"
          type="date"
          min={new Date().toISOString().slice(0, 10)}
          hint="The last day it works, to midnight UTC. Empty means never."
          value={values.expiresAt}
          error={errors.expiresAt}
        />
        <div class="actions">
          <button type="submit" class="button primary">
            Create key
          </button>
          <a class="button" href={pathIn(c, '/api')}>
            Cancel
          </a>
        </div>
      </form>
    </>,
  )
}

keys.get('/keys/:keyId/revocation', async (c) => {
  const key = (await listKeys(c.get('ctx'), c.get('site'))).find(({ id }) => id === c.req.param('keyId'))
  if (!key) throw new AppError('key_missing')
  if (key.revokedAt) return c.redirect(pathIn(c, `/api?revoked=${key.id}`), 303)
  return sitePage(
    c,
    { tab: 'API', title: `Revoke ${key.name}` },
    <Confirm
      title={`Revoke the key “${key.name}”?`}
      action={pathIn(c, `/keys/${key.id}/revocation`)}
      verb="Revoke key"
      back={pathIn(c, '/api')}
    >
      <p>
        Whoever uses <code>{shownKey(key)}</code> is refused from the next request on. This cannot be undone.
      </p>
      <p class="muted">
        {key.lastUsedAt ? (
          <>
            It was last used <Time at={key.lastUsedAt} />.
          </>
        ) : (
          'It has never been used.'
        )}
      </p>
    </Confirm>,
  )
})

keys.post('/keys/:keyId/revocation', async (c) => {
  const keyId = c.req.param('keyId')
  if (!UUID.test(keyId)) throw new AppError('key_missing')
  const key = await revokeKey(c.get('ctx'), c.get('site'), keyId)
  return c.redirect(pathIn(c, `/api?revoked=${key.id}`), 303)
})

/** `hca_live_…wXyZ` */
export function shownKey(key: SiteKey): string {
  return `${key.prefix}…${key.lastFour}`
}

export function KeyState({ apiKey }: { apiKey: SiteKey }) {
  if (apiKey.revokedAt) return <Badge tone="danger" text="Revoked" />
  const expired = apiKey.expiresAt !== null && Date.parse(apiKey.expiresAt) <= Date.now()
  return expired ? <Badge tone="warning" text="Expired" /> : <Badge tone="success" text="Active" />
}
