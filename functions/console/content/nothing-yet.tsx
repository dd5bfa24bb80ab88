import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { CommandSnippet } from '../command-snippet.tsx'
import { DocsLink } from '../parts/docs-link.tsx'
import { EmptyState } from '../parts/notice.tsx'
import { ButtonLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'

export function NothingYet({ kind, siteId }: { kind: ArticleKind; siteId: string }) {
  const { noun, importFlag } = KINDS[kind]
  return (
    <>
      <EmptyState title={`No ${kind} yet`}>
        <p>
          Write one, or import Markdown, WordPress, Ghost or an export:{' '}
          <DocsLink to="moving">moving content</DocsLink>. Programs put {kind} through the API:{' '}
          <DocsLink to="quick-start">quick start</DocsLink>.
        </p>
        <ButtonLink needs="editor" to="/settings/transfer" text="Import" />
      </EmptyState>
      <CommandSnippet
        title="Import Markdown"
        command={`import markdown ${siteId} path/to/folder${importFlag}`}
      />
      <CommandSnippet title={`Put a ${noun}`} command={`${noun} put ${siteId} ${noun}.json`} />
    </>
  )
}
