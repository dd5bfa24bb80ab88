import { requireSlug } from '../../../src/content/articles/kind.ts'
import { type Publication, setArticleStatuses } from '../../../src/content/articles/transitions.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { AppError } from '../../../src/core/errors.ts'
import { createApp, type Http } from '../../http/env.ts'
import { CONFIRMED, Confirm, isConfirmed } from '../actions/confirm.tsx'
import { DONE, redirectDone, useDone } from '../actions/done.tsx'
import { DelayedNotice, Success } from '../actions/success.tsx'
import {
  CHANGES,
  isRecent,
  type StatusChange,
  signUndoable,
  UNDOABLE,
  type Undoable,
  UndoButton,
  undo,
  undoableOf,
} from '../actions/undo.tsx'
import { readForm } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { Notice } from '../parts/page.tsx'
import { Time } from '../parts/time.tsx'
import { redirectInSite, useRequestContext } from '../site.ts'
import { KINDS, unpublishingEffect } from './article.tsx'
import { contentWarnings } from './edit/html-problems.tsx'
import { restoreSchedule, UNSCHEDULED } from './schedule.tsx'

export function publication(kind: ArticleKind, find: (c: Http, slug: string) => Promise<Found>) {
  const path = `/content/${kind}/:slug` as const
  const { noun, article } = KINDS[kind]
  const app = createApp()

  app.post(`${path}/publication`, async (c) => {
    const form = await readForm(c)
    const change = changeTo(form.status)
    const slug = requireSlug(article, c.req.param('slug'))
    requireRole(c.get('ctx'), 'editor')
    if (!isConfirmed(form)) {
      const found = await find(c, slug)
      const consequences = found.status === CHANGES[change].status ? [] : consequencesOf(kind, change, found)
      if (consequences.length > 0) return confirmPage(c, kind, change, { ...found, slug }, consequences)
    }
    const { status } = CHANGES[change]
    const options = { unlessChangesRequested: true }
    const [updated] = await setArticleStatuses(c.get('ctx'), article, c.get('site'), [slug], status, options)
    if (!updated) throw new AppError(article.missing)
    if (updated.refused) throw new AppError('changes_requested')
    const undoable = undoableOf(change, updated.changed ? [updated] : [], updated.cancelledSchedule)
    return donePage(c, kind, updated, undoable, change)
  })

  // Reloading the confirmation page sends a GET.
  app.get(`${path}/publication`, (c) => redirectInSite(c, itemPath(kind, c.req.param('slug'))))

  app.post(`${path}/undo`, async (c) => {
    const undone = await undo(c, kind, article)
    const [updated] = undone?.changed ?? []
    if (!undone || !updated) return redirectDone(c, itemPath(kind, c.req.param('slug')), noun, 'stayed')
    const { unscheduled } = undone
    const isDraft = kind === 'posts' && undone.change === 'unpublish'
    const restored = isDraft ? await restoreSchedule(c, updated.slug, unscheduled) : null
    const { updatedAt } = restored ?? updated
    const cancelledSchedule = restored ? undefined : unscheduled
    const undoable = undoableOf(undone.change, [{ updatedAt }], cancelledSchedule)
    return donePage(c, kind, { ...updated, cancelledSchedule }, undoable, undone.change)
  })

  return app
}

/** @throws AppError invalid_body */
function changeTo(status: string | undefined): StatusChange {
  if (status === 'published') return 'publish'
  if (status === 'draft') return 'unpublish'
  throw new AppError('invalid_body', { path: 'status', message: 'must be draft or published' })
}

async function donePage(
  c: Http,
  kind: ArticleKind,
  { slug, cancelledSchedule }: Publication,
  undoable: Undoable | null,
  change: StatusChange,
) {
  return redirectDone(c, itemPath(kind, slug), KINDS[kind].noun, CHANGES[change].done, {
    [UNSCHEDULED]: cancelledSchedule,
    [UNDOABLE]: undoable && (await signUndoable(c, kind, undoable)),
  })
}

type Found = { title: string; status: string; contentHtml: string }

/** Reasons to ask first. */
function consequencesOf(kind: ArticleKind, change: StatusChange, { contentHtml }: Found): string[] {
  if (change === 'publish') return contentWarnings(contentHtml)
  return [
    `${unpublishingEffect(kind, 'it')} You can undo this until someone changes the ${KINDS[kind].noun}.`,
  ]
}

function confirmPage(
  c: Http,
  kind: ArticleKind,
  change: StatusChange,
  { slug, title }: { slug: string; title: string },
  consequences: string[],
) {
  const page = itemPath(kind, slug)
  const verb = change === 'publish' ? 'Publish' : 'Unpublish'
  return c.render(
    <Confirm
      title={`${verb} “{name}”?`}
      name={title}
      needs="editor"
      submit={change === 'publish' ? 'Publish anyway' : 'Unpublish'}
      look="primary"
      cancel={page}
      hidden={[['status', CHANGES[change].status], CONFIRMED]}
    >
      {consequences.map((consequence) => (
        <p>{consequence}</p>
      ))}
    </Confirm>,
    { tab: 'Content', title: `${verb} ${title}`, isNarrow: true },
  )
}

type DoneProps = {
  kind: ArticleKind
  article: { slug: string; status: string; updatedAt: string | null }
  undoable: Undoable | null
}

/** Shows the notice while it is still true, and undo until the article changes again. */
export function DoneOfArticle({ kind, article: { slug, status, updatedAt }, undoable }: DoneProps) {
  const { [UNDOABLE]: text, savedBy = 'Someone else' } = useRequestContext().req.query()
  const { noun } = KINDS[kind]
  const done = useDone(noun)
  const undoButton = text && undoable?.versions.to === updatedAt && (
    <UndoButton action={`${itemPath(kind, slug)}/undo`} undoable={text} />
  )
  if (!done && undoButton && isRecent(undoable))
    return (
      <Notice tone="info" action={undoButton}>
        {undoable.change === 'publish' ? 'Published' : 'Unpublished'}{' '}
        <Time at={undoable.versions.to} isRelative />.
      </Notice>
    )
  if (!done || done === (status === 'draft' ? 'published' : 'unpublished')) return <DelayedNotice />
  const words = (DONE[noun] as Record<string, string>)[done]?.replace('Someone else', () => savedBy)
  if (['already', 'stayed', 'unedited'].includes(done)) return <Notice tone="info">{words}</Notice>
  return (
    <Success isFocused action={undoButton}>
      {words}
    </Success>
  )
}
