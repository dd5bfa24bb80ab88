import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { useCounts } from '../../actions/done.tsx'
import { Success } from '../../actions/success.tsx'
import {
  CHANGES,
  isChange,
  isRecent,
  type SelectionChange,
  UNDOABLE,
  type Undoable,
  UndoButton,
} from '../../actions/undo.tsx'
import { addQuery, parentList } from '../../parent-list.ts'
import { Notice } from '../../parts/page.tsx'
import { formatQuantity } from '../../parts/quantity.ts'
import { ButtonLink } from '../../parts/site-link.tsx'
import { Time } from '../../parts/time.tsx'
import { useRequestContext } from '../../site.ts'
import { KINDS } from '../article.tsx'

export const UNDOS = { posts: '/content/undo', guides: '/content/undo/guides' } as const

type NoticeProps = { kind: ArticleKind; undoable: Undoable | null }

export function SelectionNotice({ kind, undoable }: NoticeProps) {
  const c = useRequestContext()
  const { done, unsent, [UNDOABLE]: text } = c.req.query()
  const counts = useCounts('changed', 'already', 'stayed', 'of', 'unscheduled')
  if (done === 'undo')
    return <Notice tone="info">Nothing was undone because the address was incomplete.</Notice>
  const action = undoable && text && (
    <ChangedActions kind={kind} undoable={undoable} text={text} list={parentList(c, KINDS[kind].list)} />
  )
  if (!isChange(done)) {
    if (!isRecent(undoable)) return null
    const { change, count, versions } = undoable
    return (
      <Notice tone="info" action={action}>
        {formatQuantity(count, KINDS[kind].noun)} {CHANGES[change].done} <Time at={versions.to} isRelative />.
      </Notice>
    )
  }
  const words = describe(kind, done, { ...counts, unsent: unsent === '1' })
  if (counts.changed > 0) return <Success saved={words} isFocused action={action} />
  const isSomething = counts.already > 0 || counts.of > 0
  return (
    <Notice tone="info" isFocused action={action}>
      {isSomething ? words : `No ${kind} were selected.`}
    </Notice>
  )
}

/** Links to the changed articles, and offers undo. */
export function ChangedActions({
  kind,
  undoable: { change, versions },
  text,
  list,
}: {
  kind: ArticleKind
  undoable: Undoable
  text: string
  list: string
}) {
  const updatedAfter = new Date(Date.parse(versions.from) - 1).toISOString()
  const updatedBefore = new Date(Date.parse(versions.to) + 1).toISOString()
  return (
    <>
      <ButtonLink to={addQuery(KINDS[kind].list, { updatedAfter, updatedBefore })} text={`View ${kind}`} />
      {change !== 'ready' && (
        <UndoButton action={UNDOS[kind] + list.slice(KINDS[kind].list.length)} undoable={text} />
      )}
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
  kind: ArticleKind,
  change: SelectionChange,
  { changed, already, stayed = 0, of = 0, unsent, unscheduled = 0 }: Counts,
): string {
  const { done } = CHANGES[change]
  const { noun } = KINDS[kind]
  if (of > 0 && changed === 0)
    return `Nothing was undone because ${of === 1 ? `the ${noun} has` : `all ${of} ${kind} have`} changed since.`
  const sentences = [
    changed > 0 ? `${formatQuantity(changed, noun)} ${done}.` : already === 0 && `No ${kind} ${done}.`,
    already > 0 && `${formatQuantity(already, noun)} ${already === 1 ? 'was' : 'were'} already ${done}.`,
    stayed > 0 &&
      `${stayed} of ${of} not undone because ${stayed === 1 ? 'it has' : 'they have'} changed since.`,
    unsent && 'No webhook is set up, so no event was sent.',
    unscheduled > 0 && `${formatQuantity(unscheduled, 'schedule')} cancelled.`,
  ]
  return sentences.filter(Boolean).join(' ')
}
