import { type Errors, fieldsOf, type Values } from '../forms/form.ts'
import { type Option, SelectField, TextField } from '../parts/fields/field.tsx'
import { HiddenFields } from '../parts/fields/form.tsx'
import { InstantField } from '../parts/fields/instant-field.tsx'
import { FilterForm, MoreFilters } from '../parts/list.tsx'
import { describeAction } from './sentence.ts'
import { NOUNS, OF_WORKSPACE } from './words.ts'

const TIMES = ['since', 'until'] as const
const SHOWN = ['subject', 'actor', 'action', ...TIMES] as const

type FiltersProps = { path: string; values: Values; errors: Errors; isOfSite: boolean }

export function Filters({ path, values, errors, isOfSite }: FiltersProps) {
  const field = fieldsOf(values, errors)
  const { action, actorId } = values
  // An action from a link, such as `key.revoked`, which is not among the options.
  const single: Option[] = action && !Object.hasOwn(NOUNS, action) ? [[action, describeAction(action)]] : []
  const nouns = Object.entries(NOUNS).filter(([noun]) => !isOfSite || !OF_WORKSPACE.includes(noun))
  const options = nouns.map(([noun, { title }]): Option => [noun, title])
  const set = SHOWN.filter((name) => values[name]).length
  return (
    <FilterForm list={path} set={set} isFiltered={Object.keys(values).length > 0} errors={errors}>
      <TextField label="About" type="search" placeholder="Slug, title, name or ID" {...field('subject')} />
      <TextField label="Who" type="search" placeholder="Part of a name" {...field('actor')} />
      {actorId && <HiddenFields form={[['actorId', actorId]]} />}
      <SelectField label="Type" {...field('action')} options={[['', 'All'], ...options, ...single]} />
      <MoreFilters title="Time range" names={TIMES} values={values}>
        <InstantField label="From" {...field('since')} />
        <InstantField label="Before" {...field('until')} />
      </MoreFilters>
    </FilterForm>
  )
}
