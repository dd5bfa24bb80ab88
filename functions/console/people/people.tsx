import { orNull } from '../../../src/core/errors.ts'
import { listAuditEntries } from '../../../src/people/audit-log.ts'
import { listOperators, removeOperator, updateOperator } from '../../../src/people/operators.ts'
import { getPersonDetails, listOfferedSites, type OfferedSite } from '../../../src/sites/people.ts'
import { createApp, type Http } from '../../http/env.ts'
import { idOf } from '../../http/request.ts'
import { CONFIRMED, Confirm, isConfirmed } from '../actions/confirm.tsx'
import { Done, redirectDone } from '../actions/done.tsx'
import { Entries } from '../audit-log/entries.tsx'
import { conflictPage } from '../forms/conflict.tsx'
import { type Errors, fieldsOf, readForm, submitFields, type Values } from '../forms/form.ts'
import { changedOnly, saveMerged } from '../forms/three-way-merge.ts'
import { addQuery } from '../parent-list.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Badge, isLive } from '../parts/badge.tsx'
import { SelectField, TextField } from '../parts/fields/field.tsx'
import { Form, OriginalValues } from '../parts/fields/form.tsx'
import { EmptyState, ErrorSummary, PageHeading, Section } from '../parts/page.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { choiceOf, EndsWithPerson, MadeSection, restrictionPage, ScheduleField } from './access-loss.tsx'
import { credentials, SessionsSection, TokensSection } from './credentials.tsx'
import { LinksSection, links } from './links.tsx'
import { newPerson } from './new-person.tsx'
import {
  isAdmin,
  PEOPLE,
  type Person,
  PersonInput,
  REFUSALS,
  ROLE_HINT,
  ROLE_NAMES,
  ROLES,
  readPerson,
} from './person.ts'
import { readPersonForm, SitesField, sitesInput, sitesText, sitesValue } from './sites-field.tsx'

const ACTIVITY_SHOWN = 10

export const people = createApp()

for (const pages of [newPerson, credentials, links]) people.route('/', pages)

people.get('/', async (c) => {
  const operators = await listOperators(c.get('ctx'))
  return c.render(
    <>
      <PageHeading
        title="People"
        action={<ButtonLink needs="admin" to={`${PEOPLE}/new`} text="Add person" look="primary" />}
      />
      <Done of="people" />
      {operators.length > 0 ? (
        <Table
          isDense
          isEven
          label="People"
          columns={['Name', 'Role', 'Sites', 'Last active', 'Added']}
          rows={operators.map((operator) => [
            <>
              <Avatar name={operator.name} />
              <a href={`${PEOPLE}/${operator.id}`} dir="auto">
                {operator.name}
              </a>{' '}
              {isInvited(operator) && <Badge text="Invited" />}
            </>,
            ROLE_NAMES[operator.role],
            operator.sites === null ? 'All' : String(operator.sites.length),
            <Time at={lastUseOf(operator)} never="Never active" isRelative />,
            <Time at={operator.createdAt} isRelative />,
          ])}
        />
      ) : (
        <EmptyState title="No people yet">
          <p>Only the OPERATOR_TOKEN has access. Add everyone with their own role and token.</p>
        </EmptyState>
      )}
    </>,
    { workspace: 'People' },
  )
})

/** The last use of a token or link. */
function lastUseOf({ tokens, links }: Person): string | null {
  const uses = [...tokens.map(({ lastUsedAt }) => lastUsedAt), ...links.map(({ usedAt }) => usedAt)]
  const known = uses.filter((at) => at !== null)
  return known.toSorted().at(-1) ?? null
}

const isInvited = (person: Person) =>
  lastUseOf(person) === null && person.links.some((link) => isLive(link) && !link.usedAt)

people.get('/:operatorId', (c) => personPage(c, {}, {}))

people.post('/:operatorId', async (c) => {
  const person = await readPerson(c)
  const { id, role, name } = person
  const values = await readPersonForm(c)
  const input = { name: values.name || undefined, role: values.role, ...sitesInput(values) }
  const { role: newRole = role } = changedOnly(values, input)
  const isDemotion = isSelf(c, id) && role === 'admin' && newRole !== role
  if (isDemotion && !isConfirmed(values)) return demotionPage(c, id, values)
  const { errors, conflicts } = await saveMerged({
    values,
    known: person,
    read: () => readPerson(c),
    toValues,
    write: (current) =>
      submitFields(
        PersonInput,
        changedOnly(values, input),
        (changes) => updateOperator(c.get('ctx'), id, changes, { current, schedules: choiceOf(values) }),
        { refusals: REFUSALS },
      ),
  })
  if (errors?.schedules) return restrictionPage(c, person, values)
  if (conflicts) {
    const offered = await listOfferedSites(c.get('ctx'), id)
    const logged = { action: 'operator.updated', id } as const
    const choice = { conflicts, values, cancel: `${PEOPLE}/${id}`, textOf: textIn(offered), logged }
    return conflictPage(c, { workspace: 'People', title: name }, choice)
  }
  if (!errors) return redirectDone(c, `${PEOPLE}/${id}`, 'people', 'changed')
  c.status(400)
  return personPage(c, values, errors)
})

