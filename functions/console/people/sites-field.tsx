/** The sites that a person can access. As a value: `all`, or ids separated by spaces. */
import type { OfferedSite } from '../../../src/sites/people.ts'
import type { Http } from '../../http/env.ts'
import { readFormEntries, type Values } from '../forms/form.ts'
import { Choice, Messages } from '../parts/fields/field.tsx'

const ALL = 'all'

/** Joins the checked sites of a posted form into one value. Without `sites` if the form has no such field. */
export async function readPersonForm(c: Http): Promise<Values> {
  const texts = (await readFormEntries(c)) ?? []
  const { reach, sites: _, ...values } = Object.fromEntries(texts) as Partial<Values>
  const given = texts.filter(([name]) => name === 'sites').flatMap(([, value]) => value.split(' '))
  const ids = given.filter(Boolean).toSorted().join(' ')
  const isThere = reach !== undefined || given.length > 0
  return { ...(values as Values), ...(isThere && { sites: reach === ALL ? ALL : ids }) }
}

export const sitesValue = (sites: string[] | null) => sites?.toSorted().join(' ') ?? ALL

export function sitesInput({ sites }: Values): { sites?: string[] | null } {
  if (sites === undefined) return {}
  return { sites: sites === ALL ? null : sites.split(' ').filter(Boolean) }
}

/** Such as `All`, or `Blog, Docs, 2 more`: deleted sites, and sites without access, are only counted. */
export function sitesText(sites: string[] | null, offered: OfferedSite[]): string {
  if (sites === null) return 'All'
  const names = offered.filter(({ id }) => sites.includes(id)).map(({ name }) => name)
  const more = sites.length - names.length
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(', ') || 'no sites'
}

type SitesFieldProps = { value: string | undefined; error: string | undefined; offered: OfferedSite[] }

export function SitesField({ value = ALL, error, offered }: SitesFieldProps) {
  const ticked = new Set(value.split(' '))
  const choices = (isTicked: boolean) =>
    offered
      .filter(({ id }) => ticked.has(id) === isTicked)
      .map(({ id, name, domain }) => (
        <label title={domain ?? undefined}>
          <input type="checkbox" name="sites" value={id} checked={isTicked} />{' '}
          <span dir="auto">
            {name} <span class="muted">{domain}</span>
          </span>
        </label>
      ))
  return (
    <fieldset class="choice-field" aria-describedby={error && 'sites-error'}>
      <legend>Sites</legend>
      <Choice name="reach" value={ALL} label="All sites, including future ones" checked={value === ALL} />
      <Choice
        name="reach"
        value="some"
        label="Only these"
        checked={value !== ALL}
        autofocus={Boolean(error)}
      />
      <div class="row chips sites-chosen">{choices(true)}</div>
      <div class="sites-offered" data-chips="Find a site">
        {choices(false)}
      </div>
      <Messages label="Sites" name="sites" error={error} hint="They cannot see other sites." />
    </fieldset>
  )
}
