/** The heading of the lists, with the navigation between posts, guides, redirects and training rows. */
import type { Child } from 'hono/jsx'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { PARENT_LISTS } from '../parent-list.ts'
import { TabbedHeading } from '../parts/heading.tsx'
import { KINDS } from './article.tsx'

export const REDIRECTS = { list: '/content/redirects', name: 'Redirects' } as const

const PAGES = {
  ...KINDS,
  redirects: REDIRECTS,
  training: { ...PARENT_LISTS.training, name: 'Training rows' },
} as const

type HeadingProps = { current: ArticleKind | 'redirects' | 'training'; action?: Child }

export function ContentHeading({ current, action }: HeadingProps) {
  const pages = Object.values(PAGES).map(({ name, list }) => ({ name, path: list }))
  return <TabbedHeading title="Content" pages={pages} current={PAGES[current].name} action={action} />
}
