/** A new article is written in the editor, which saves it as a draft. */
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { ButtonLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'

export const newPath = (kind: ArticleKind) => `/content/new/${kind}` as const

export function NewArticleLink({ kind }: { kind: ArticleKind }) {
  return <ButtonLink needs="editor" to={newPath(kind)} text={`New ${KINDS[kind].noun}`} look="primary" />
}
