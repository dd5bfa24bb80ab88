import type * as z from 'zod/mini'
import { createArticle } from '../../../../src/content/articles/create.ts'
import {
  type ArticleEditing,
  editArticle,
  readStored,
  type StoredArticle,
} from '../../../../src/content/articles/edit.ts'
import type { ArticleInput } from '../../../../src/content/articles/kind.ts'
import { readRevision } from '../../../../src/content/articles/revisions.ts'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { guideUrl, postUrl } from '../../../../src/content/model/urls.ts'
import { requireRole } from '../../../../src/core/actor.ts'
import { AppError } from '../../../../src/core/errors.ts'
import { createApp } from '../../../http/create-app.ts'
import type { Http } from '../../../http/env.ts'
import { redirectDone } from '../../actions/done.tsx'
import { assetUrls } from '../../assets.ts'
import { conflictPage } from '../../forms/conflict.tsx'
import { type Errors, readForm, submitFields } from '../../forms/form.ts'
import { findLastSave } from '../../forms/last-save.ts'
import {
  changedOnly,
  isOriginal,
  ORIGINAL_VALUES,
  saveMerged,
  serializeOriginal,
  toLines,
  type Values,
} from '../../forms/three-way-merge.ts'
import { itemPath } from '../../parent-list.ts'
import { labelOf } from '../../parts/fields/field-labels.ts'
import { redirectInSite } from '../../site.ts'
import { KINDS } from '../article.tsx'
import { blank, isNew, newPath, withRequired } from '../new-article.tsx'
import { previewPage } from '../preview.tsx'
import { BEFORE } from '../revision.tsx'
import { type Control, EDITABLES } from './controls.ts'
import { EditForm, isEachConfirmed, saveText } from './edit-form.tsx'
import { placeIn, toEdit, toValues } from './edit-values.ts'
import { lastFormat, noteFormat } from './format.ts'
import { contentWarnings, HtmlProblems, leavesOut, listNames } from './html-problems.tsx'
import { asMarkdown, editedBlocks, lostIn, MARKDOWN, withHtml, withMarkdown } from './markdown.ts'

/** Shows the form exactly as posted: text that the script has kept. */
const AS_TYPED = 'typed'

/** The controls with more than one line. */
const TEXTS = new Set<Control['kind']>(['text', 'html', 'list', 'people'])

type Body = Record<string, unknown>
type Schema = z.ZodMiniObject<z.core.$ZodLooseShape>

