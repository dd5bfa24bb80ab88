import { Icon } from './icon.tsx'
import { oneLine } from './one-line.ts'
import { ButtonLink, SiteLink } from './site-link.tsx'

type PagerProps = {
  label: string
  previous: PageLink | null
  next: PageLink | null
}
type PageLink = { text: string; to: string }

export function Pager({ label, previous, next }: PagerProps) {
  if (!previous && !next) return null
  return (
    <nav class="row pager" aria-label={label}>
      {previous && <ButtonLink {...previous} />}
      {next && <ButtonLink {...next} />}
    </nav>
  )
}

type Neighbour = { to: string; title?: string } | null

type NeighbourProps = { of: string; previous: Neighbour; next: Neighbour }

/** Links to the adjacent items of the list that an item was opened from. */
export function NeighbourLinks({ of, previous, next }: NeighbourProps) {
  const link = (neighbour: Neighbour, icon: 'previous' | 'next', text: string) =>
    neighbour ? (
      <SiteLink class="button" to={neighbour.to} title={oneLine(neighbour.title ?? text)}>
        <Icon name={icon} />
        <span class="visually-hidden">
          {text}
          {neighbour.title && `: ${oneLine(neighbour.title)}`}
        </span>
      </SiteLink>
    ) : (
      <button type="button" class="button" disabled aria-label={text}>
        <Icon name={icon} />
      </button>
    )
  if (!previous && !next) return null
  return (
    <nav class="neighbours" aria-label={`Previous and next ${of}`}>
      {link(previous, 'previous', 'Previous')}
      {link(next, 'next', 'Next')}
    </nav>
  )
}
