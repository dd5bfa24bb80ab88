import type { Child } from 'hono/jsx'
import type * as z from 'zod/mini'
import { createArticle } from '../../../../src/content/articles/create.ts'
import {
  type ArticleEditing,
  editArticle,
  readStored,
  type StoredArticle,
} from '../../../../src/content/articles/edit.ts'
import type { ArticleInput } from '../../../../src/content/articles/kind.ts'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { suggestSlug } from '../../../../src/content/model/slug.ts'
import { requireRole } from '../../../../src/core/actor.ts'
import { AppError } from '../../../../src/core/errors.ts'
import { createApp, type Http } from '../../../http/env.ts'
import { redirectDone } from '../../actions/done.tsx'
import { assetUrls } from '../../assets.ts'
import { conflictPage, findLastSave } from '../../forms/conflict.tsx'
import { type Errors, readForm, submitFields, type Values } from '../../forms/form.ts'
import {
  changedOnly,
  isOriginal,
  ORIGINAL_VALUES,
  originalWith,
  saveMerged,
  serializeOriginal,
  toLines,
} from '../../forms/three-way-merge.ts'
import { itemPath } from '../../parent-list.ts'
import { labelOf } from '../../parts/fields/field-labels.ts'
import { redirectInSite } from '../../site.ts'
import { KINDS } from '../article.tsx'
import { RestoreNotice, readReplaced } from '../revision.tsx'
import { type Control, EDITABLES } from './controls.ts'
import { EditForm, isEachConfirmed } from './edit-form.tsx'
import { placeIn, toEdit, toNew, toValues } from './edit-values.ts'
import { type Format, lastFormat, noteFormat } from './format.ts'
import { contentWarnings, leavesOut } from './html-problems.tsx'
import { asMarkdown, editedBlocks, lostIn, MARKDOWN, withHtml, withMarkdown } from './markdown.ts'
import { refusalOf } from './refusal.ts'

/** Shows the form exactly as posted: text that the script has kept. */
const AS_TYPED = 'typed'

/** The controls with more than one line. */
const TEXTS = new Set<Control['kind']>(['text', 'html', 'list', 'people'])

type States = { status?: string | undefined; publishedAt?: unknown }
type Schema = z.ZodMiniObject<z.core.$ZodLooseShape>

