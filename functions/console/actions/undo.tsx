/**
 * Undo of a form that has changed articles. The page that it redirects to has their versions in its URL, links to them and offers
 * to undo the change. They are signed: a link made by somebody else would undo what they please.
 */
import type { Child } from 'hono/jsx'
import type { Kind } from '../../../src/content/articles/kind.ts'
import { setStatusesOfVersions, type UpdateRange } from '../../../src/content/articles/transitions.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { equalSecrets } from '../../../src/core/ids.ts'
import type { Http } from '../../http/env.ts'
import { readForm } from '../forms/form.ts'
import { PostButton } from '../parts/fields/form.tsx'
import { signatureOf } from './signed-notices.ts'

/** The word for each change once it is done, and the status that it sets. */
export const CHANGES = {
  publish: { done: 'published', status: 'published', opposite: 'unpublish' },
  unpublish: { done: 'unpublished', status: 'draft', opposite: 'publish' },
  ready: { done: 'marked ready' },
} as const

export type Change = keyof typeof CHANGES
export type StatusChange = Exclude<Change, 'ready'>

export const isChange = (name: string | undefined): name is Change => Object.hasOwn(CHANGES, name ?? '')

/** `count` articles have had these versions since. */
export type Undoable = { change: Change; count: number; versions: UpdateRange }

export const UNDOABLE = 'act'

/** The change that gave articles these versions. No others have them: they are given under the lock of the site. */
export function undoableOf(change: Change, changed: { updatedAt: string }[]): Undoable | null {
  if (changed.length === 0) return null
  const times = changed.map(({ updatedAt }) => updatedAt).toSorted()
  return { change, count: changed.length, versions: { from: times[0]!, to: times.at(-1)! } }
}

/** Null for what we have not signed for articles of this kind and site. */
export async function readUndoable(
  c: Http,
  kind: ArticleKind,
  text = c.req.query(UNDOABLE),
): Promise<Undoable | null> {
  const [change, from, to, count] = text?.split('.') ?? []
  if (!text || !isChange(change)) return null
  const undoable = { change, count: Number(count), versions: { from: instant(from), to: instant(to) } }
  return (await equalSecrets(text, await signUndoable(c, kind, undoable))) ? undoable : null
}

export async function signUndoable(
  c: Http,
  kind: ArticleKind,
  { change, count, versions }: Undoable,
): Promise<string> {
  const text = [change, Date.parse(versions.from), Date.parse(versions.to), count].join('.')
  return `${text}.${await signatureOf(c, `${c.get('site').id}.${kind}.${text}`)}`
}

const instant = (ms: string | undefined) =>
  new Date(/^\d{1,14}$/.test(ms ?? '') ? Number(ms) : 0).toISOString()

/** Undoes the posted change, for the articles that nobody has changed since. Null for one that cannot be undone. */
export async function undo(c: Http, kind: ArticleKind, article: Kind) {
  const form = await readForm(c)
  requireRole(c.get('ctx'), 'editor')
  const undoable = await readUndoable(c, kind, form[UNDOABLE] ?? '')
  if (!undoable || undoable.change === 'ready') return null
  const change = CHANGES[undoable.change].opposite
  const { status } = CHANGES[change]
  const changed = await setStatusesOfVersions(c.get('ctx'), article, c.get('site'), undoable.versions, status)
  return { change, changed, of: undoable.count }
}

/** The notice, with buttons beside it. It takes the focus, which the form had. */
export function Outcome({ children, beside }: { children: Child; beside?: Child }) {
  return (
    <div class="outcome" tabindex={-1} autofocus>
      {children}
      {beside && <div class="actions">{beside}</div>}
    </div>
  )
}

/** `action` is a page of the site. */
export function UndoButton({ action, undoable }: { action: string; undoable: string }) {
  return (
    <PostButton needs="editor" action={action} name={UNDOABLE} value={undoable}>
      Undo
    </PostButton>
  )
}
