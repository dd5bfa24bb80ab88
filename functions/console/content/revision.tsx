/** An edit of a post or guide: the difference in each field, and a way back. */
import type { Kind } from '../../../src/content/articles/kind.ts'
import { type Revision, readRevision } from '../../../src/content/articles/revisions.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { MAX_REVISIONS } from '../../../src/core/limits.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { whoOf } from '../audit-log/sentence.ts'
import type { Part } from '../forms/difference.ts'
import { compareTexts, Differences } from '../forms/differences.tsx'
import { addQuery, itemPath } from '../parent-list.ts'
import { labelOf } from '../parts/fields/field-labels.ts'
import { PageHeading } from '../parts/heading.tsx'
import { EmptyState } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { KINDS } from './article.tsx'
import { EDITABLES } from './edit/controls.ts'
import { toValues } from './edit/edit-values.ts'

/** The query parameter of the edit form that fills in the version before this edit. */
export const BEFORE = 'before'

export const revisionPath = (kind: ArticleKind, slug: string, at: Date | string) =>
  `${itemPath(kind, slug)}/history/${+new Date(at)}`

export function revisions(kind: ArticleKind, article: Kind) {
  const app = createApp()
  app.get(`/content/${kind}/:slug/history/:at{\\d{1,14}}`, async (c) => {
    const { slug, at } = c.req.param()
    const revision = await readRevision(c.get('ctx'), c.get('site'), article, slug, new Date(Number(at)))
    if (!revision) return notKeptPage(c, kind, slug)
    const title = `Changes to ${revision.title}`
    return c.render(
      <>
        <PageHeading
          title={title}
          lead={
            <>
              {revision.author && <bdi>{whoOf(revision.author)}</bdi>}
              {revision.author && ', '}
              <Time at={revision.at} isRelative />
            </>
          }
          action={
            <ButtonLink
              needs="editor"
              to={addQuery(`${itemPath(kind, slug)}/edit`, { [BEFORE]: at })}
              text="Restore the version before this"
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
          <h2>{labelOf(name)}</h2>
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

/** In the order of the form, then the fields that it has no control for, as JSON. */
function differencesIn(kind: ArticleKind, { before, after }: Revision) {
  const controls = EDITABLES[kind].filter(({ field }) => Object.hasOwn(before, field))
  const edited = controls.map(({ name, control }) => {
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

const toJson = (value: unknown) =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2)
