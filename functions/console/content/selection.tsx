/** Publishing, unpublishing and marking ready of the posts that are selected in their list. */

import type { Child } from 'hono/jsx'
import { setArticleStatuses } from '../../../src/content/articles/states.ts'
import { POST } from '../../../src/content/posts/post.ts'
import { markPostsReady } from '../../../src/content/posts/readiness.ts'
import { AppError, type ErrorCode } from '../../../src/foundation/errors.ts'
import { MAX_ARTICLES } from '../../../src/foundation/limits.ts'
import { parseSlug } from '../../../src/foundation/slug.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { toErrorResponse } from '../../http/errors.ts'
import { readAll, readForm } from '../form.ts'
import { itemPath } from '../parent-list.ts'
import { PageHeading } from '../parts/heading.tsx'
import { useAllowed } from '../parts/needs.tsx'
import { Notice } from '../parts/notice.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { DelayedNotice, Success } from '../parts/success.tsx'
import { redirectInSite, useSitePath } from '../site.ts'
import { KINDS } from './article.tsx'

const SELECTION = '/content/selection'
const { list: LIST } = KINDS.posts

type Result = {
  changed: number
  /** Were in that state before. */
  already: number
  refused: { slug: string; code: ErrorCode }[]
  /** No event was made of those marked ready, since no webhook is set. */
  unsent?: boolean
}

const CHANGES = {
  publish: {
    done: 'published',
    apply: (c: Http, slugs: string[]) => setStatus(c, slugs, 'published'),
  },
  unpublish: {
    done: 'unpublished',
    apply: (c: Http, slugs: string[]) => setStatus(c, slugs, 'draft'),
  },
  ready: { done: 'marked ready', apply: markReady },
}

type Change = keyof typeof CHANGES

const isChange = (name: string | undefined): name is Change => Object.hasOwn(CHANGES, name ?? '')

async function setStatus(c: Http, slugs: string[], status: 'draft' | 'published'): Promise<Result> {
  const posts = await setArticleStatuses(c.get('ctx'), POST, c.get('site'), slugs, status)
  const changed = posts.filter((post) => post.changed).length
  return { changed, already: posts.length - changed, refused: [] }
}

async function markReady(c: Http, slugs: string[]): Promise<Result> {
  const posts = await markPostsReady(c.get('ctx'), c.get('site'), slugs)
  const ready = posts.flatMap((post) => ('refusal' in post ? [] : post))
  const changed = ready.filter((post) => !post.alreadyReady)
  return {
    changed: changed.length,
    already: ready.length - changed.length,
    refused: posts.flatMap((post) => ('refusal' in post ? { slug: post.slug, code: post.refusal } : [])),
    unsent: changed.length > 0 && changed.every(({ eventId }) => eventId === null),
  }
}

export const selection = createApp()

selection.post(SELECTION, async (c) => {
  const { change } = await readForm(c)
  if (!isChange(change))
    throw new AppError('invalid_body', { path: 'change', message: 'must be publish, unpublish or ready' })
  const slugs = [...new Set((await readAll(c, 'slug')).map((slug) => slug.normalize('NFC')))]
  if (slugs.length > MAX_ARTICLES)
    throw new AppError('invalid_body', { path: 'slug', message: `must be at most ${MAX_ARTICLES}` })
  const valid = slugs.flatMap((slug) => parseSlug(slug) ?? [])
  const result = valid.length > 0 ? await CHANGES[change].apply(c, valid) : NOTHING
  const { changed, already, refused, unsent } = result
  const gone = slugs.length - changed - already - refused.length
  // The list as it was.
  const query = new URL(c.req.url).searchParams
  if (refused.length === 0 && gone === 0) {
    const counts = { changed: String(changed), already: String(already), ...(unsent && { unsent: '1' }) }
    for (const [name, value] of Object.entries({ done: change, ...counts })) query.set(name, value)
    return redirectInSite(c, `${LIST}?${query}`)
  }
  const title = `${changed + already > 0 ? 'Not all' : 'None'} are ${CHANGES[change].done}`
  return c.render(
    <>
      <PageHeading title={title} />
      <DelayedNotice />
      <p>{describe(change, result)}</p>
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
        <ButtonLink to={`${LIST}?${query}`} text="Back to the posts" />
      </div>
    </>,
    { tab: 'Content', title },
  )
})

// The page of an answer, opened again.
selection.get(SELECTION, (c) => redirectInSite(c, `${LIST}${new URL(c.req.url).search}`))

const NOTHING: Result = { changed: 0, already: 0, refused: [] }

/** What was done, for the list that the form leads back to. */
export function SelectionNotice({ c }: { c: Http }) {
  const { done, changed, already, unsent } = c.req.query()
  if (!isChange(done)) return null
  const count = (text: string | undefined) => Number(/^\d{1,3}$/.exec(text ?? '')?.[0] ?? 0)
  const result = { ...NOTHING, changed: count(changed), already: count(already), unsent: unsent === '1' }
  const words = describe(done, result)
  if (result.changed > 0) return <Success>{words}</Success>
  return <Notice tone="info">{result.already > 0 ? words : 'No posts were selected.'}</Notice>
}

/** `3 posts published. 1 post was already published.` */
function describe(change: Change, { changed, already, unsent }: Result): string {
  const sentences = [
    `${formatQuantity(changed, 'post')} ${CHANGES[change].done}.`,
    already > 0 &&
      `${formatQuantity(already, 'post')} ${already === 1 ? 'was' : 'were'} already ${CHANGES[change].done}.`,
    unsent && 'No webhook is set, so nothing is sent.',
  ]
  return sentences.filter(Boolean).join(' ')
}

/** The rows of a list that can be selected, and a bar with what can be done with them. `query` is of the list. */
export function SelectionForm({ query, children }: { query: string; children: Child }) {
  const path = useSitePath()
  if (!useAllowed('editor')) return <>{children}</>
  return (
    <form method="post" action={path(`${SELECTION}${query}`)} class="selection">
      {/* What Enter in a checkbox would press. */}
      <button type="submit" disabled hidden />
      <label class="select-all" hidden>
        <input type="checkbox" data-select="slug" />
        Select all on this page
      </label>
      {children}
      <div class="selected">
        <p class="muted" data-selected role="status">
          Selected:
        </p>
        <button type="submit" name="change" value="publish" class="button">
          Publish
        </button>
        <button type="submit" name="change" value="unpublish" class="button">
          Unpublish
        </button>
        <button type="submit" name="change" value="ready" class="button">
          Mark ready
        </button>
      </div>
    </form>
  )
}

export function SelectionBox({ slug, title }: { slug: string; title: string }) {
  if (!useAllowed('editor')) return null
  return <input type="checkbox" class="select" name="slug" value={slug} aria-label={`Select ${title}`} />
}
