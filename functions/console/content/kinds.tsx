/** Posts, guides and training rows: the navigation between their lists. */
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS, type Kind } from './article.tsx'

export const TRAINING = '/content/training'

const LISTS = { ...KINDS, training: { name: 'Training rows', list: TRAINING } } as const

export function KindNavigation({ current }: { current: Kind | 'training' }) {
  return (
    <nav class="kinds" aria-label="Content">
      {Object.entries(LISTS).map(([kind, { name, list }]) => (
        <SiteLink to={list} aria-current={kind === current ? 'page' : undefined}>
          {name}
        </SiteLink>
      ))}
    </nav>
  )
}
