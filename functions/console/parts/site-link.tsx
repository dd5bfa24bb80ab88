/** A link to another page of the same site. */
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
