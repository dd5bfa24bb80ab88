import * as z from 'zod/mini'
import { createToken } from '../../../src/people/operator-tokens.ts'
import { addOperator } from '../../../src/people/operators.ts'
import { isTokenSignInAllowed } from '../../../src/people/sessions.ts'
import { canMail, LinkInput } from '../../../src/people/sign-in-links.ts'
import { listOfferedSites } from '../../../src/sites/people.ts'
import { createApp, type Http } from '../../http/env.ts'
import { type Errors, fieldsOf, submit, type Values } from '../forms/form.ts'
import { formPage } from '../forms/form-page.tsx'
import { type Option, SelectField, TextField } from '../parts/fields/field.tsx'
import { Form } from '../parts/fields/form.tsx'
import { tokenPage } from './credentials.tsx'
import { createAndShowLink, EmailField } from './links.tsx'
import { PEOPLE, PersonInput, REFUSALS, ROLE_HINT, ROLES } from './person.ts'
import { readPersonForm, SitesField, sitesInput } from './sites-field.tsx'

export const newPerson = createApp()

newPerson.get('/new', (c) => newPersonPage(c, { role: 'viewer', signIn: signInOptions(c)[0]![0] }, {}))

newPerson.post('/', async (c) => {
  const values = await readPersonForm(c)
  const ctx = c.get('ctx')
  const { signIn } = values
  const email = (signIn === 'link' && values.email?.trim()) || undefined
  const input = { name: values.name || undefined, role: values.role, email, ...sitesInput(values) }
  const { result, errors } = await submit(
    z.extend(PersonInput, LinkInput.shape),
    input,
    ({ email: _, ...person }) => addOperator(ctx, person),
    { refusals: REFUSALS },
  )
  if (errors) return newPersonPage(c, values, errors)
  if (signIn === 'link' && isTokenSignInAllowed(ctx.config)) return createAndShowLink(c, result, { email })
  if (signIn === 'token') return tokenPage(c, result, await createToken(ctx, result.id, {}))
  return c.redirect(`${PEOPLE}/${result.id}`, 303)
})

/** The default comes first. */
function signInOptions(c: Http): Option[] {
  const way = canMail(c.get('ctx')) ? 'to share or email' : 'to share'
  const link: Option = ['link', `With a one-time link ${way}`]
  const token: Option = ['token', 'With a token']
  const nothing: Option = ['', usesAccess(c) ? 'Through Cloudflare Access' : 'Not yet']
  const own = isTokenSignInAllowed(c.get('ctx').config) ? [link, token] : [token]
  return usesAccess(c) ? [nothing, ...own] : [...own, nothing]
}

async function newPersonPage(c: Http, values: Values, errors: Errors) {
  const field = fieldsOf(values, errors)
  const offered = await listOfferedSites(c.get('ctx'))
  return formPage(
    c,
    { workspace: 'People', title: 'Add person' },
    { errors },
    <Form needs="admin" action={PEOPLE} submit="Add person" cancel={PEOPLE}>
      <TextField
        label="Name"
        {...field('name')}
        hint={usesAccess(c) ? 'The address that they use with Cloudflare Access.' : 'Shown in the audit log.'}
        required
      />
      <SelectField label="Role" {...field('role')} options={ROLES} hint={ROLE_HINT} />
      <SitesField value={values.sites} error={errors.sites} offered={offered} />
      <SelectField
        label="Sign in"
        {...field('signIn')}
        options={signInOptions(c)}
        hint="Links and tokens are shown once. A link lasts a day. A token lasts 90 days, and also works for programs and the command line."
      />
      <EmailField value={values.email} error={errors.email} />
    </Form>,
  )
}

const usesAccess = (c: Http) => c.get('ctx').config.ACCESS_TEAM_DOMAIN !== undefined
