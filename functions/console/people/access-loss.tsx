/** Schedules and links that a person created, on their page and before they are removed or restricted. */
import type { Child } from 'hono/jsx'
import { type MadeByOperator, type ScheduleChoice, scheduleChoices } from '../../../src/people/access-loss.ts'
import type { GivenToken } from '../../../src/sites/people.ts'
import type { Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import type { Values } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { isLive } from '../parts/badge.tsx'
import { Choice } from '../parts/fields/field.tsx'
import { oneLine } from '../parts/one-line.ts'
import { Section } from '../parts/page.tsx'
import { formatQuantity, listQuantities } from '../parts/quantity.ts'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../site.ts'
import { PEOPLE, type Person } from './person.ts'

export const choiceOf = ({ schedules }: Values): ScheduleChoice | undefined =>
  scheduleChoices.find((choice) => choice === schedules)

type Listed = MadeByOperator['schedules' | 'previewLinks'][number]
type Made = MadeByOperator & { given: GivenToken[]; sites: { id: string; name: string }[] }

export function MadeSection({ made }: { made: Made }) {
  const { schedules, scheduleCount, previewLinks, previewLinkCount, given, tokenCount } = made
  if (scheduleCount + previewLinkCount + tokenCount === 0) return null
  const linkTo = ({ siteId, slug, title }: Listed) => (
    <a href={`/console/sites/${siteId}${itemPath('posts', slug)}`} dir="auto">
      {oneLine(title)}
    </a>
  )
  const siteName = (siteId: string) => <bdi>{made.sites.find(({ id }) => id === siteId)?.name}</bdi>
  return (
    <Section
      id="made"
      title="Schedules, preview links and tokens for others"
      lead="They end with this person's access."
    >
      {scheduleCount > 0 && (
        <Table
          label="Schedules"
          columns={['Draft', 'Site', 'Publishes at']}
          rows={schedules.map((each) => [linkTo(each), siteName(each.siteId), <Time at={each.publishAt} />])}
        />
      )}
      <More count={scheduleCount} shown={schedules.length} what="schedule" />
      {previewLinkCount > 0 && (
        <Table
          label="Preview links"
          columns={['Post', 'Site', 'Link ends with', 'Created', 'Expires']}
          rows={previewLinks.map((each) => [
            linkTo(each),
            siteName(each.siteId),
            <code>…{each.lastFour}</code>,
            <Time at={each.createdAt} isRelative />,
            <Time at={each.expiresAt} />,
          ])}
        />
      )}
      <More count={previewLinkCount} shown={previewLinks.length} what="preview link" />
      {given.length > 0 && (
        <Table
          label="Tokens and sign-in links for other people"
          columns={['Tokens and sign-in links for', 'Active']}
          rows={given.map(({ id, name, count }) => [
            <a href={`${PEOPLE}/${id}`} dir="auto">
              {name}
            </a>,
            count.toLocaleString('en'),
          ])}
        />
      )}
    </Section>
  )
}

function More({ count, shown, what }: { count: number; shown: number; what: string }) {
  return count > shown ? <p class="muted">And {formatQuantity(count - shown, `more ${what}`)}.</p> : null
}

type EndsProps = { person: Person; sessions: number; made: MadeByOperator }

/** Numbers of all that ends when a person is removed, except schedules, which have a choice. */
export function EndsWithPerson({ person: { tokens, links }, sessions, made }: EndsProps) {
  const ends = [
    [sessions, 'session'],
    [tokens.filter(isLive).length, 'token'],
    [links.filter((link) => isLive(link) && !link.usedAt).length, 'unused sign-in link'],
    [made.previewLinkCount, 'preview link'],
    [made.tokenCount, 'token or sign-in link for other people', 'tokens and sign-in links for other people'],
  ] as const
  const list = listQuantities(ends)
  const isOne = ends.reduce((sum, [count]) => sum + count, 0) === 1
  return list ? (
    <p>
      {list} {isOne ? 'stops' : 'stop'} working now.
    </p>
  ) : null
}

/** Keeping the schedules moves them to the signed-in person, so people cannot keep their own. */
export function ScheduleField({ operatorId, children }: { operatorId: string; children: Child }) {
  const isSelf = useRequestContext().get('person').id === operatorId
  return (
    <fieldset class="choice-field">
      <legend>{children}</legend>
      {!isSelf && (
        <Choice
          name="schedules"
          value="keep"
          label="Keep the schedules and publish the drafts in my name"
          required
        />
      )}
      <Choice
        name="schedules"
        value="cancel"
        label="Cancel the schedules and leave the drafts unpublished"
        required
      />
    </fieldset>
  )
}

/** Asks before a role or site change that affects schedules. */
export function restrictionPage(c: Http, { id, name }: Person, values: Values) {
  c.status(409)
  return c.render(
    <Confirm
      title="Keep the schedules of {name}?"
      name={name}
      needs="admin"
      hidden={Object.entries(values)}
      submit="Save"
      cancel={`${PEOPLE}/${id}`}
      field={
        <ScheduleField operatorId={id}>They scheduled drafts that they can no longer edit</ScheduleField>
      }
    >
      <p>Nothing is saved yet. This also ends their preview links for posts that they can no longer edit.</p>
    </Confirm>,
    { workspace: 'People', title: `Keep the schedules of ${name}?`, isNarrow: true },
  )
}
