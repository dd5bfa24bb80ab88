/** An edit of a post or guide: the difference in each field, and a way back. */
import { type Revision, readRevision } from '../../../src/content/articles/revisions.ts'
import { deriveTextAgain } from '../../../src/content/articles/text.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { deriveAgain } from '../../../src/content/posts/derive.ts'
import type { PostInput } from '../../../src/content/posts/post.ts'
import { MAX_REVISIONS } from '../../../src/core/limits.ts'
import { createApp, type Http } from '../../http/env.ts'
import { editedFields, fieldInSentence, whoOf } from '../audit-log/sentence.ts'
import type { Part } from '../forms/difference.ts'
import { compareTexts, Differences } from '../forms/differences.tsx'
import { addQuery, itemPath } from '../parent-list.ts'
import { labelOf } from '../parts/fields/field-labels.ts'
import { EmptyState, PageHeading } from '../parts/page.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { KINDS } from './article.tsx'
import { EDITABLES } from './edit/controls.ts'
import { toValues } from './edit/edit-values.ts'
import { listNames } from './edit/html-problems.tsx'

/** The query parameter of the edit form that fills in the version before this edit. */
const BEFORE = 'before'

export const revisionPath = (kind: ArticleKind, slug: string, at: Date | string) =>
  `${itemPath(kind, slug)}/history/${+new Date(at)}`

export function revisions(kind: ArticleKind) {
  const app = createApp()
  app.get(`/content/${kind}/:slug/history/:at{\\d{1,14}}`, async (c) => {
    const { slug, at } = c.req.param()
    const { article } = KINDS[kind]
    const revision = await readRevision(c.get('ctx'), c.get('site'), article, slug, new Date(Number(at)))
    if (!revision) return notKeptPage(c, kind, slug)
    const changed = Object.keys(article.fields).filter((name) => Object.hasOwn(revision.before, name))
    const title = describeEdit(changed.join(', '))
    return c.render(
      <>
        <PageHeading
          title={title}
          lead={<When {...revision} />}
          action={
            <ButtonLink
              needs="editor"
              to={addQuery(`${itemPath(kind, slug)}/edit`, { [BEFORE]: at })}
              text="Restore previous version"
            />
          }
        />
        <FieldDifferences kind={kind} revision={revision} />
      </>,
      { tab: 'Content', title },
    )
  })
  return app
}

const MAX_FIELDS_NAMED = 3

/** `Updated: title`, or `Updated 6 fields`. */
export function describeEdit(changed: string): string {
  const fields = editedFields(changed)
  if (fields.length > MAX_FIELDS_NAMED) return `Updated ${fields.length} fields`
  return fields.length > 0 ? `Updated: ${fields.map(fieldInSentence).join(', ')}` : 'Updated'
}

function When({ author, at }: Pick<Revision, 'author' | 'at'>) {
  return (
    <>
      {author && (
        <>
          <bdi>{whoOf(author)}</bdi>,{' '}
        </>
      )}
      <Time at={at} />
    </>
  )
}

/** The edit that the form is to undo, if it is kept. */
export async function readReplaced(c: Http, kind: ArticleKind, slug: string): Promise<Revision | null> {
  const before = c.req.query(BEFORE) ?? ''
  if (!/^\d{1,14}$/.test(before)) return null
  return readRevision(c.get('ctx'), c.get('site'), KINDS[kind].article, slug, new Date(Number(before)))
}

type RestoreNoticeProps = { kind: ArticleKind; revision: Revision; current: Record<string, unknown> }

export function RestoreNotice({ kind, revision, current }: RestoreNoticeProps) {
  const { old } = revision
  const kept = Object.keys(old).filter(
    (name) =>
      EDITABLES[kind].every(({ field }) => field !== name) &&
      JSON.stringify(old[name]) !== JSON.stringify(current[name]),
  )
  return (
    <>
      The version before this edit: <When {...revision} />. Nothing is restored yet.
      {kept.length > 0 && ` This form cannot restore: ${listNames(kept.map(labelOf))}.`}
    </>
  )
}

function notKeptPage(c: Http, kind: ArticleKind, slug: string) {
  c.status(404)
  return c.render(
    <EmptyState title="Changes not kept">
      <p>We keep the texts of the latest {MAX_REVISIONS} edits, and fewer if they are large.</p>
      <ButtonLink to={itemPath(kind, slug)} text={`Back to the ${KINDS[kind].noun}`} />
    </EmptyState>,
    { tab: 'Content', title: 'Changes not kept' },
  )
}

export function FieldDifferences({ kind, revision }: { kind: ArticleKind; revision: Revision }) {
  return (
    <>
      {differencesIn(kind, revision).map(({ name, old, now }) => (
        <div class="field-difference">
          <h2 class="hint">{labelOf(name)}</h2>
          <Differences parts={cut(compareTexts(old, now) ?? replaced(old, now))} />
        </div>
      ))}
    </>
  )
}

const replaced = (old: string, now: string): Part[] => [
  { in: 'theirs', text: old },
  { in: 'both', text: old && now && '\n' },
  { in: 'mine', text: now },
]

/** Keeps the page small, however long the texts are. */
const MAX_SHOWN = 50_000

function cut(parts: Part[]): Part[] {
  let left = MAX_SHOWN
  return parts.flatMap((part) => {
    if (left <= 0) return []
    const text = part.text.slice(0, left)
    left -= part.text.length
    return { ...part, text: left < 0 ? `${text}…` : text }
  })
}

/** In the order of the form, then the fields that it has no control for, as JSON. Leaves out texts that only followed the content. */
function differencesIn(kind: ArticleKind, { before, after, old }: Revision) {
  const controls = EDITABLES[kind].filter(({ field }) => Object.hasOwn(before, field))
  const [own, ownAfter] = [old, { ...old, ...after }].map((body) =>
    toValues(controls, deriveTexts(kind, body)),
  )
  const edited = controls
    .filter(({ name }) => own![name] !== ownAfter![name])
    .map(({ name, control }) => {
      const text = (body: typeof before) => {
        const value = toValues(controls, body)[name]!
        return control.options?.[value] ?? value
      }
      return { name, old: text(before), now: text(after) }
    })
  const others = Object.keys(before)
    .filter((field) => controls.every((control) => control.field !== field))
    .map((name) => ({ name, old: toJson(before[name]), now: toJson(after[name]) }))
  return [...edited, ...others].filter(({ old, now }) => old !== now)
}

const deriveTexts = (kind: ArticleKind, body: Revision['old']): Revision['old'] => ({
  ...body,
  ...(kind === 'posts' ? deriveAgain : deriveTextAgain)(body as PostInput, {}),
})

const toJson = (value: unknown) =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
