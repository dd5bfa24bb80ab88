/**
 * Undo for changed articles. The redirect has their versions in its URL, signed: otherwise anyone could make a link that undoes any
 * change.
 */
import type { Kind } from '../../../src/content/articles/kind.ts'
import { setStatusesOfVersions, type UpdateRange } from '../../../src/content/articles/transitions.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { equalSecrets } from '../../../src/core/ids.ts'
import type { Http } from '../../http/env.ts'
import { readForm } from '../forms/form.ts'
import { PostButton } from '../parts/fields/form.tsx'
import { signatureOf } from './signed-notices.ts'

export const CHANGES = {
  publish: { done: 'published', status: 'published', opposite: 'unpublish' },
  unpublish: { done: 'unpublished', status: 'draft', opposite: 'publish' },
  ready: { done: 'marked ready' },
} as const

export type SelectionChange = keyof typeof CHANGES
export type StatusChange = Exclude<SelectionChange, 'ready'>

export const isChange = (name: string | undefined): name is SelectionChange =>
  Object.hasOwn(CHANGES, name ?? '')

/** A change to `count` articles, identified by the versions that it gave them. `unscheduled` is the time of a schedule that it cancelled. */
export type Undoable = {
  change: SelectionChange
  count: number
  versions: UpdateRange
  unscheduled?: string | undefined
}

/** It stays in the address when its notice is gone, so that undo survives a reload. */
export const UNDOABLE = 'undo'
const OFFERED_MS = 15 * 60_000

/** For a page that was loaded again: a status change that people may still want to undo. */
export const isRecent = (undoable: Undoable | null): undoable is Undoable & { change: StatusChange } =>
  undoable !== null &&
  undoable.change !== 'ready' &&
  Date.now() - Date.parse(undoable.versions.to) < OFFERED_MS

/** The versions are unique to this change, because they are assigned under the site's lock. */
export function undoableOf(
  change: SelectionChange,
  changed: { updatedAt: string }[],
  unscheduled?: string,
): Undoable | null {
  if (changed.length === 0) return null
  const times = changed.map(({ updatedAt }) => updatedAt).toSorted()
  return { change, count: changed.length, versions: { from: times[0]!, to: times.at(-1)! }, unscheduled }
}

/** @returns null unless we signed it for this kind and site */
export async function readUndoable(
  c: Http,
  kind: ArticleKind,
  text = c.req.query(UNDOABLE),
): Promise<Undoable | null> {
  const [change, from, to, count, unscheduled] = text?.split('.') ?? []
  if (!text || !isChange(change)) return null
  const undoable = {
    change,
    count: Number(count),
    versions: { from: instant(from), to: instant(to) },
    unscheduled: unscheduled ? instant(unscheduled) : undefined,
  }
  return (await equalSecrets(text, await signUndoable(c, kind, undoable))) ? undoable : null
}

export async function signUndoable(
  c: Http,
  kind: ArticleKind,
  { change, count, versions, unscheduled }: Undoable,
): Promise<string> {
  const [from, to] = [Date.parse(versions.from), Date.parse(versions.to)]
  const text = [change, from, to, count, unscheduled && Date.parse(unscheduled)].join('.')
  return `${text}.${await signatureOf(c, `${c.get('site').id}.${kind}.${text}`)}`
}

const instant = (ms: string | undefined) =>
  new Date(/^\d{1,14}$/.test(ms ?? '') ? Number(ms) : 0).toISOString()

/** Undoes the posted change of articles that nobody has changed since. @returns null if it cannot be undone */
export async function undo(c: Http, kind: ArticleKind, article: Kind) {
  const form = await readForm(c)
  requireRole(c.get('ctx'), 'editor')
  const undoable = await readUndoable(c, kind, form[UNDOABLE] ?? '')
  if (!undoable || undoable.change === 'ready') return null
  const change = CHANGES[undoable.change].opposite
  const { status } = CHANGES[change]
  const changed = await setStatusesOfVersions(c.get('ctx'), article, c.get('site'), undoable.versions, status)
  return { change, changed, of: undoable.count, unscheduled: undoable.unscheduled }
}

type UndoButtonProps = { action: string; undoable: string; class?: string }

export function UndoButton({ undoable, ...button }: UndoButtonProps) {
  return (
    <PostButton needs="editor" {...button} name={UNDOABLE} value={undoable}>
      Undo
    </PostButton>
  )
}
