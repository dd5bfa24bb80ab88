/**
 * Asks which value to keep when two people changed the same field. The form posts each choice under the name of its field, so that
 * the route of the original form saves it.
 */
import type { Child } from 'hono/jsx'
import { findLastEntry, type Logged } from '../../../src/people/audit-log.ts'
import type { Http } from '../../http/env.ts'
import { whoOf } from '../audit-log/sentence.ts'
import { listNames } from '../content/edit/html-problems.tsx'
import { addQuery } from '../parent-list.ts'
import { Choice } from '../parts/fields/field.tsx'
import { labelOf } from '../parts/fields/field-labels.ts'
import { Form } from '../parts/fields/form.tsx'
import { PageHeading } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { useSitePath } from '../site.ts'
import type { Part } from './difference.ts'
import { compareTexts } from './differences.tsx'
import type { Values } from './form.ts'
import { type Conflict, ORIGINAL_VALUES, originalWith, withSeenConflicts } from './three-way-merge.ts'

type ConflictPage = {
  conflicts: Conflict[]
  /** The posted form. */
  values: Values
  cancel: string
  title?: string
  /** The display text of a value, such as an option. */
  textOf?: (name: string, value: string) => string | undefined
  /** The save of the other values, in the audit log. */
  logged?: Logged
  /** A form that takes a text with both versions. */
  editBoth?: string
}

/** Who saved the other version and when, if the audit log still has it. `isOwn`: the user, in another tab. */
export async function findLastSave(c: Http, logged: Logged) {
  const entry = await findLastEntry(c.get('ctx'), logged)
  const { id, name } = c.get('person')
  const isOwn = entry?.channel === 'console' && entry.actorId === id && entry.actor === name
  return entry && { who: whoOf(entry), at: entry.at, isOwn }
}

export async function conflictPage(
  c: Http,
  page: Parameters<Http['render']>[1],
  { conflicts, values, cancel, title: ownTitle, textOf = () => undefined, logged, editBoth }: ConflictPage,
) {
  c.status(409)
  const saved = logged && (await findLastSave(c, logged))
  const title = ownTitle ?? (saved?.isOwn ? 'Changed in another tab' : 'Changed by someone else')
  const chosen = new Set([ORIGINAL_VALUES, ...conflicts.flatMap(({ name }) => [name, originalWith(name)])])
  const others = Object.entries(values).filter(([name]) => !chosen.has(name))
  // Editing both versions of one text leaves the others unchosen.
  const isOne = conflicts.length === 1
  const unchosen = isOne || !editBoth ? [] : conflicts.map(({ name, mine }): [string, string] => [name, mine])
  const originals = unchosen.map(([name], at): [string, string] => [
    originalWith(name),
    withSeenConflicts(values, [conflicts[at]!]),
  ])
  return c.render(
    <>
      <PageHeading
        title={title}
        lead={
          <>
            {saved?.isOwn ? 'You' : <bdi>{saved?.who ?? 'Someone else'}</bdi>} changed{' '}
            {listNames(conflicts.map(({ name }) => labelOf(name)))}{' '}
            {saved?.isOwn ? 'in another tab' : 'while you were editing'}
            {saved && (
              <>
                {' ('}
                <Time at={saved.at} isRelative />)
              </>
            )}
            . Choose a version. Your other changes are kept. Nothing is saved yet.
          </>
        }
      />
      <Form
        class="conflicts"
        enctype="multipart/form-data"
        hidden={[
          ...others,
          ...unchosen,
          ...originals,
          [ORIGINAL_VALUES, withSeenConflicts(values, conflicts)],
        ]}
        submit="Save"
        cancel={cancel}
        cancelText="Discard my changes"
        beside={
          editBoth && conflicts.map((conflict) => <EditBoth {...conflict} isOne={isOne} action={editBoth} />)
        }
      >
        {conflicts.map((conflict) => (
          <Choices {...conflict} textOf={textOf} />
        ))}
      </Form>
    </>,
    { title, ...page },
  )
}

type ChoicesProps = Conflict & {
  textOf: (name: string, value: string) => string | undefined
}

/** Both values, with their differences marked if they have something in common. */
function Choices({ name, mine, theirs, shown = { mine, theirs }, textOf }: ChoicesProps) {
  const parts = compareTexts(shown.theirs, shown.mine)
  return (
    <fieldset>
      <legend>{labelOf(name)}</legend>
      <Version name={name} value={theirs} label="Saved version">
        {parts ? markIn('theirs', parts) : (textOf(name, theirs) ?? inWords(shown.theirs, shown.mine))}
      </Version>
      <Version name={name} value={mine} label="Your version">
        {parts ? markIn('mine', parts) : (textOf(name, mine) ?? inWords(shown.mine, shown.theirs))}
      </Version>
    </fieldset>
  )
}

const markIn = (version: 'theirs' | 'mine', parts: Part[]): Child =>
  parts.map((part) => (part.in === 'both' ? part.text : part.in === version && <mark>{part.text}</mark>))

type EditBothProps = Conflict & { isOne: boolean; action: string }

function EditBoth({ name, both, isOne, action }: EditBothProps) {
  const path = useSitePath()
  if (both === undefined) return null
  return (
    <button
      type="submit"
      class="button"
      name={name}
      value={both}
      formaction={path(addQuery(action, { both: name }))}
      formnovalidate
    >
      Edit both versions{!isOne && ` of ${labelOf(name)}`}
    </button>
  )
}

type VersionProps = { name: string; value: string; label: string; children: Child }

/** Neither is chosen at first, so that nobody overwrites the other by accident. */
function Version({ label, children, ...choice }: VersionProps) {
  return (
    <Choice {...choice} label={<strong>{label}</strong>} required>
      {children && (
        <span class="lines" dir="auto">
          {children}
        </span>
      )}
    </Choice>
  )
}

/** An unchecked box posts nothing. */
function inWords(value: string, other: string): Child {
  if (value === 'on') return 'Yes'
  if (value === '') return other === 'on' ? 'No' : <span class="muted">Empty</span>
  return value
}
