import { useCounts } from '../../actions/done.tsx'
import { Success } from '../../actions/success.tsx'
import {
  CHANGES,
  isChange,
  isRecent,
  Outcome,
  type SelectionChange,
  UNDOABLE,
  type Undoable,
  UndoButton,
} from '../../actions/undo.tsx'
import { addQuery, parentList } from '../../parent-list.ts'
import { Notice } from '../../parts/notice.tsx'
import { formatQuantity } from '../../parts/quantity.ts'
import { ButtonLink } from '../../parts/site-link.tsx'
import { Time } from '../../parts/time.tsx'
import { useRequestContext } from '../../request-context.ts'
import { KINDS } from '../article.tsx'

export const UNDO = '/content/undo'
const { list: LIST } = KINDS.posts

export function SelectionNotice({ undoable }: { undoable: Undoable | null }) {
  const c = useRequestContext()
  const { done, unsent, [UNDOABLE]: text } = c.req.query()
  const counts = useCounts('changed', 'already', 'stayed', 'of', 'unscheduled')
  if (done === 'undo')
    return <Notice tone="info">Nothing was undone because the address was incomplete.</Notice>
  const beside = undoable && text && (
    <ChangedPostsActions undoable={undoable} text={text} list={parentList(c, LIST)} />
  )
  if (!isChange(done)) {
    if (!isRecent(undoable)) return null
    const { change, count, versions } = undoable
    return (
      <Outcome isAgain beside={beside}>
        <Notice tone="info">
          {formatQuantity(count, 'post')} {CHANGES[change].done} <Time at={versions.to} isRelative />.
        </Notice>
      </Outcome>
    )
  }
  const words = describe(done, { ...counts, unsent: unsent === '1' })
  const isSomething = counts.already > 0 || counts.of > 0
  return (
    <Outcome beside={beside}>
      {counts.changed > 0 ? (
        <Success saved={words} />
      ) : (
        <Notice tone="info">{isSomething ? words : 'No posts were selected.'}</Notice>
      )}
    </Outcome>
  )
}

/** Links to the changed posts, and offers undo. */
export function ChangedPostsActions({
  undoable: { change, versions },
  text,
  list,
}: {
  undoable: Undoable
  text: string
  list: string
}) {
  const updatedAfter = new Date(Date.parse(versions.from) - 1).toISOString()
  const updatedBefore = new Date(Date.parse(versions.to) + 1).toISOString()
  return (
    <>
      <ButtonLink to={addQuery(LIST, { updatedAfter, updatedBefore })} text="View posts" />
      {change !== 'ready' && <UndoButton action={UNDO + list.slice(LIST.length)} undoable={text} />}
    </>
  )
}

type Counts = {
  changed: number
  already: number
  stayed?: number
  of?: number
  unsent?: boolean | undefined
  unscheduled?: number | undefined
}

/** `3 posts published. 1 post was already published.` */
export function describe(
  change: SelectionChange,
  { changed, already, stayed = 0, of = 0, unsent, unscheduled = 0 }: Counts,
): string {
  const { done } = CHANGES[change]
  if (of > 0 && changed === 0)
    return `Nothing was undone because ${of === 1 ? 'the post has' : `all ${of} posts have`} changed since.`
  const sentences = [
    `${formatQuantity(changed, 'post')} ${done}.`,
    already > 0 && `${formatQuantity(already, 'post')} ${already === 1 ? 'was' : 'were'} already ${done}.`,
    stayed > 0 &&
      `${stayed} of ${of} not undone because ${stayed === 1 ? 'it has' : 'they have'} changed since.`,
    unsent && 'No webhook is set up, so no event was sent.',
    unscheduled > 0 && `${formatQuantity(unscheduled, 'schedule')} cancelled.`,
  ]
  return sentences.filter(Boolean).join(' ')
}
