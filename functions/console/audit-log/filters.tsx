import { DAY_MS } from '../../../src/core/time.ts'
import { type Errors, fieldsOf, type Values } from '../forms/form.ts'
import { addQuery } from '../parent-list.ts'
import { type Option, SelectField, TextField } from '../parts/fields/field.tsx'
import { HiddenFields } from '../parts/fields/form.tsx'
import { InstantField } from '../parts/fields/instant-field.tsx'
import { FilterForm } from '../parts/list.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { isOfFold } from './entries.tsx'
import { describeAction } from './sentence.ts'
import { NOUNS, OF_WORKSPACE } from './words.ts'

const TIMES = { since: 'From', until: 'Before' }
const PRESETS = { 'Last 24 hours': 1, 'Last 7 days': 7, 'Last 30 days': 30 }
const SHOWN = ['subject', 'actor', 'action', 'since', 'until'] as const

/** `actor` is the name for `actorId`. */
type FiltersProps = { path: string; values: Values; errors: Errors; isOfSite: boolean; actor: string | null }

export function Filters({ path, values, errors, isOfSite, actor }: FiltersProps) {
  const field = fieldsOf(values, errors)
  const { action, actorId } = values
  // An action from a link, such as `key.revoked`, which is not among the options.
  const single: Option[] = action && !Object.hasOwn(NOUNS, action) ? [[action, describeAction(action)]] : []
  const nouns = Object.entries(NOUNS).filter(([noun]) => !isOfSite || !OF_WORKSPACE.includes(noun))
  const options = nouns.map(([noun, { title }]): Option => [noun, title])
  const set = SHOWN.filter((name) => values[name]).length
  const { until: _, ...withoutEnd } = values
  const chips = isOfFold(values)
    ? { labels: { actorId: 'By', since: 'At' }, values: withoutEnd }
    : { labels: { actorId: 'By', ...TIMES }, values }
  const times = (
    <>
      <nav class="row" aria-label="Recent times">
        {Object.entries(PRESETS).map(([text, days]) => {
          const since = new Date(Date.now() - days * DAY_MS).toISOString()
          return (
            <ButtonLink to={addQuery(path, { ...values, since, until: null })} text={text} look="small" />
          )
        })}
      </nav>
      <InstantField label={TIMES.since} {...field('since')} />
      <InstantField label={TIMES.until} {...field('until')} />
    </>
  )
  return (
    <FilterForm
      list={path}
      set={set}
      isFiltered={Object.keys(values).length > 0}
      errors={errors}
      more={{ title: 'Time range', ...chips, texts: { actorId: actor }, fields: times }}
    >
      <TextField label="About" type="search" placeholder="Slug, title, name or ID" {...field('subject')} />
      <TextField label="Who" type="search" placeholder="Part of a name" {...field('actor')} />
      {actorId && <HiddenFields form={[['actorId', actorId]]} />}
      <SelectField label="Type" {...field('action')} options={[['', 'All'], ...options, ...single]} />
    </FilterForm>
  )
}
