/** The heading of the lists, with the navigation between posts, guides, redirects and training rows. */
import type { Child } from 'hono/jsx'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { PARENT_LISTS } from '../parent-list.ts'
import { PageHeading } from '../parts/heading.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'

export const REDIRECTS = { list: '/content/redirects', name: 'Redirects' } as const

const PAGES = {
  ...KINDS,
  redirects: REDIRECTS,
  training: { ...PARENT_LISTS.training, name: 'Training rows' },
} as const

type HeadingProps = { current: ArticleKind | 'redirects' | 'training'; action?: Child }

export function ContentHeading({ current, action }: HeadingProps) {
  return (
    <div class="list-heading">
      <PageHeading title="Content" />
      <nav class="kinds" aria-label="Content">
        {Object.entries(PAGES).map(([kind, { name, list }]) => (
          <SiteLink to={list} aria-current={kind === current ? 'page' : undefined}>
            {name}
          </SiteLink>
        ))}
      </nav>
      {action}
    </div>
  )
}