export function articleEdit<Input extends ArticleInput>(
  kind: ArticleKind,
  editing: ArticleEditing<Input>,
  schema: Schema,
) {
  const path = `/content/${kind}/:slug` as const
  const paths = [`${path}/edit`, newPath(kind)]
  const { noun } = KINDS[kind]
  const editables = EDITABLES[kind]
  const app = createApp()

  async function read(c: Http) {
    const slug = c.req.param('slug')
    return slug ? readStored<Input>(c.get('ctx'), editing.kind, c.get('site'), slug) : blank<Input>()
  }

  app.on('GET', paths, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const stored = await read(c)
    const old = await readOld(c, stored)
    const current = toValues(editables, stored.article)
    const values = old
      ? { ...toValues(editables, old), [ORIGINAL_VALUES]: serializeOriginal(current) }
      : current
    const notice = old && restoreNotice(stored.article, old)
    if (!c.req.query('as') && lastFormat(c) === 'markdown') {
      const kept = await withMarkdown(values).catch(() => null)
      if (kept?.lost.length === 0) return editPage(c, { stored, errors: {}, notice, ...kept })
    }
    return showAs(c, stored, values, notice).catch((error) => showRefusal(c, error, stored, values))
  })

  /** The version that the form asks to restore. */
  async function readOld(c: Http, { article }: StoredArticle<Input>): Promise<Body | null> {
    const before = c.req.query(BEFORE) ?? ''
    if (!/^\d{1,14}$/.test(before)) return null
    const at = new Date(Number(before))
    const revision = await readRevision(c.get('ctx'), c.get('site'), editing.kind, article.slug, at)
    return revision?.old ?? null
  }

  function restoreNotice(current: Body & { status?: string }, old: Body): string {
    const kept = Object.keys(old).filter(
      (name) =>
        editables.every(({ field }) => field !== name) &&
        JSON.stringify(old[name]) !== JSON.stringify(current[name]),
    )
    const unrestored = kept.length > 0 ? ` This form cannot restore: ${listNames(kept.map(labelOf))}.` : ''
    return `This is an older version. ${saveText(current)} to restore it.${unrestored}`
  }

  app.on('POST', paths, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const { stay, ...typed } = await readForm(c)
    let stored: StoredArticle<Input> | null = null
    try {
      stored = await read(c)
      const as = c.req.query('as')
      if (as === AS_TYPED) return editPage(c, { stored, values: typed, errors: {} })
      if (as) {
        noteFormat(c, as === 'markdown' ? 'markdown' : 'html')
        return await showAs(c, stored, typed)
      }
      const { values, lost } = await withHtml(typed)
      const warnings = warningsOf(stored, values, lost)
      if (!isEachConfirmed(warnings, typed)) {
        c.status(400)
        const leftOut = warnings.length === 1 ? lost : []
        return editPage(c, { stored, values: typed, errors: {}, warnings, leftOut })
      }
      if (
        MARKDOWN in typed &&
        values.contentHtml !== typed.contentHtml &&
        !isOriginal(values, 'contentHtml', String(stored.article.contentHtml))
      )
        values.contentHtml = await editedBlocks(typed, values.contentHtml ?? '')
      let isMerged = false
      let savedBy: string | undefined
      const { result, errors, conflicts } = await saveMerged({
        values,
        texts: editables.filter(({ control }) => TEXTS.has(control.kind)).map(({ name }) => name),
        known: stored,
        read: async () => {
          stored = await read(c)
          return stored
        },
        toValues: ({ article }) => toValues(editables, article),
        write: async (current, merged) => {
          isMerged = Object.keys(merged).length > 0
          // The editor would keep its own text as the merged one, so it saves again and leaves.
          if (isMerged && stay) throw new AppError('changed_meanwhile')
          if (isMerged) savedBy = (await findLastSave(c, { action: `${noun}.updated`, id: current.id }))?.who
          return save(c, current, { ...values, ...merged })
        },
      })
      if (conflicts) {
        const { id } = stored
        const page = itemPath(kind, c.req.param('slug')!)
        const choice = {
          conflicts: MARKDOWN in typed ? await asMarkdown(conflicts) : conflicts,
          values,
          cancel: page,
          textOf: optionText,
          saved: await findLastSave(c, { action: `${noun}.updated`, id }),
          editBoth: `${page}/edit?as=${MARKDOWN in typed ? 'markdown' : 'html'}`,
        }
        return conflictPage(c, { tab: 'Content', title: 'Changed by someone else' }, choice)
      }
      if (result && stay)
        return redirectInSite(
          c,
          `${itemPath(kind, result.slug)}/edit?as=${MARKDOWN in typed ? 'markdown' : 'html'}`,
        )
      if (result) {
        const saved = isMerged ? 'co-edited' : isNew(stored) ? 'created' : 'edited'
        const done = result.isChanged ? saved : 'unedited'
        const unscheduled = result.cancelledSchedule
        return redirectDone(c, itemPath(kind, result.slug), noun, done, { unscheduled, savedBy })
      }
      c.status(400)
      return editPage(c, { stored, values: typed, errors })
    } catch (error) {
      return showRefusal(c, error, stored, typed)
    }
  })

  /** Previews the typed text without saving it. */
  app.post(`${path}/preview`, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const site = c.get('site')
    const { values, lost } = await withHtml(await readForm(c))
    const { title = '', contentHtml = '', language: typed } = values
    const language = typed?.trim() || site.defaultLanguage
    const slug = c.req.param('slug')
    const url = kind === 'posts' ? postUrl(site, { slug, language }) : guideUrl(site, { slug })
    return previewPage(
      c,
      { title, contentHtml, language },
      { url, notice: <HtmlProblems html={contentHtml} leftOut={lost} /> },
    )
  })

  /** The form with the content in the requested format, and everything else as typed. */
  async function showAs(c: Http, stored: StoredArticle<Input>, typed: Values, notice?: string | null) {
    const asHtml = await withHtml(typed)
    const shown = c.req.query('as') === 'markdown' ? await withMarkdown(asHtml.values) : asHtml
    return editPage(c, { stored, errors: {}, notice, ...shown })
  }

  /** Asks only about content that this form changes. */
  function warningsOf({ article }: StoredArticle<Input>, { contentHtml }: Values, lost: string[]): string[] {
    if (contentHtml === undefined || toLines(contentHtml) === toLines(String(article.contentHtml))) return []
    const leftOut = lost.length > 0 ? [leavesOut(lost)] : []
    return [...leftOut, ...contentWarnings(contentHtml)]
  }

  function save(c: Http, stored: StoredArticle<Input>, values: Values) {
    const given = editables.filter(({ name }) => name in values).map(({ name }) => [name, values[name]!])
    const changed = changedOnly(values, Object.fromEntries(given) as Values) as Values
    const edit = toEdit(editables, stored.article, changed)
    return submitFields(
      schema,
      isNew(stored) ? withRequired(edit, values) : edit,
      (input) =>
        isNew(stored)
          ? createArticle(c.get('ctx'), editing, c.get('site'), input as Input)
          : editArticle(c.get('ctx'), editing, c.get('site'), stored, input as Partial<Input>),
      { placeOf: (issue) => placeIn(editables, issue) },
    )
  }

  function showRefusal(c: Http, error: unknown, stored: StoredArticle<Input> | null, values: Values) {
    const refused = error instanceof AppError ? refusalOf(error) : null
    if (!refused) throw error
    c.status(refused.status)
    return editPage(c, { stored, values, errors: refused.errors })
  }

  function refusalOf({ code, issues }: AppError): { status: 400 | 404 | 409; errors: Errors } | null {
    const [issue] = issues
    if (code === 'invalid_body' && issue) return { status: 400, errors: { [issue.path]: issue.message } }
    if (code === 'slug_taken') return { status: 409, errors: { slug: `is already used by another ${noun}` } }
    if (code === 'changed_meanwhile')
      return { status: 409, errors: { '': 'Someone else is saving at the same time. Try again' } }
    if (code !== editing.kind.missing) return null
    return {
      status: 404,
      errors: {
        '': `Someone deleted the ${noun} or changed its slug. Your input is below: copy what you need`,
      },
    }
  }

  function optionText(name: string, value: string) {
    const { options } = editables.find((editable) => editable.name === name)?.control ?? {}
    return options && (options[value] ?? 'None')
  }

  async function editPage(
    c: Http,
    { stored, values, errors, warnings = [], leftOut = [], lost, notice = null }: EditPage<Input>,
  ) {
    const { draft, edit, toolbar } = await assetUrls(c)
    const { slug = '' } = c.req.param() as { slug?: string }
    const title = isNew(stored) ? `New ${noun}` : `Edit ${stored?.article.title ?? slug}`
    const isRefused = Object.keys(errors).length + warnings.length > 0
    const { [ORIGINAL_VALUES]: original, [MARKDOWN]: _, ...fields } = values
    const shown = {
      values,
      errors,
      warnings,
      leftOut,
      notice,
      lost: lost ?? (MARKDOWN in values ? await lostIn(values) : []),
      isTyped: isRefused || (original !== undefined && Object.keys(changedOnly(values, fields)).length > 0),
    }
    return c.render(
      <>
        <EditForm kind={kind} slug={slug} title={title} editables={editables} stored={stored} {...shown} />
        <script src={draft} defer />
        <script src={toolbar} defer />
        <script src={edit} defer />
      </>,
      { tab: 'Content', title },
    )
  }

  return app
}

type EditPage<Input> = {
  stored: StoredArticle<Input> | null
  values: Values
  errors: Errors
  /** Reasons to ask before saving. */
  warnings?: string[]
  /** Parts that saving leaves out, if nothing else is asked. */
  leftOut?: string[]
  notice?: string | null | undefined
  /** Parts of the content that its format cannot keep. Worked out if omitted. */
  lost?: string[]
}
