import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { EmptyState } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'
import { NewArticleLink } from './new-article.tsx'

export function NothingYet({ kind }: { kind: ArticleKind }) {
  return (
    <EmptyState title={`No ${kind} yet`}>
      <p>Write your first {KINDS[kind].noun}, or import Markdown, WordPress, Ghost or an export.</p>
      <div class="actions">
        <NewArticleLink kind={kind} />
        <ButtonLink needs="editor" to="/settings/transfer" text="Import" />
      </div>
    </EmptyState>
  )
}