const toValues = ({ name, role, sites }: Person): Values => ({ name, role, sites: sitesValue(sites) })

const textIn = (offered: OfferedSite[]) => (field: string, value: string) => {
  if (field === 'role') return ROLE_NAMES[value as keyof typeof ROLE_NAMES]
  return field === 'sites' ? sitesText(sitesInput({ sites: value }).sites ?? null, offered) : undefined
}

async function personPage(c: Http, given: Values, errors: Errors) {
  const id = idOf(c, 'operatorId', 'operator_not_found')
  const ctx = c.get('ctx')
  const search = {
    siteId: null,
    actorId: id,
    rows: 'changeset' as const,
    limit: ACTIVITY_SHOWN,
    cursor: null,
  }
  const [{ person, offered, sessions: open, made }, activity] = await Promise.all([
    getPersonDetails(ctx, id),
    listAuditEntries(ctx, search),
  ])
  const values = { ...toValues(person), ...given }
  const field = fieldsOf(values, errors)
  const mayChange = isAdmin(c)
  const path = `${PEOPLE}/${person.id}`
  return c.render(
    <>
      <PageHeading
        title={person.name}
        mark={<Avatar name={person.name} />}
        lead={
          mayChange ? undefined : `${ROLE_NAMES[person.role]}. Sites: ${sitesText(person.sites, offered)}.`
        }
        action={<ButtonLink needs="admin" to={`${path}/deletion`} text="Remove…" />}
      />
      <Done of="people" />
      <ErrorSummary errors={errors} />
      <div class="split">
        {mayChange && (
          <Form action={path} submit="Save">
            <OriginalValues values={values} />
            <TextField label="Name" {...field('name')} required />
            <SelectField label="Role" {...field('role')} options={ROLES} hint={ROLE_HINT} />
            <SitesField value={values.sites} error={errors.sites} offered={offered} />
          </Form>
        )}
        <div>
          <LinksSection person={person} mayChange={isSelf(c, person.id) || mayChange} />
          <TokensSection person={person} mayChange={isSelf(c, person.id) || mayChange} />
          {open && <SessionsSection person={person} open={open} />}
          {made && <MadeSection made={made} />}
        </div>
      </div>
      <Section id="activity" title="Activity" action={<a href={logOf(person.id)}>All activity</a>}>
        {activity.items.length > 0 ? (
          <Entries
            entries={activity.items}
            withSite
            withSource={false}
            withActor={false}
            rows="fold"
            hrefOf={(filters) => addQuery('/console/audit-log', filters)}
          />
        ) : (
          <p class="muted">No changes yet.</p>
        )}
      </Section>
    </>,
    { workspace: 'People', title: person.name },
  )
}

const logOf = (id: string) => `/console/audit-log?actorId=${id}`

/** Keys belong to sites, so only the audit log knows who created them. */
const keysCreatedBy = (id: string) =>
  `/console/audit-log?${new URLSearchParams({ actorId: id, action: 'key.created' })}`

const isSelf = (c: Http, id: string) => c.get('person').id === id

/** Asks before admins give up their own role. */
function demotionPage(c: Http, id: string, values: Values) {
  return c.render(
    <Confirm
      title="Give up the admin role?"
      needs="admin"
      hidden={[...Object.entries(values), CONFIRMED]}
      submit="Give up admin role"
      cancel={`${PEOPLE}/${id}`}
    >
      <p>
        This is your own account. Only another admin, or the OPERATOR_TOKEN of the deployment, can make you an
        admin again.
      </p>
    </Confirm>,
    { workspace: 'People', title: 'Give up the admin role?', isNarrow: true },
  )
}

people.get('/:operatorId/deletion', (c) => deletionPage(c))

async function deletionPage(c: Http) {
  const id = idOf(c, 'operatorId', 'operator_not_found')
  const { person, sessions: open, made } = await getPersonDetails(c.get('ctx'), id)
  const { name } = person
  c.set('personName', name)
  return c.render(
    <Confirm
      title="Remove {name}?"
      name={name}
      needs="admin"
      submit="Remove and end all access"
      cancel={`${PEOPLE}/${id}`}
      field={
        made &&
        made.scheduleCount > 0 && (
          <ScheduleField operatorId={id}>
            They scheduled {formatQuantity(made.scheduleCount, 'draft')}
          </ScheduleField>
        )
      }
    >
      {isSelf(c, id) && (
        <p>
          <strong>This is your own account.</strong> You will be signed out, and only another admin, or the
          OPERATOR_TOKEN of the deployment, can add you again.
        </p>
      )}
      {made && open && <EndsWithPerson person={person} sessions={open.length} made={made} />}
      <p>
        API keys stay with their sites. <a href={keysCreatedBy(id)}>View keys that they created</a>
      </p>
    </Confirm>,
    { workspace: 'People', title: `Remove ${name}`, isNarrow: true },
  )
}

people.post('/:operatorId/deletion', async (c) => {
  const schedules = choiceOf(await readForm(c))
  const { id, name } = await readPerson(c)
  const removed = await orNull(removeOperator(c.get('ctx'), id, { schedules }), 'schedules_undecided')
  if (removed !== null) return redirectDone(c, PEOPLE, 'people', 'removed', { of: name })
  c.status(409)
  return deletionPage(c)
})