export function articleEdit<Input extends ArticleInput & States>(
  kind: ArticleKind,
  editing: ArticleEditing<Input>,
  schema: Schema,
) {
  const path = `/content/${kind}/:slug` as const
  const { noun, create } = KINDS[kind]
  const editables = EDITABLES[kind]
  const app = createApp()

  const read = (c: Http) => readStored<Input>(c.get('ctx'), editing.kind, c.get('site'), c.req.param('slug')!)

  app.get(create, (c) => {
    requireRole(c.get('ctx'), 'editor')
    return showAs(c, null, toValues(editables, {}), lastFormat(c) ?? 'markdown')
  })

  app.get(`${path}/edit`, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const stored = await read(c)
    const revision = await readReplaced(c, kind, stored.article.slug)
    const current = toValues(editables, stored.article)
    const values = revision
      ? { ...toValues(editables, revision.old), [ORIGINAL_VALUES]: serializeOriginal(current) }
      : current
    const restoring = revision && {
      notice: <RestoreNotice kind={kind} revision={revision} current={stored.article} />,
      verb: 'Restore',
    }
    if (!c.req.query('as') && lastFormat(c) === 'markdown') {
      const kept = await withMarkdown(values).catch(() => null)
      if (kept?.lost.length === 0) return editPage(c, { stored, errors: {}, ...restoring, ...kept })
    }
    return showAs(c, stored, values, 'html', restoring).catch((error) =>
      showRefusal(c, error, stored, values),
    )
  })

  app.post(create, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const { stay, ...typed } = await readForm(c)
    try {
      const { page, values } = await readyToSave(c, null, typed)
      if (page) return page
      const { result, errors } = await submitFields(
        schema,
        toNew(editables, values),
        (input) => createArticle(c.get('ctx'), editing, c.get('site'), input as Input),
        { placeOf: (issue) => placeIn(editables, issue) },
      )
      if (errors) return refuse(c, null, typed, errors)
      noteFormat(c, formatOf(typed))
      return stay
        ? keepEditing(c, result.slug, typed)
        : redirectDone(c, itemPath(kind, result.slug), noun, 'created')
    } catch (error) {
      return showRefusal(c, error, null, typed)
    }
  })

  app.post(`${path}/edit`, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const { stay, ...typed } = await readForm(c)
    let stored: StoredArticle<Input> | null = null
    try {
      stored = await read(c)
      const { page, values } = await readyToSave(c, stored, typed)
      if (page) return page
      if (
        MARKDOWN in typed &&
        values.contentHtml !== typed.contentHtml &&
        !isOriginal(values, 'contentHtml', String(stored.article.contentHtml))
      )
        values.contentHtml = await editedBlocks(typed, values.contentHtml ?? '')
      let isShared = false
      let lastSave: Awaited<ReturnType<typeof findLastSave>>
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
          // The editor would keep its own text as the merged one, so it saves again and leaves.
          if (stay && Object.keys(merged).length > 0) throw new AppError('changed_meanwhile')
          const now = toValues(editables, current.article)
          isShared = Object.entries(now).some(([name, value]) => !isOriginal(values, name, value))
          if (isShared) lastSave = await findLastSave(c, { action: `${noun}.updated`, id: current.id })
          return save(c, current, { ...values, ...merged })
        },
      })
      if (conflicts) {
        const page = itemPath(kind, c.req.param('slug')!)
        const choice = {
          conflicts: MARKDOWN in typed ? await asMarkdown(conflicts) : conflicts,
          values,
          cancel: page,
          textOf: optionText,
          logged: { action: `${noun}.updated`, id: stored.id } as const,
          editBoth: `${page}/edit?as=${formatOf(typed)}`,
        }
        return conflictPage(c, { tab: 'Content' }, choice)
      }
      if (errors) return refuse(c, stored, typed, errors)
      if (stay) return keepEditing(c, result.slug, typed)
      const { slug, publishedAt } = stored.article
      const moved = publishedAt ? 'renamed' : 'moved'
      const saved = isShared ? 'co-edited' : slug === result.slug ? 'edited' : moved
      const unscheduled = result.cancelledSchedule
      return redirectDone(c, itemPath(kind, result.slug), noun, result.isChanged ? saved : 'unedited', {
        unscheduled,
        savedBy: lastSave?.isOwn ? 'Your other tab' : lastSave?.who,
      })
    } catch (error) {
      return showRefusal(c, error, stored, typed)
    }
  })

  /** A page if the form is only shown again, in another format or with a question, and its values otherwise. */
  async function readyToSave(
    c: Http,
    stored: StoredArticle<Input> | null,
    typed: Values,
  ): Promise<{ page: Response; values?: never } | { page?: never; values: Values }> {
    const as = c.req.query('as')
    if (as === AS_TYPED) return { page: await editPage(c, { stored, values: typed, errors: {} }) }
    if (as) {
      noteFormat(c, as === 'markdown' ? 'markdown' : 'html')
      const both = c.req.query('both')
      const original = both && typed[originalWith(both)]
      if (original) typed[ORIGINAL_VALUES] = original
      const notice = both && `Both versions of ${labelOf(both)} are in the text. Check it, then save.`
      return { page: await showAs(c, stored, typed, 'html', { notice }) }
    }
    const { values, lost } = await withHtml(typed)
    const warnings = warningsOf(stored, values, lost)
    if (isEachConfirmed(warnings, typed)) return { values }
    c.status(400)
    return { page: await editPage(c, { stored, values: typed, errors: {}, warnings }) }
  }

  const formatOf = (typed: Values) => (MARKDOWN in typed ? 'markdown' : 'html')

  const keepEditing = (c: Http, slug: string, typed: Values) =>
    redirectInSite(c, `${itemPath(kind, slug)}/edit?as=${formatOf(typed)}`)

  /** The form with the content in the requested format, and everything else as typed. */
  async function showAs(
    c: Http,
    stored: StoredArticle<Input> | null,
    typed: Values,
    format: Format = 'html',
    restoring?: Pick<EditPage<Input>, 'notice' | 'verb'> | null,
  ) {
    const asHtml = await withHtml(typed)
    const as = c.req.query('as') ?? format
    const shown = as === 'markdown' ? await withMarkdown(asHtml.values) : asHtml
    return editPage(c, { stored, errors: {}, ...restoring, ...shown })
  }

  /** Asks only about content that this form changes. */
  function warningsOf(
    stored: StoredArticle<Input> | null,
    { contentHtml }: Values,
    lost: string[],
  ): string[] {
    const before = stored?.article.contentHtml ?? ''
    if (contentHtml === undefined || toLines(contentHtml) === toLines(String(before))) return []
    const leftOut = lost.length > 0 ? [leavesOut(lost)] : []
    return [...leftOut, ...contentWarnings(contentHtml)]
  }

  function save(c: Http, stored: StoredArticle<Input>, values: Values) {
    const given = editables.filter(({ name }) => name in values).map(({ name }) => [name, values[name]!])
    const changed = changedOnly(values, Object.fromEntries(given) as Values) as Values
    return submitFields(
      schema,
      toEdit(editables, stored.article, changed),
      (input) => editArticle(c.get('ctx'), editing, c.get('site'), stored, input as Partial<Input>),
      { placeOf: (issue) => placeIn(editables, issue) },
    )
  }

  function refuse(c: Http, stored: StoredArticle<Input> | null, values: Values, errors: Errors) {
    c.status(400)
    return editPage(c, { stored, values, errors })
  }

  function showRefusal(c: Http, error: unknown, stored: StoredArticle<Input> | null, values: Values) {
    const refused = error instanceof AppError ? refusalOf(error, noun) : null
    if (!refused) throw error
    c.status(refused.status)
    // A taken slug that was made from the title
    const isMade = refused.errors.slug && values.slug === ''
    const slug = isMade && { slug: suggestSlug(values.title ?? '') }
    return editPage(c, { stored, values: { ...values, ...slug }, errors: refused.errors })
  }

  function optionText(name: string, value: string) {
    const { options } = editables.find((editable) => editable.name === name)?.control ?? {}
    return options && (options[value] ?? 'None')
  }

  async function editPage(
    c: Http,
    { stored, values, errors, warnings = [], lost, notice, verb }: EditPage<Input>,
  ) {
    const { draft, edit, toolbar } = await assetUrls(c)
    const { slug = '' } = c.req.param() as { slug?: string }
    const title = slug === '' ? `New ${noun}` : `Edit ${stored?.article.title ?? slug}`
    const isRefused = Object.keys(errors).length + warnings.length > 0
    const { [ORIGINAL_VALUES]: original, [MARKDOWN]: _, ...fields } = values
    const shown = {
      values,
      errors,
      warnings,
      notice,
      verb,
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
  notice?: Child
  /** On the button, in place of Save. */
  verb?: string | undefined
  /** Parts of the content that its format cannot keep. Worked out if omitted. */
  lost?: string[]
}
