/** The operators: adding one, changing its name and role, removing it. */
import { createToken } from '../../../src/people/operator-tokens.ts'
import {
  addOperator,
  listOperators,
  OperatorInput,
  removeOperator,
  updateOperator,
} from '../../../src/people/operators.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { type Errors, fieldsOf, readForm, submit, submitChanged, type Values } from '../form.ts'
import { changedOnly, saveOpened } from '../opened.ts'
import { Conflicts } from '../parts/conflict.tsx'
import { Done, withDone } from '../parts/done.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { CheckField, SelectField, TextField } from '../parts/field.tsx'
import { Form, OpenedWith } from '../parts/form.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { RoleReason } from '../parts/needs.tsx'
import { ErrorSummary } from '../parts/notice.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { isAdmin, orTaken, PEOPLE, type Person, ROLE_NAMES, ROLES, readPerson } from './person.ts'
import { isLive, TokensSection, tokenPage, tokens } from './tokens.tsx'

export const people = createApp()

people.get('/', async (c) => {
  const operators = await listOperators(c.get('ctx'))
  return c.render(
    <>
      <PageHeading
        title="People"
        lead="Who may open this console, the command line and the management API. Programs that write are people too."
        action={
          isAdmin(c) && (
            <a class="button primary" href={`${PEOPLE}/new`}>
              Add a person
            </a>
          )
        }
      />
      <Done of="people" />
      {operators.length > 0 ? (
        <Table
          label="People"
          columns={['Name', 'Role', 'Tokens', 'Last used', 'Added']}
          rows={operators.map((operator) => [
            <a href={`${PEOPLE}/${operator.id}`} dir="auto">
              {operator.name}
            </a>,
            ROLE_NAMES[operator.role],
            String(operator.tokens.filter(isLive).length),
            <Time at={lastUse(operator)} />,
            <Time at={operator.createdAt} />,
          ])}
        />
      ) : (
        <EmptyState title="Nobody yet">
          <p>
            Only the OPERATOR_TOKEN of the deployment opens it. Give everybody a name, a role and a token of
            their own, and it can be removed.
          </p>
        </EmptyState>
      )}
    </>,
    { workspace: 'People' },
  )
})

function lastUse({ tokens }: Person): string | null {
  return tokens.reduce<string | null>(
    (last, { lastUsedAt }) => (lastUsedAt && lastUsedAt > (last ?? '') ? lastUsedAt : last),
    null,
  )
}

people.get('/new', (c) => newPersonPage(c, { role: 'viewer', token: usesAccess(c) ? '' : 'on' }, {}))

people.post('/', async (c) => {
  const values = await readForm(c)
  const ctx = c.get('ctx')
  const input = { name: values.name || undefined, role: values.role }
  const { result, errors } = await orTaken(submit(OperatorInput, input, (person) => addOperator(ctx, person)))
  if (!result) {
    c.status(400)
    return newPersonPage(c, values, errors)
  }
  if (values.token !== 'on') return c.redirect(`${PEOPLE}/${result.id}`, 303)
  return tokenPage(c, result, await createToken(ctx, result.id, {}))
})

function newPersonPage(c: Http, values: Values, errors: Errors) {
  const field = fieldsOf(values, errors)
  return c.render(
    <>
      <PageHeading title="Add a person" />
      <ErrorSummary errors={errors} />
      <Form needs="admin" action={PEOPLE} submit="Add" cancel={PEOPLE}>
        <TextField
          label="Name"
          {...field('name')}
          hint={
            usesAccess(c)
              ? 'The address with which Cloudflare Access knows them.'
              : 'The audit log shows it beside what they do.'
          }
          required
        />
        <SelectField label="Role" {...field('role')} options={ROLES} />
        <CheckField
          label="Create a token"
          name="token"
          checked={values.token === 'on'}
          hint="For the command line and the management API, and where Cloudflare Access does not sign people in, for this console. It is shown once, and expires after 90 days."
        />
      </Form>
    </>,
    { workspace: 'People', title: 'Add a person' },
  )
}

const usesAccess = (c: Http) => c.get('ctx').config.ACCESS_TEAM_DOMAIN !== undefined

people.get('/:operatorId', async (c) => personPage(c, await readPerson(c), {}, {}))

