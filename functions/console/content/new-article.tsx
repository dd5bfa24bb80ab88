/** A new article is written in the editor, which saves it as a draft. */
import type { StoredArticle } from '../../../src/content/articles/edit.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { suggestSlug } from '../../../src/content/model/slug.ts'
import { AppError } from '../../../src/core/errors.ts'
import type { Values } from '../forms/three-way-merge.ts'
import { ButtonLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'

export const newPath = (kind: ArticleKind) => `/content/new/${kind}` as const

export function NewArticleLink({ kind }: { kind: ArticleKind }) {
  return <ButtonLink needs="editor" to={newPath(kind)} text={`New ${KINDS[kind].noun}`} look="primary" />
}

type Stored<Input> = StoredArticle<Input>

/** The editor starts with it. */
export const blank = <Input,>() =>
  ({ id: '', updatedAt: '', article: { slug: '', title: '', contentHtml: '' } }) as unknown as Stored<Input>

export const isNew = (stored: { id: string } | null) => stored?.id === ''

/** Adds the fields that a draft must have. */
export function withRequired(edit: Record<string, unknown>, { title = '' }: Values) {
  const draft = { title, contentHtml: '', ...edit, slug: edit.slug ?? suggestSlug(title) }
  if (draft.slug !== '' || title.trim() === '') return draft
  const message = 'is required, because the title has no letters or digits'
  throw new AppError('invalid_body', { path: 'slug', message })
}
