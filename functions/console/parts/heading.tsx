/** Headings of a page and of its sections. */
import type { Child } from 'hono/jsx'

type HeadingProps = { title: string; lead?: Child; action?: Child }

export function PageHeading({ title, lead, action }: HeadingProps) {
  return (
    <div class="heading">
      <div>
        <h1>{title}</h1>
        {lead && <p class="lead">{lead}</p>}
      </div>
      {action}
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
