import * as z from 'zod/mini'
import { createKey, type Key, KeyInput, listKeys, revokeKey } from '../../src/access/keys.ts'
import { requireRole } from '../../src/core/actor.ts'
import { AppError } from '../../src/core/errors.ts'
import { parseInstant } from '../../src/core/instant.ts'
import { toInstant, utcDay } from '../../src/core/time.ts'
import { createApp, type Http } from '../http/env.ts'
import { textOf } from '../http/errors.ts'
import { idOf } from '../http/request.ts'
import { Confirm } from './actions/confirm.tsx'
import { type Errors, fieldsOf, readForm, submit, type Values } from './forms/form.ts'
import { formPage } from './forms/form-page.tsx'
import { ValidityBadge } from './parts/badge.tsx'
import { Choice, Messages, TextField } from './parts/fields/field.tsx'
import { Form } from './parts/fields/form.tsx'
import { shownOncePage } from './parts/shown-once.tsx'
import { Time } from './parts/time.tsx'
import { FirstRequest } from './request-snippet.tsx'
import { redirectInSite } from './site.ts'

type SiteKey = z.infer<typeof Key>

const DAY_END = 'T23:59:59.999Z'

export const keys = createApp()

keys.get('/keys/new', (c) => newKeyPage(c, { access: 'published' }, {}))

keys.post('/keys', async (c) => {
  const values = await readForm(c)
  const input = {
    name: values.name || undefined,
    access: values.access ?? '',
    expiresAt: values.expiresAt || null,
    id: values.id,
  }
  const { result, errors } = await submit(
    KeyForm,
    input,
    (key) => createKey(c.get('ctx'), c.get('site'), key),
    { refusals: { key_exists: { '': textOf('key_exists')! } } },
  )
  if (errors) return newKeyPage(c, values, errors)
  const { key, name, access, expiresAt } = result
  return shownOncePage(c, {
    page: { tab: 'API', title: `Key “${name}” created` },
    lead: `${ACCESS_NAMES[access]}. ${expiresAt ? `Expires ${expiresAt.slice(0, 10)}` : 'Does not expire'}.`,
    warning: 'Copy the key now and store it with your other secrets. You will not be able to see it again.',
    label: 'API key',
    text: key,
    done: '/api',
    below: <FirstRequest apiKey={key} {...(access === 'sitemap' && { path: '/sitemap.xml' })} />,
  })
})

const lastDay = z
  .pipe(
    z.string(),
    toInstant((day) => parseInstant(day + DAY_END), 'must be a date such as 2027-01-31'),
  )
  .check(z.refine((at) => at.getTime() > Date.now(), 'must be today or later'))

const KeyForm = z.extend(KeyInput, { expiresAt: z.nullable(lastDay), id: z.optional(z.uuid()) })

function newKeyPage(c: Http, values: Values, errors: Errors) {
  requireRole(c.get('ctx'), 'admin')
  const field = fieldsOf(values, errors)
  return formPage(
    c,
    { tab: 'API', title: 'New key' },
    { errors, done: 'created' },
    <Form needs="admin" action="/keys" submit="Create key" cancel="/api">
      {/* A reload that sends the form again creates no second key. */}
      <input type="hidden" name="id" value={crypto.randomUUID()} autocomplete="off" />
      <TextField
        label="Name"
        {...field('name')}
        hint="The program that will use it, such as “CMS” or “Staging”."
        required
      />
      <fieldset class="choice-field" aria-describedby={errors.access && 'access-error'}>
        <legend>Access</legend>
        {ACCESSES.map(([value, hint], at) => (
          <Choice
            name="access"
            value={value}
            label={ACCESS_NAMES[value]}
            checked={value === values.access}
            autofocus={at === 0 && Boolean(errors.access)}
          >
            <span class="hint">{hint}</span>
          </Choice>
        ))}
        <Messages label="Access" name="access" error={errors.access} />
      </fieldset>
      <TextField
        label="Expires"
        {...field('expiresAt')}
        type="date"
        min={utcDay(new Date())}
        hint="The last day the key works, until midnight UTC. Leave empty for no expiration."
      />
    </Form>,
  )
}

keys.get('/keys/:keyId/revocation', async (c) => {
  const key = (await listKeys(c.get('ctx'), c.get('site'))).find(({ id }) => id === c.req.param('keyId'))
  if (!key) throw new AppError('key_not_found')
  if (key.revokedAt) return redirectInSite(c, '/api')
  return c.render(
    <Confirm title="Revoke the key “{name}”?" name={key.name} needs="admin" submit="Revoke key" cancel="/api">
      <p>
        Programs that use <code>{maskedKey(key)}</code> lose access with their next request. This cannot be
        undone.
      </p>
      <p class="muted">
        {key.lastUsedAt ? (
          <>
            Last used <Time at={key.lastUsedAt} />.
          </>
        ) : (
          'No recorded use.'
        )}{' '}
        Requests in the last hour may be missing.
      </p>
    </Confirm>,
    { tab: 'API', title: `Revoke ${key.name}`, isNarrow: true },
  )
})

keys.post('/keys/:keyId/revocation', async (c) => {
  const { id } = await revokeKey(c.get('ctx'), c.get('site'), idOf(c, 'keyId', 'key_not_found'))
  return redirectInSite(c, `/api?revoked=${id}`)
})

export const ACCESS_NAMES = { full: 'Full', published: 'Published only', sitemap: 'Sitemap only' }

/** The form suggests the first, so that no key reads drafts by accident. */
const ACCESSES: [access: SiteKey['access'], hint: string][] = [
  ['published', 'Published posts and guides, changes, redirects and the sitemap. For a website or an app.'],
  ['full', 'Also drafts, the training export and webhook tests. For a CMS.'],
  ['sitemap', 'The sitemap, also with the key in its URL. For clients that cannot send headers.'],
]

/** `hca_live_…wXyZ` */
export function maskedKey(key: SiteKey): string {
  return `${key.prefix}…${key.lastFour}`
}

export function KeyState({ apiKey }: { apiKey: SiteKey }) {
  return (
    <>
      <ValidityBadge of={apiKey} />
      {apiKey.revokedAt && (
        <span class="below">
          <Time at={apiKey.revokedAt} />
        </span>
      )}
    </>
  )
}
