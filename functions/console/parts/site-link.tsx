/** Links to pages of the site, or to full paths. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import { useSitePath } from '../site.ts'
import { useAllowed } from './require-role.tsx'

type SiteLinkProps = {
  to: string
  class?: string
  title?: string
  'aria-current'?: 'page' | 'true' | undefined
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

/** A link that looks like a button. */
export function ButtonLink({
  to,
  text,
  look,
  needs,
}: {
  to: string
  /** Hidden from lower roles. */
  needs?: Role
  text: string
  look?: 'primary' | 'small' | 'quiet' | undefined
}) {
  if (needs && !useAllowed(needs)) return null
  return (
    <SiteLink class={look ? `button ${look}` : 'button'} to={to}>
      {text}
    </SiteLink>
  )
}
