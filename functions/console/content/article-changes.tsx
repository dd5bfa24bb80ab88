import * as z from 'zod/mini'
import type { Kind } from '../../../src/content/articles/kind.ts'
import { NewSlug } from '../../../src/content/articles/shared-fields.ts'
import { deleteArticle, renameArticle } from '../../../src/content/articles/transitions.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { redirectDone } from '../actions/done.tsx'
import { type Errors, fieldsOf, readForm, submit, type Values } from '../forms/form.ts'
import { formPage } from '../forms/form-page.tsx'
import { itemPath, parentList } from '../parent-list.ts'
import { TextField } from '../parts/fields/field.tsx'
import { Form } from '../parts/fields/form.tsx'
import { KINDS } from './article.tsx'

const Renaming = z.object({ slug: NewSlug })

export function articleChanges(
  kind: ArticleKind,
  article: Kind,
  find: (c: Http, slug: string) => Promise<{ title: string }>,
) {
  const path = `/content/${kind}/:slug` as const
  const { noun, list } = KINDS[kind]
  const app = createApp()

  app.get(`${path}/slug`, async (c) => {
    const slug = c.req.param('slug')
    await find(c, slug)
    return renamePage(c, kind, slug, { slug }, {})
  })

  app.post(`${path}/slug`, async (c) => {
    const slug = c.req.param('slug')
    const values = await readForm(c)
    const { result, errors } = await submit(
      Renaming,
      { slug: values.slug || undefined },
      (input) => renameArticle(c.get('ctx'), article, c.get('site'), slug, input.slug),
      { refusals: { slug_taken: { slug: `is already used by another ${noun}` } } },
    )
    if (errors) return renamePage(c, kind, slug, values, errors)
    return redirectDone(c, itemPath(kind, result.slug), noun, 'renamed')
  })

  app.get(`${path}/deletion`, async (c) => {
    const slug = c.req.param('slug')
    const { title } = await find(c, slug)
    return c.render(
      <Confirm
        title={`Delete the ${noun} “{name}”?`}
        name={title}
        needs="editor"
        submit={`Delete ${noun}`}
        cancel={itemPath(kind, slug)}
      >
        <p>
          From the next request, the API returns 404 for <code>{slug}</code>, and the change feed reports the
          deletion. {kind === 'posts' && 'Translations stay as separate posts. '}
          This cannot be undone.
        </p>
      </Confirm>,
      { tab: 'Content', title: `Delete ${title}`, isNarrow: true },
    )
  })

  app.post(`${path}/deletion`, async (c) => {
    await deleteArticle(c.get('ctx'), article, c.get('site'), c.req.param('slug'))
    return redirectDone(c, parentList(c, list), kind, 'deleted')
  })

  return app
}

function renamePage(c: Http, kind: ArticleKind, slug: string, values: Values, errors: Errors) {
  const { noun } = KINDS[kind]
  const field = fieldsOf(values, errors)
  const page = { tab: 'Content', title: `Change the slug of this ${noun}` } as const
  return formPage(
    c,
    page,
    { errors },
    <Form needs="editor" submit="Change slug" cancel={itemPath(kind, slug)}>
      <TextField
        label="Slug"
        {...field('slug')}
        hint="The API then returns 404 for the old slug, and the change feed reports it. If the old URL was public, it redirects to the new one."
        required
      />
    </Form>,
  )
}
