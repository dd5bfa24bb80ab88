/** Creates a draft from a title. Its text is written in the editor, which opens next. */
import * as z from 'zod/mini'
import { createArticle } from '../../../src/content/articles/create.ts'
import type { ArticleInput, Kind } from '../../../src/content/articles/kind.ts'
import type { Put } from '../../../src/content/articles/put.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { suggestSlug } from '../../../src/content/model/slug.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { type Errors, fieldsOf, readForm, submit } from '../forms/form.ts'
import type { Values } from '../forms/three-way-merge.ts'
import { itemPath } from '../parent-list.ts'
import { TextField } from '../parts/fields/field.tsx'
import { Form } from '../parts/fields/form.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { ErrorSummary } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { redirectInSite } from '../site.ts'
import { KINDS } from './article.tsx'

const pathOf = (kind: ArticleKind) => `/content/new/${kind}` as const

export function NewArticleLink({ kind }: { kind: ArticleKind }) {
  return <ButtonLink needs="editor" to={pathOf(kind)} text={`New ${KINDS[kind].noun}`} look="primary" />
}

export function newArticle<Input extends ArticleInput>(
  kind: ArticleKind,
  creating: { kind: Kind; put: Put<Input> },
  schema: z.ZodMiniObject<z.core.$ZodLooseShape>,
) {
  const { noun } = KINDS[kind]
  const app = createApp()
  const fields = z.pick(schema, { title: true, slug: true } as never)

  app.get(pathOf(kind), (c) => {
    requireRole(c.get('ctx'), 'editor')
    return newPage(c, {}, {})
  })

  app.post(pathOf(kind), async (c) => {
    const values = await readForm(c)
    const title = values.title ?? ''
    const input = { title, slug: values.slug || suggestSlug(title) }
    const { result, errors } = await submit(
      fields,
      input,
      (given) =>
        createArticle(c.get('ctx'), creating, c.get('site'), {
          ...given,
          contentHtml: '',
        } as unknown as Input),
      { refusals: { slug_taken: { slug: `is already used by another ${noun}` } } },
    )
    // The schema's rule would not say that the title is the reason.
    if (errors?.slug && title.trim() && input.slug === '')
      errors.slug = 'is required, because the title has no letters or digits'
    if (!errors) return redirectInSite(c, `${itemPath(kind, result.slug)}/edit`)
    c.status(400)
    return newPage(c, { ...values, slug: input.slug }, errors)
  })

  function newPage(c: Http, values: Values, errors: Errors) {
    const field = fieldsOf(values, errors)
    const hasErrors = Object.keys(errors).length > 0
    const title = `New ${noun}`
    return c.render(
      <>
        <PageHeading title={title} />
        <ErrorSummary errors={errors} />
        <Form needs="editor" action={pathOf(kind)} submit="Create draft" cancel={KINDS[kind].list}>
          <TextField label="Title" {...field('title')} required {...(!hasErrors && { autofocus: true })} />
          {errors.slug && <TextField label="Slug" {...field('slug')} />}
        </Form>
      </>,
      { tab: 'Content', title, isNarrow: true },
    )
  }

  return app
}
