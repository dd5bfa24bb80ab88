/** Links to other pages of the same site. */
import type { Child } from 'hono/jsx'
import { useSitePath } from '../site.ts'

type SiteLinkProps = {
  /** Such as `/api`. */
  to: string
  class?: string
  title?: string
  'aria-current'?: 'page' | undefined
  children: Child
}

export function SiteLink({ to, class: className, children, ...attributes }: SiteLinkProps) {
  const path = useSitePath()
  return (
    <a class={className} href={path(to)} {...attributes}>
      {children}
    </a>
  )
}

/** A link that looks like a button: an ordinary one, or `primary`, `small` or `quiet`. */
export function ButtonLink({
  to,
  text,
  look,
}: {
  to: string
  text: string
  look?: 'primary' | 'small' | 'quiet'
}) {
  return (
    <SiteLink class={look ? `button ${look}` : 'button'} to={to}>
      {text}
    </SiteLink>
  )
}
