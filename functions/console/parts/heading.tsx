/** Headings of a page and of its sections. */
import type { Child } from 'hono/jsx'
import { parentList } from '../parent-list.ts'
import { useRequestContext } from '../request-context.ts'
import { SiteLink } from './site-link.tsx'

type HeadingProps = { title: string; lead?: Child; action?: Child }

export function PageHeading({ title, lead, action }: HeadingProps) {
  return (
    <div class="heading">
      <div>
        <h1 dir="auto">{title}</h1>
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

type ItemHeadingProps = {
  /** The list that the item is from: its name and its page of the site. */
  name: string
  list: string
  title: string
  badges: Child
  /** Stands beside the link to the list. */
  beside?: Child
  /** Buttons. */
  children: Child
}

/** The heading of a page about one item of a list, in one column: a title has the whole width, however many buttons there are. */
export function ItemHeading({ name, list, title, badges, beside, children }: ItemHeadingProps) {
  return (
    <div class="article-head">
      <div class="article-way">
        <p>
          <SiteLink to={parentList(useRequestContext(), list)}>{name}</SiteLink>
        </p>
        {beside}
      </div>
      <h1 dir="auto">{title}</h1>
      <p class="states">{badges}</p>
      <div class="actions">{children}</div>
    </div>
  )
}

/** `id` is the fragment to link to. */
export function Section({
  id,
  title,
  lead,
  action,
  children,
}: HeadingProps & { id: string; children: Child }) {
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
