/**
 * What a form has done to articles, in the URL of the page that it leads to, which links to them and offers to undo it. It is
 * signed: whoever is led to such a URL by others would undo what they please.
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

/** What each is called when it is done, and the status that it sets. */
export const CHANGES = {
  publish: { done: 'published', status: 'published', opposite: 'unpublish' },
  unpublish: { done: 'unpublished', status: 'draft', opposite: 'publish' },
  ready: { done: 'marked ready' },
} as const

export type Change = keyof typeof CHANGES
export type StatusChange = Exclude<Change, 'ready'>

export const isChange = (name: string | undefined): name is Change => Object.hasOwn(CHANGES, name ?? '')

/** `count` articles have had these versions since. */
export type Act = { change: Change; count: number; versions: UpdateRange }

export const ACT = 'act'

/** The act that gave articles these versions, which no others have: they are given under the lock of the site. */
export function actOf(change: Change, changed: { updatedAt: string }[]): Act | null {
  if (changed.length === 0) return null
  const times = changed.map(({ updatedAt }) => updatedAt).toSorted()
  return { change, count: changed.length, versions: { from: times[0]!, to: times.at(-1)! } }
}

/** Null for what we have not signed for articles of this kind and site. */
export async function readAct(c: Http, kind: ArticleKind, text = c.req.query(ACT)): Promise<Act | null> {
  const [change, from, to, count] = text?.split('.') ?? []
  if (!text || !isChange(change)) return null
  const act = { change, count: Number(count), versions: { from: instant(from), to: instant(to) } }
  return (await equalSecrets(text, await signAct(c, kind, act))) ? act : null
}

export async function signAct(c: Http, kind: ArticleKind, { change, count, versions }: Act): Promise<string> {
  const text = [change, Date.parse(versions.from), Date.parse(versions.to), count].join('.')
  return `${text}.${await signatureOf(c, `${c.get('site').id}.${kind}.${text}`)}`
}

const instant = (ms: string | undefined) =>
  new Date(/^\d{1,14}$/.test(ms ?? '') ? Number(ms) : 0).toISOString()

/** Undoes the act that was posted, for the articles that nobody has changed since. Null for one that cannot be undone. */
export async function undo(c: Http, kind: ArticleKind, article: Kind) {
  const form = await readForm(c)
  requireRole(c.get('ctx'), 'editor')
  const act = await readAct(c, kind, form[ACT] ?? '')
  if (!act || act.change === 'ready') return null
  const change = CHANGES[act.change].opposite
  const { status } = CHANGES[change]
  const changed = await setStatusesOfVersions(c.get('ctx'), article, c.get('site'), act.versions, status)
  return { change, changed, of: act.count }
}

/** What was done, and beside it what can be done about it. It has the focus, which the form had. */
export function Outcome({ children, beside }: { children: Child; beside?: Child }) {
  return (
    <div class="outcome" tabindex={-1} autofocus>
      {children}
      {beside && <div class="actions">{beside}</div>}
    </div>
  )
}

/** `action` is a page of the site. */
export function UndoButton({ action, act }: { action: string; act: string }) {
  return (
    <PostButton needs="editor" action={action} name={ACT} value={act}>
      Undo
    </PostButton>
  )
}
