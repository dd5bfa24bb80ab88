import type { Child } from 'hono/jsx'
import { setTrainingOptIns } from '../../../../src/content/training-rows.ts'
import { AppError } from '../../../../src/core/errors.ts'
import { UUID } from '../../../../src/core/ids.ts'
import { createApp, type Http } from '../../../http/env.ts'
import { useCounts } from '../../actions/done.tsx'
import { Selectable } from '../../actions/selectable.tsx'
import { Success } from '../../actions/success.tsx'
import { readForm, readSelected } from '../../forms/form.ts'
import { addQuery, PARENT_LISTS, parentList } from '../../parent-list.ts'
import { PostButton } from '../../parts/fields/form.tsx'
import { Notice } from '../../parts/page.tsx'
import { formatQuantity } from '../../parts/quantity.ts'
import { redirectInSite, useRequestContext } from '../../site.ts'

const { list: LIST } = PARENT_LISTS.training
/** Not below the list, where paths are ids of rows. */
const SELECTION = '/content/training-rows/selection'

export const trainingSelection = createApp()

trainingSelection.post(SELECTION, async (c) => {
  const { optIn } = await readForm(c)
  if (optIn !== 'in' && optIn !== 'out')
    throw new AppError('invalid_body', { path: 'optIn', message: 'must be in or out' })
  const ids = await readSelected(c, 'row')
  const valid = ids.filter((id) => UUID.test(id))
  const { found, changed } =
    valid.length > 0
      ? await setTrainingOptIns(c.get('ctx'), c.get('site'), valid, optIn === 'in')
      : { found: 0, changed: [] }
  const counts = {
    changed: changed.length,
    already: found - changed.length,
    gone: ids.length - found,
    rows: changed.join(' ') || null,
  }
  return redirectInSite(c, addQuery(listOf(c), { done: optIn, ...counts }))
})

// Reloading the error page sends a GET.
trainingSelection.get(SELECTION, (c) => redirectInSite(c, listOf(c)))

const listOf = (c: Http) => LIST + new URL(c.req.url).search

export function TrainingSelectionNotice() {
  const c = useRequestContext()
  const { done, rows: changedRows = '' } = c.req.query()
  const { changed, already, gone } = useCounts('changed', 'already', 'gone')
  if (done !== 'in' && done !== 'out') return null
  if (changed + already + gone === 0) return <Notice tone="info">No rows were selected.</Notice>
  const rows = (count: number) => `${formatQuantity(count, 'row')} ${count === 1 ? 'was' : 'were'}`
  const words = [
    `${formatQuantity(changed, 'row')} opted ${done}.`,
    already > 0 && `${rows(already)} already opted ${done}.`,
    gone > 0 && `${formatQuantity(gone, 'selected row')} can no longer be found.`,
  ]
  const text = words.filter(Boolean).join(' ')
  const undo = changed > 0 && (
    <PostButton
      needs="editor"
      action={SELECTION + parentList(c, LIST).slice(LIST.length)}
      name="optIn"
      value={done === 'in' ? 'out' : 'in'}
      hidden={changedRows.split(' ').map((id) => ['row', id])}
    >
      Undo
    </PostButton>
  )
  return changed > 0 ? (
    <Success isFocused action={undo}>
      {text}
    </Success>
  ) : (
    <Notice tone="info" isFocused>
      {text}
    </Notice>
  )
}

type FormProps = {
  /** Queries of the list: with the page, and with the filters only. */
  query: string
  filters: string
  children: Child
}

export function TrainingSelectionForm({ query, filters, children }: FormProps) {
  return (
    <Selectable
      action={`${SELECTION}${query}`}
      list={`${LIST}${filters}`}
      label="Selected rows"
      buttons={['in', 'out'].map((value) => (
        <button type="submit" name="optIn" value={value} class="button">
          Opt {value}
        </button>
      ))}
    >
      {children}
    </Selectable>
  )
}
