import type { Child } from 'hono/jsx'
import { Icon } from './icon.tsx'
import { oneLine } from './one-line.ts'
import { ButtonLink, SiteLink } from './site-link.tsx'

type PagerProps = {
  label: string
  previous: PageLink | null
  next: PageLink | null
  /** Shown between the two. */
  children?: Child
}
type PageLink = { text: string; to: string }

export function Pager({ label, previous, next, children }: PagerProps) {
  if (!previous && !next) return null
  return (
    <nav class="row pager" aria-label={label}>
      {previous && <ButtonLink {...previous} />}
      {children}
      {next && <ButtonLink {...next} />}
    </nav>
  )
}

type Neighbour = { to: string; title?: string } | null

type NeighbourProps = { of: string; previous: Neighbour; next: Neighbour }

/** Links to the adjacent items of the list that an item was opened from. */
export function NeighbourLinks({ of, previous, next }: NeighbourProps) {
  const link = (neighbour: Neighbour, icon: 'previous' | 'next', text: string) =>
    neighbour && (
      <SiteLink class="button" to={neighbour.to} title={oneLine(neighbour.title ?? text)}>
        <Icon name={icon} />
        <span class="visually-hidden">
          {text}
          {neighbour.title && `: ${oneLine(neighbour.title)}`}
        </span>
      </SiteLink>
    )
  if (!previous && !next) return null
  return (
    <nav class="neighbours" aria-label={`Previous and next ${of}`}>
      {link(previous, 'previous', 'Previous')}
      {link(next, 'next', 'Next')}
    </nav>
  )
}

type NumberedPagerProps = {
  label: string
  page: number
  totalPages: number
  pathOf: (page: number) => string
}

export function NumberedPager({ label, page, totalPages, pathOf }: NumberedPagerProps) {
  return (
    <Pager
      label={label}
      previous={page > 1 ? { text: 'Previous', to: pathOf(page - 1) } : null}
      next={page < totalPages ? { text: 'Next', to: pathOf(page + 1) } : null}
    >
      <ul class="row">
        {numbersAround(page, totalPages).map((number, index, numbers) => (
          <li>
            {index > 0 && number > numbers[index - 1]! + 1 && <span class="muted">…</span>}
            <SiteLink to={pathOf(number)} aria-current={number === page ? 'page' : undefined}>
              <span class="visually-hidden">Page </span>
              {number.toLocaleString('en')}
            </SiteLink>
          </li>
        ))}
      </ul>
    </Pager>
  )
}

/** The first page, the last, and those next to this one. */
function numbersAround(page: number, last: number): number[] {
  const near = [1, page - 1, page, page + 1, last]
  return [...new Set(near)].filter((number) => number >= 1 && number <= last)
}
