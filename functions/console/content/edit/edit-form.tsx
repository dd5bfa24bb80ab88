import type { Child } from 'hono/jsx'
import type { StoredArticle } from '../../../../src/content/articles/edit.ts'
import type { ArticleInput } from '../../../../src/content/articles/kind.ts'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { MAX_BODY_BYTES } from '../../../../src/core/limits.ts'
import { type Errors, fieldsOf, type Values } from '../../forms/form.ts'
import { toLines } from '../../forms/three-way-merge.ts'
import { itemPath } from '../../parent-list.ts'
import { SelectField, TextAreaField, TextField } from '../../parts/fields/field.tsx'
import { OriginalValues } from '../../parts/fields/form.tsx'
import { oneLine } from '../../parts/one-line.ts'
import { ErrorSummary, Notice, Section } from '../../parts/page.tsx'
import { ButtonLink } from '../../parts/site-link.tsx'
import { Time } from '../../parts/time.tsx'
import { useSitePath } from '../../site.ts'
import { KINDS } from '../article.tsx'
import { ContentField } from './content-field.tsx'
import { type Control, type Editable, NEW_SLUG } from './controls.ts'

/** Folded, because they are rarely needed. */
const FOLDED = {
  place: 'Address and language',
  quality: 'Quality',
  seo: 'SEO',
} as const

/** The warnings that its button confirms. */
const CONFIRMED = 'confirmed'

/** Text that is edited after the question may need another one. */
export function isEachConfirmed(warnings: string[], { [CONFIRMED]: confirmed = '' }: Values): boolean {
  const lines = toLines(confirmed).split('\n')
  return warnings.every((warning) => lines.includes(warning))
}

type EditFormProps = {
  kind: ArticleKind
  /** Empty for a new one. */
  slug: string
  title: string
  editables: Editable[]
  /** Null if it is new or was deleted. */
  stored: StoredArticle<ArticleInput & { status?: string | undefined }> | null
  values: Values
  errors: Errors
  /** Reasons to ask before saving. */
  warnings: string[]
  notice: Child
  verb: string | undefined
  /** Parts of the content that its format cannot keep. */
  lost: string[]
  /** True if the form differs from what is stored. */
  isTyped: boolean
}

export function EditForm({ kind, slug, title, editables, stored, values, errors, ...state }: EditFormProps) {
  const { warnings, notice, verb = 'Save', lost, isTyped } = state
  const path = useSitePath()
  const isNew = slug === ''
  const hasErrors = Object.keys(errors).length > 0
  const page = itemPath(kind, slug || 'new')
  const action = path(isNew ? KINDS[kind].create : `${page}/edit`)
  const inSection = (section: Control['section']) =>
    editables.filter(({ control }) => control.section === section)
  const fields = fieldsOf(values, errors)
  const control = (editable: Editable) => (
    <EditField
      {...editable}
      {...(isNew && editable.name === 'slug' && { control: NEW_SLUG })}
      {...fields(editable.name)}
      placeholder={`Title of the ${KINDS[kind].noun}`}
      {...(isNew && !hasErrors && { autofocus: true })}
    />
  )
  return (
    <>
      <h1 class="visually-hidden">{oneLine(title)}</h1>
      <ErrorSummary errors={errors} />
      {warnings.length > 0 && (
        <Notice tone="warning">
          <p>Nothing is saved yet.</p>
          {warnings.map((warning) => (
            <p>{warning}</p>
          ))}
        </Notice>
      )}
      {notice && <Notice tone="info">{notice}</Notice>}
      {stored && <Consequences {...stored} />}
      <form
        method="post"
        action={action}
        enctype="multipart/form-data"
        class="fields edit"
        data-guard={isTyped ? 'typed' : 'opened'}
        data-max-bytes={MAX_BODY_BYTES}
      >
        <OriginalValues values={values} />
        {/* Enter presses the first button of a form, so this one comes first. */}
        <div class="row edit-bar">
          {inSection('title').map(control)}
          <div class="actions">
            {warnings.length > 0 ? (
              <button
                type="submit"
                class="button primary"
                name={CONFIRMED}
                value={warnings.join('\n')}
                data-busy="Saving…"
              >
                Save anyway
              </button>
            ) : (
              <button type="submit" class="button primary" data-busy="Saving…">
                {verb}
                {stored?.article.status === 'published' && ' and publish'}
              </button>
            )}
            <ButtonLink to={isNew ? KINDS[kind].list : page} text="Cancel" />
            <a class="button quiet" href="#edit-metadata">
              Metadata
            </a>
            <p class="muted" role="status" data-saved />
          </div>
        </div>
        <ContentField {...{ action, values, lost, errors }} preview={path(`${page}/preview`)} isNew={isNew} />
        <div class="edit-more">
          <Section id="edit-metadata" title="Metadata">
            {inSection('metadata').map(control)}
          </Section>
          <div class="folds">
            {(Object.keys(FOLDED) as (keyof typeof FOLDED)[]).map((section) => (
              <Folded {...{ values, errors }} title={FOLDED[section]} editables={inSection(section)}>
                {inSection(section).map(control)}
              </Folded>
            ))}
          </div>
        </div>
      </form>
    </>
  )
}

type FoldedProps = Pick<EditFormProps, 'editables' | 'values' | 'errors'> & { title: string; children: Child }

/** The summary has the values, or the labels if all are empty. The script keeps it up to date. */
function Folded({ title, editables, values, errors, children }: FoldedProps) {
  if (editables.length === 0) return null
  const filled = editables.flatMap(({ name, control }) => {
    const value = values[name]
    const gap = control.kind === 'text' ? ' ' : ', '
    return value ? [control.options?.[value] ?? toLines(value).replace(/\n+/g, gap)] : []
  })
  const labels = editables.map(({ control }) => control.label).join(', ')
  return (
    <details open={editables.some(({ name }) => errors[name])}>
      <summary>
        {title}&ensp;
        <span class="muted" data-labels={labels}>
          {filled.join(' · ') || labels}
        </span>
      </summary>
      {children}
    </details>
  )
}

function Consequences({ readyAt = null, publishAt = null }: NonNullable<EditFormProps['stored']>) {
  if (!readyAt && !publishAt) return null
  return (
    <Notice tone="warning">
      {readyAt && 'This draft is marked ready. If you save changes, you have to mark it ready again. '}
      {publishAt && (
        <>
          It is scheduled for <Time at={publishAt} />. Saving changes cancels the schedule.
        </>
      )}
    </Notice>
  )
}

type EditFieldProps = Editable &
  ReturnType<ReturnType<typeof fieldsOf>> & { placeholder: string; autofocus?: boolean }

function EditField({ name, control, value, error, ...title }: EditFieldProps) {
  const { label, kind, hint, options = {}, required } = control
  const common = { name, label, error, value, required, ...(hint && !error && { hint }) }
  switch (kind) {
    case 'choice':
      return <SelectField {...common} options={[['', 'None'], ...Object.entries(options)]} />
    case 'line':
      // A long title takes several lines.
      return name === 'title' ? (
        <TextAreaField {...common} {...title} rows={1} spellcheck />
      ) : (
        <TextField {...common} />
      )
    default:
      return (
        <TextAreaField
          {...common}
          rows={kind === 'text' ? 3 : 2}
          placeholder={kind === 'list' ? 'One per line' : undefined}
          spellcheck={kind === 'text'}
        />
      )
  }
}
