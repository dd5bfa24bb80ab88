/** Links to pages of the site; a full path leads anywhere in the console. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import { useSitePath } from '../site.ts'
import { useAllowed } from './needs.tsx'

type SiteLinkProps = {
  /** Such as `/api`. */
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

/** A link that looks like a button: an ordinary one, or `primary`, `small`, `quiet`, or of what takes something from readers. */
export function ButtonLink({
  to,
  text,
  look,
  needs = 'viewer',
}: {
  to: string
  /** Others do not see it. */
  needs?: Role
  text: string
  look?: 'primary' | 'small' | 'quiet' | 'takes' | undefined
}) {
  if (!useAllowed(needs)) return null
  return (
    <SiteLink class={look ? `button ${look}` : 'button'} to={to}>
      {text}
    </SiteLink>
  )
}
