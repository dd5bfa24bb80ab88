import type * as z from 'zod/mini'
import {
  type ArticleEditing,
  editArticle,
  readStored,
  type StoredArticle,
} from '../../../../src/content/articles/edit.ts'
import type { ArticleInput } from '../../../../src/content/articles/kind.ts'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { guideUrl, postUrl } from '../../../../src/content/model/urls.ts'
import { requireRole } from '../../../../src/core/actor.ts'
import { AppError, type Issue } from '../../../../src/core/errors.ts'
import { createApp } from '../../../http/create-app.ts'
import type { Http } from '../../../http/env.ts'
import { redirectDone } from '../../actions/done.tsx'
import { assetUrls } from '../../assets.ts'
import { conflictPage } from '../../forms/conflict.tsx'
import { type Errors, readForm, submitFields, toFormIssue } from '../../forms/form.ts'
import { changedOnly, saveMerged, type Values } from '../../forms/three-way-merge.ts'
import { itemPath } from '../../parent-list.ts'
import { KINDS } from '../article.tsx'
import { previewPage } from '../preview.tsx'
import { EDITABLES, type Editable } from './controls.ts'
import { EditForm } from './edit-form.tsx'
import { toEdit, toValues } from './edit-values.ts'
import { HtmlProblems } from './html-problems.tsx'

type Schema = z.ZodMiniObject<z.core.$ZodLooseShape>

export function articleEdit<Input extends ArticleInput>(
  kind: ArticleKind,
  editing: ArticleEditing<Input>,
  schema: Schema,
) {
  const path = `/content/${kind}/:slug` as const
  const { noun } = KINDS[kind]
  const editables = EDITABLES[kind]
  const app = createApp()

  const read = (c: Http) => readStored<Input>(c.get('ctx'), editing.kind, c.get('site'), c.req.param('slug')!)

  app.get(`${path}/edit`, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const stored = await read(c)
    return editPage(c, { stored, values: toValues(editables, stored.article), errors: {} })
  })

  app.post(`${path}/edit`, async (c) => {
    const values = await readForm(c)
    let stored: StoredArticle<Input> | null = null
    try {
      const { result, errors, conflicts } = await saveMerged({
        values,
        read: async () => {
          stored = await read(c)
          return stored
        },
        toValues: ({ article }) => toValues(editables, article),
        write: (current) => save(c, current, values),
      })
      if (conflicts) {
        const choice = { conflicts, values, cancel: itemPath(kind, c.req.param('slug')), textOf: optionText }
        return conflictPage(c, { tab: 'Content', title: 'Changed by someone else' }, choice)
      }
      if (result) {
        const done = result.isChanged ? 'edited' : 'unedited'
        const unscheduled = result.cancelledSchedule
        return redirectDone(c, itemPath(kind, result.slug), noun, done, { unscheduled })
      }
      c.status(400)
      return editPage(c, { stored, values, errors })
    } catch (error) {
      const refused = error instanceof AppError ? refusalOf(error) : null
      if (!refused) throw error
      c.status(refused.status)
      return editPage(c, { stored, values, errors: refused.errors })
    }
  })

  /** Previews the typed text without saving it. */
  app.post(`${path}/preview`, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const site = c.get('site')
    const { title = '', contentHtml = '', language: typed } = await readForm(c)
    const language = typed?.trim() || site.defaultLanguage
    const slug = c.req.param('slug')
    const url = kind === 'posts' ? postUrl(site, { slug, language }) : guideUrl(site, { slug })
    return previewPage(
      c,
      { title, contentHtml, language },
      { url, notice: <HtmlProblems html={contentHtml} /> },
    )
  })

  function save(c: Http, stored: StoredArticle<Input>, values: Values) {
    const given = editables.filter(({ name }) => name in values).map(({ name }) => [name, values[name]!])
    const changed = changedOnly(values, Object.fromEntries(given) as Values) as Values
    const edit = toEdit(editables, stored.article, changed)
    return submitFields(
      schema,
      edit,
      (input) => editArticle(c.get('ctx'), editing, c.get('site'), stored, input as Partial<Input>),
      { placeOf: (issue) => placeIn(editables, issue) },
    )
  }

  function refusalOf({ code }: AppError): { status: 404 | 409; errors: Errors } | null {
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

  async function editPage(c: Http, { stored, ...shown }: EditPage<Input>) {
    const { edit: script } = await assetUrls(c)
    const slug = c.req.param('slug')!
    const title = `Edit ${stored?.article.title ?? slug}`
    return c.render(
      <>
        <EditForm kind={kind} slug={slug} title={title} editables={editables} stored={stored} {...shown} />
        <script src={script} defer />
      </>,
      { tab: 'Content', title },
    )
  }

  return app
}

type EditPage<Input> = { stored: StoredArticle<Input> | null; values: Values; errors: Errors }

/** Maps an issue to its control: `authors[1].url must …` belongs to the authors and names the line. */
function placeIn(editables: Editable[], { path, message }: Issue): Issue {
  const isIn = ({ name }: Editable) =>
    path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`)
  const editable = editables.find(isIn) ?? editables.find(({ field }) => field === path)
  if (!editable) return toFormIssue({ path, message })
  const [, line, part] = /^\[(\d+)\](?:\.(\w+))?/.exec(path.slice(editable.name.length)) ?? []
  const where = line && `in line ${Number(line) + 1}${part ? ` (${part})` : ''} `
  return { path: editable.name, message: `${where ?? ''}${message}` }
}
