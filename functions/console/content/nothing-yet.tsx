import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { CommandSnippet } from '../command-snippet.tsx'
import { DocsLink } from '../parts/docs-link.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'

export function NothingYet({ kind, siteId }: { kind: ArticleKind; siteId: string }) {
  const { noun, importFlag } = KINDS[kind]
  return (
    <>
      <EmptyState title={`No ${kind} yet`}>
        <p>
          <SiteLink to="/settings/transfer">Import an export of a site</SiteLink>, or use a command below: for
          a folder of Markdown, or for JSON with a slug, a title and contentHtml. You can run both again: they
          update {kind} that exist. For Ghost, WordPress and others, see{' '}
          <DocsLink to="moving">moving content</DocsLink>. For the next steps, see{' '}
          <DocsLink to="quick-start">the quick start</DocsLink>.
        </p>
      </EmptyState>
      <CommandSnippet
        title="Import Markdown"
        command={`import markdown ${siteId} path/to/folder${importFlag}`}
      />
      <CommandSnippet title={`Put a ${noun}`} command={`${noun} put ${siteId} ${noun}.json`} />
    </>
  )
}
