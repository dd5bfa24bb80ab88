/** Bulk changes of selected posts, with undo. */

import { setArticleStatuses } from '../../../../src/content/articles/transitions.ts'
import { parseSlug } from '../../../../src/content/model/slug.ts'
import { findPublished } from '../../../../src/content/posts/browse.ts'
import { POST } from '../../../../src/content/posts/post.ts'
import { markPostsReady } from '../../../../src/content/posts/readiness.ts'
import { requireRole } from '../../../../src/core/actor.ts'
import { AppError, type ErrorCode } from '../../../../src/core/errors.ts'
import { createApp } from '../../../http/create-app.ts'
import type { Http } from '../../../http/env.ts'
import { toErrorResponse } from '../../../http/errors.ts'
import { isConfirmed } from '../../actions/confirm.tsx'
import { DelayedNotice } from '../../actions/success.tsx'
import {
  CHANGES,
  isChange,
  Outcome,
  type SelectionChange,
  type StatusChange,
  signUndoable,
  UNDOABLE,
  type Undoable,
  undo,
  undoableOf,
} from '../../actions/undo.tsx'
import { assetUrls } from '../../assets.ts'
import { readForm, readSelected } from '../../forms/form.ts'
import { addQuery, itemPath } from '../../parent-list.ts'
import { PageHeading } from '../../parts/heading.tsx'
import { formatQuantity } from '../../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../../parts/site-link.tsx'
import { redirectInSite } from '../../site.ts'
import { KINDS } from '../article.tsx'
import { postsPage } from '../lists.tsx'
import { confirmUnpublishing } from '../unpublishing.tsx'
import { KEEP, SELECTION } from './selection-form.tsx'
import { ChangedPostsActions, describe, UNDO } from './selection-notice.tsx'

const { list: LIST } = KINDS.posts

type Result = {
  /** Null if no post changed. */
  undoable: Undoable | null
  /** How many were in this state before. */
  already: number
  refused: { slug: string; code: ErrorCode }[]
  /** No webhook is set, so marking ready sends no event. */
  unsent?: boolean
  unscheduled?: number
}

const UNBLOCKED = { unlessChangesRequested: true }

function applyChange(c: Http, change: SelectionChange, slugs: string[]): Promise<Result> {
  return change === 'ready' ? markReady(c, slugs) : setStatus(c, change, slugs)
}

async function setStatus(c: Http, change: StatusChange, slugs: string[]): Promise<Result> {
  const { status } = CHANGES[change]
  const posts = await setArticleStatuses(c.get('ctx'), POST, c.get('site'), slugs, status, UNBLOCKED)
  const changed = posts.filter((post) => post.changed)
  const refused = posts.filter((post) => post.refused)
  return {
    undoable: undoableOf(change, changed),
    already: posts.length - changed.length - refused.length,
    refused: refused.map(({ slug }) => ({ slug, code: 'changes_requested' })),
    unscheduled: posts.filter(({ cancelledSchedule }) => cancelledSchedule).length,
  }
}

async function markReady(c: Http, slugs: string[]): Promise<Result> {
  const posts = await markPostsReady(c.get('ctx'), c.get('site'), slugs, UNBLOCKED)
  const ready = posts.flatMap((post) => ('refusal' in post ? [] : post))
  const changed = ready.filter((post) => !post.alreadyReady)
  return {
    undoable: undoableOf('ready', changed),
    already: ready.length - changed.length,
    refused: posts.flatMap((post) => ('refusal' in post ? { slug: post.slug, code: post.refusal } : [])),
    unsent: changed.length > 0 && changed.every(({ eventId }) => eventId === null),
  }
}

export const selection = createApp()

selection.post(SELECTION, async (c) => {
  const form = await readForm(c)
  const { change } = form
  requireRole(c.get('ctx'), 'editor')
  if (change !== KEEP && !isChange(change))
    throw new AppError('invalid_body', { path: 'change', message: 'must be publish, unpublish or ready' })
  const slugs = await readSelected(c, 'slug')
  const valid = slugs.flatMap((slug) => parseSlug(slug) ?? [])
  if (change === KEEP) return postsPage(c, valid)
  const list = listOf(c)
  if (change === 'unpublish' && valid.length > 0 && !isConfirmed(form)) {
    const published = await findPublished(c.get('ctx'), c.get('site'), valid)
    const others = slugs.length - published.length
    const action = SELECTION + list.slice(LIST.length)
    if (published.length > 0) return confirmUnpublishing(c, { published, others, action, list })
  }
  const result = valid.length > 0 ? await applyChange(c, change, valid) : NOTHING
  const { undoable, already, refused } = result
  const gone = slugs.length - countOf(undoable) - already - refused.length
  if (refused.length === 0 && gone === 0) return doneList(c, change, result)
  const { list: script } = await assetUrls(c)
  const title = `${undoable || already > 0 ? 'Not all posts' : 'No posts'} ${CHANGES[change].done}`
  const signed = undoable && (await signUndoable(c, 'posts', undoable))
  return c.render(
    <>
      <PageHeading title={title} />
      <script src={script} defer />
      <DelayedNotice />
      <Outcome
        beside={undoable && signed && <ChangedPostsActions undoable={undoable} text={signed} list={list} />}
      >
        <p>{describe(change, { ...result, changed: countOf(undoable) })}</p>
      </Outcome>
      <ul class="points">
        {refused.map(({ slug, code }) => (
          <li>
            <SiteLink to={itemPath('posts', slug)}>{slug}</SiteLink>:{' '}
            {toErrorResponse(new AppError(code), c).text}.
          </li>
        ))}
        {gone > 0 && <li>{formatQuantity(gone, 'selected post')} can no longer be found.</li>}
      </ul>
      <div class="actions">
        <ButtonLink to={list} text="Back to posts" />
      </div>
    </>,
    { tab: 'Content', title },
  )
})

selection.post(UNDO, async (c) => {
  const undone = await undo(c, 'posts', POST)
  if (!undone) return redirectInSite(c, addQuery(listOf(c), { done: 'undo' }))
  const { change, changed, of } = undone
  const result = { ...NOTHING, undoable: undoableOf(change, changed) }
  return doneList(c, change, result, { stayed: of - changed.length, of })
})

// Reloading a result page sends a GET.
for (const path of [SELECTION, UNDO]) selection.get(path, (c) => redirectInSite(c, listOf(c)))

const NOTHING: Result = { undoable: null, already: 0, refused: [] }

const countOf = (undoable: Undoable | null) => undoable?.count ?? 0

function listOf(c: Http): string {
  return LIST + new URL(c.req.url).search
}

async function doneList(
  c: Http,
  change: SelectionChange,
  { undoable, already, unsent, unscheduled }: Result,
  undone = {},
) {
  const counts = {
    changed: countOf(undoable),
    already,
    ...undone,
    unsent: unsent ? 1 : null,
    unscheduled: unscheduled || null,
    [UNDOABLE]: undoable && (await signUndoable(c, 'posts', undoable)),
  }
  return redirectInSite(c, addQuery(listOf(c), { done: change, ...counts }))
}
