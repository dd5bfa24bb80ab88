import { findDraftContents, findTitles } from '../../../../src/content/articles/browse.ts'
import { setArticleStatuses } from '../../../../src/content/articles/transitions.ts'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { parseSlug } from '../../../../src/content/model/slug.ts'
import { markPostsReady } from '../../../../src/content/posts/readiness.ts'
import { requireRole } from '../../../../src/core/actor.ts'
import { AppError, type ErrorCode } from '../../../../src/core/errors.ts'
import { createApp, type Http } from '../../../http/env.ts'
import { toErrorResponse } from '../../../http/errors.ts'
import { isConfirmed } from '../../actions/confirm.tsx'
import {
  CHANGES,
  isChange,
  type SelectionChange,
  type StatusChange,
  signUndoable,
  UNDOABLE,
  type Undoable,
  undo,
  undoableOf,
} from '../../actions/undo.tsx'
import { readForm, readSelected } from '../../forms/form.ts'
import { addQuery, itemPath } from '../../parent-list.ts'
import { oneLine } from '../../parts/one-line.ts'
import { Notice } from '../../parts/page.tsx'
import { formatQuantity } from '../../parts/quantity.ts'
import { SiteLink } from '../../parts/site-link.tsx'
import { redirectInSite } from '../../site.ts'
import { KINDS } from '../article.tsx'
import { articlesPage } from '../lists.tsx'
import { confirmPublishing, confirmUnpublishing } from './confirm-changes.tsx'
import { SELECTIONS } from './selection-form.tsx'
import { ChangedActions, describe, UNDOS } from './selection-notice.tsx'

type Result = {
  /** Null if nothing changed. */
  undoable: Undoable | null
  /** How many were in this state before. */
  already: number
  refused: { slug: string; code: ErrorCode }[]
  /** No webhook is set, so marking ready sends no event. */
  unsent?: boolean
  unscheduled?: number
}

const UNBLOCKED = { unlessChangesRequested: true }

async function setStatus(c: Http, kind: ArticleKind, change: StatusChange, slugs: string[]): Promise<Result> {
  const { ctx, site } = c.var
  const { status } = CHANGES[change]
  const updated = await setArticleStatuses(ctx, KINDS[kind].article, site, slugs, status, UNBLOCKED)
  const changed = updated.filter((article) => article.changed)
  const refused = updated.filter((article) => article.refused)
  return {
    undoable: undoableOf(change, changed),
    already: updated.length - changed.length - refused.length,
    refused: refused.map(({ slug }) => ({ slug, code: 'changes_requested' })),
    unscheduled: updated.filter(({ cancelledSchedule }) => cancelledSchedule).length,
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

for (const kind of ['posts', 'guides'] as const) {
  selection.post(SELECTIONS[kind], (c) => changeSelected(c, kind))
  selection.post(UNDOS[kind], (c) => undoChange(c, kind))
  // Reloading a result page sends a GET.
  for (const path of [SELECTIONS[kind], UNDOS[kind]])
    selection.get(path, (c) => redirectInSite(c, listOf(c, kind)))
}

async function changeSelected(c: Http, kind: ArticleKind) {
  const form = await readForm(c)
  const { change } = form
  requireRole(c.get('ctx'), 'editor')
  const isKnown = isChange(change) && (change !== 'ready' || kind === 'posts')
  if (!isKnown) {
    const message = `must be ${kind === 'posts' ? 'publish, unpublish or ready' : 'publish or unpublish'}`
    throw new AppError('invalid_body', { path: 'change', message })
  }
  const slugs = await readSelected(c, 'slug')
  const valid = slugs.flatMap((slug) => parseSlug(slug) ?? [])
  const list = listOf(c, kind)
  if (valid.length > 0 && !isConfirmed(form)) {
    const question = await askBefore(c, kind, change, slugs, valid)
    if (question) return question
  }
  const result = valid.length > 0 ? await applyChange(c, kind, change, valid) : NOTHING
  const { undoable, already, refused } = result
  const inOrder = refused.toSorted((a, b) => valid.indexOf(a.slug) - valid.indexOf(b.slug))
  const gone = slugs.length - countOf(undoable) - already - refused.length
  if (refused.length === 0 && gone === 0) return doneList(c, kind, change, result)
  const refusedSlugs = inOrder.map(({ slug }) => slug)
  const found =
    refused.length > 0 ? await findTitles(c.get('ctx'), KINDS[kind].article, c.get('site'), refusedSlugs) : []
  const titles = new Map(found.map(({ slug, title }) => [slug, title]))
  const signed = undoable && (await signUndoable(c, kind, undoable))
  const outcome = (
    <Notice
      tone="warning"
      isFocused
      action={
        undoable && signed && <ChangedActions kind={kind} undoable={undoable} text={signed} list={list} />
      }
    >
      <p>{describe(kind, change, { ...result, changed: countOf(undoable) })}</p>
      <ul class="points">
        {inOrder.map(({ slug, code }) => (
          <li>
            <SiteLink to={itemPath(kind, slug)}>
              <bdi>{oneLine(titles.get(slug) ?? slug)}</bdi>
            </SiteLink>
            : {toErrorResponse(new AppError(code), c).text}.
          </li>
        ))}
        {gone > 0 && <li>{formatQuantity(gone, `selected ${KINDS[kind].noun}`)} can no longer be found.</li>}
      </ul>
    </Notice>
  )
  return articlesPage(c, kind, outcome)
}

async function askBefore(
  c: Http,
  kind: ArticleKind,
  change: SelectionChange,
  slugs: string[],
  valid: string[],
) {
  const list = listOf(c, kind)
  const action = SELECTIONS[kind] + list.slice(KINDS[kind].list.length)
  if (change === 'publish') {
    const drafts = await findDraftContents(c.get('ctx'), KINDS[kind].article, c.get('site'), valid)
    return confirmPublishing(c, { kind, drafts, slugs: valid, action, list })
  }
  if (change === 'ready') return null
  const published = await findTitles(c.get('ctx'), KINDS[kind].article, c.get('site'), valid, 'published')
  const others = slugs.length - published.length
  return published.length > 0 ? confirmUnpublishing(c, { kind, published, others, action, list }) : null
}

function applyChange(c: Http, kind: ArticleKind, change: SelectionChange, slugs: string[]): Promise<Result> {
  return change === 'ready' ? markReady(c, slugs) : setStatus(c, kind, change, slugs)
}

async function undoChange(c: Http, kind: ArticleKind) {
  const undone = await undo(c, kind, KINDS[kind].article)
  if (!undone) return redirectInSite(c, addQuery(listOf(c, kind), { done: 'undo' }))
  const { change, changed, of } = undone
  const result = { ...NOTHING, undoable: undoableOf(change, changed) }
  return doneList(c, kind, change, result, { stayed: of - changed.length, of })
}

const NOTHING: Result = { undoable: null, already: 0, refused: [] }

const countOf = (undoable: Undoable | null) => undoable?.count ?? 0

function listOf(c: Http, kind: ArticleKind): string {
  return KINDS[kind].list + new URL(c.req.url).search
}

async function doneList(
  c: Http,
  kind: ArticleKind,
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
    [UNDOABLE]: undoable && (await signUndoable(c, kind, undoable)),
  }
  return redirectInSite(c, addQuery(listOf(c, kind), { done: change, ...counts }))
}
