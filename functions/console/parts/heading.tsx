import type { Child } from 'hono/jsx'
import { TABS } from '../menu.ts'
import { oneLine } from './one-line.ts'
import { SiteLink } from './site-link.tsx'

type HeadingProps = { title: string; lead?: Child; action?: Child }
type PageHeadingProps = HeadingProps & {
  /** Stands before the title. */
  mark?: Child
}

export function PageHeading({ title, mark, lead, action }: PageHeadingProps) {
  return (
    <div class="heading">
      <div>
        <h1 dir="auto">
          {mark}
          {oneLine(title)}
        </h1>
        {lead && (
          <p class="lead" dir="auto">
            {lead}
          </p>
        )}
      </div>
      {action}
    </div>
  )
}

type Tabbed = keyof typeof TABS
type TabbedHeadingProps<Title extends Tabbed> = {
  title: Title
  current: keyof (typeof TABS)[Title]
  action?: Child
}

export function TabbedHeading<Title extends Tabbed>({ title, current, action }: TabbedHeadingProps<Title>) {
  return (
    <div class="row list-heading">
      <PageHeading title={title} />
      <nav class="kinds" aria-label={title}>
        {Object.entries(TABS[title]).map(([name, path]) => (
          <SiteLink to={path} aria-current={name === current ? 'page' : undefined}>
            {name}
          </SiteLink>
        ))}
      </nav>
      {action}
    </div>
  )
}

type ItemHeadingProps = {
  title: string
  badges: Child
  /** Buttons. */
  children: Child
  /** Links and a menu, after the buttons. */
  end: Child
}

/** The heading of an item page. The title has a line of its own. */
export function ItemHeading({ title, badges, children, end }: ItemHeadingProps) {
  return (
    <div>
      <h1 dir="auto">{oneLine(title)}</h1>
      <div class="row article-way">
        <p class="row states">{badges}</p>
        <div class="actions">
          {children}
          <div class="row">{end}</div>
        </div>
      </div>
    </div>
  )
}

export function Section({
  id,
  title,
  lead,
  action,
  children,
}: HeadingProps & { id: string; children?: Child }) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <div class="heading">
        <div>
          <h2 id={`${id}-title`}>{title}</h2>
          {lead && <p class="lead">{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}