people.post('/:operatorId', async (c) => {
  const person = await readPerson(c)
  const { id, role, name } = person
  const values = await readForm(c)
  const input = { name: values.name || undefined, role: values.role }
  const { role: newRole = role } = changedOnly(values, input)
  const isDemotion = isSelf(c, id) && role === 'admin' && newRole !== role
  if (isDemotion && values.confirmed !== 'on') return demotionPage(c, id, values)
  const { outcome, conflicts } = await saveOpened({
    values,
    known: person,
    read: () => readPerson(c),
    toValues,
    write: (current) =>
      orTaken(
        submitChanged(OperatorInput, values, input, (changes) =>
          updateOperator(c.get('ctx'), id, changes, current),
        ),
      ),
  })
  if (conflicts) {
    c.status(409)
    return c.render(
      <Conflicts conflicts={conflicts} values={values} cancel={`${PEOPLE}/${id}`} textOf={roleText} />,
      { workspace: 'People', title: name },
    )
  }
  const { errors } = outcome
  if (!errors) return c.redirect(withDone(PEOPLE, 'people', 'changed'), 303)
  c.status(400)
  return personPage(c, await readPerson(c), values, errors)
})

const toValues = ({ name, role }: Person): Values => ({ name, role })

const roleText = (name: string, value: string) =>
  name === 'role' ? ROLES.find((role) => role.value === value)?.text : undefined

function personPage(c: Http, person: Person, given: Values, errors: Errors) {
  const values = { ...toValues(person), ...given }
  const field = fieldsOf(values, errors)
  const mayChange = isAdmin(c)
  const path = `${PEOPLE}/${person.id}`
  return c.render(
    <>
      <p class="back">
        <a href={PEOPLE}>People</a>
      </p>
      <PageHeading
        title={person.name}
        lead={mayChange ? undefined : ROLE_NAMES[person.role]}
        action={
          <div class="actions">
            <a class="button" href={`/console/audit-log?actorId=${person.id}`}>
              What they did
            </a>
            {mayChange && (
              <a class="button" href={`${path}/deletion`}>
                Remove
              </a>
            )}
          </div>
        }
      />
      <Done of="people" />
      <ErrorSummary errors={errors} />
      {mayChange && (
        <Form action={path} submit="Save">
          <OpenedWith values={values} />
          <TextField label="Name" {...field('name')} required />
          <SelectField label="Role" {...field('role')} options={ROLES} />
        </Form>
      )}
      <TokensSection person={person} mayChange={isSelf(c, person.id) || mayChange} />
    </>,
    { workspace: 'People', title: person.name },
  )
}

const isSelf = (c: Http, id: string) => c.get('person').id === id

/** Asks before an admin takes the role from itself. */
function demotionPage(c: Http, id: string, values: Values) {
  return c.render(
    <div class="confirm">
      <h1>Stop being an admin?</h1>
      <p>This is you. Only another admin, or the OPERATOR_TOKEN of the deployment, can make you one again.</p>
      <form method="post" action={`${PEOPLE}/${id}`} class="fields">
        {Object.entries({ ...values, confirmed: 'on' }).map(([name, value]) => (
          <input type="hidden" name={name} value={value} autocomplete="off" />
        ))}
        <div class="actions">
          <button type="submit" class="button danger">
            Stop being an admin
          </button>
          <a class="button" href={`${PEOPLE}/${id}`}>
            Cancel
          </a>
        </div>
      </form>
    </div>,
    { workspace: 'People', title: 'Stop being an admin?' },
  )
}

people.get('/:operatorId/deletion', async (c) => {
  const { id, name } = await readPerson(c)
  return c.render(
    <div class="confirm">
      <h1>
        Remove <bdi>{name}</bdi>?
      </h1>
      {isSelf(c, id) && (
        <p>
          <strong>This is you.</strong> You are signed out, and only another admin, or the OPERATOR_TOKEN of
          the deployment, can let you in again.
        </p>
      )}
      <p>
        Their sessions, their tokens and the tokens made with those end at once. The audit log keeps their
        name. They can be added again, with new tokens.
      </p>
      {isAdmin(c) ? (
        <form method="post" action={`${PEOPLE}/${id}/deletion`} class="fields">
          <div class="actions">
            <button type="submit" class="button danger">
              Remove
            </button>
            <a class="button" href={`${PEOPLE}/${id}`}>
              Cancel
            </a>
          </div>
        </form>
      ) : (
        <RoleReason needs="admin" />
      )}
    </div>,
    { workspace: 'People', title: `Remove ${name}` },
  )
})

people.post('/:operatorId/deletion', async (c) => {
  await removeOperator(c.get('ctx'), idOf(c, 'operatorId', 'operator_not_found'))
  return c.redirect(withDone(PEOPLE, 'people', 'removed'), 303)
})

people.route('/', tokens)
