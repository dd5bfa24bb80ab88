/** A list of posts or guides before there are any: how they get there. */
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
          <SiteLink to="/settings/transfer">Import the export of a site</SiteLink> here, or use a command: for
          a folder of Markdown, or JSON with a slug, a title and contentHtml. Each can be run again: {kind}{' '}
          that exist are updated. <DocsLink to="moving">The guide to moving content</DocsLink> has Ghost,
          WordPress and others, and <DocsLink to="quick-start">the quick start</DocsLink> what comes after.
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
