/** A list of posts or guides before there are any: how they get there. */
import type { ArticleKind } from '../../../src/foundation/article-filters.ts'
import { CommandSnippet } from '../command-snippet.tsx'
import { DocsLink } from '../parts/docs-link.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { KINDS } from './article.tsx'

export function NothingYet({ kind, siteId }: { kind: ArticleKind; siteId: string }) {
  const { noun, importFlag } = KINDS[kind]
  return (
    <>
      <EmptyState title={`No ${kind} yet`}>
        <p>
          Import a folder of Markdown, or put JSON with a slug, a title and contentHtml. Both are commands
          that you can run again: {kind} that exist are updated. Ghost, WordPress and others are imported too:{' '}
          <DocsLink to="moving">the guide to moving content</DocsLink> shows how, and{' '}
          <DocsLink to="quick-start">the quick start</DocsLink> what comes after.
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
