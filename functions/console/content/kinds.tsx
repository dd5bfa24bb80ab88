/** Posts, guides and training rows: the navigation between their lists. */
import { LISTS } from '../parent-list.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS, type Kind } from './article.tsx'

const PAGES = { ...KINDS, training: { ...LISTS.training, name: 'Training rows' } } as const

export function KindNavigation({ current }: { current: Kind | 'training' }) {
  return (
    <nav class="kinds" aria-label="Content">
      {Object.entries(PAGES).map(([kind, { name, list }]) => (
        <SiteLink to={list} aria-current={kind === current ? 'page' : undefined}>
          {name}
        </SiteLink>
      ))}
    </nav>
  )
}
