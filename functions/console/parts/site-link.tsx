/** Links to pages of the site, to full paths, and to the docs. */
import type { Child } from 'hono/jsx'
import type { Role } from '../../../src/core/actor.ts'
import { useRequestContext, useSitePath } from '../site.ts'
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
  look?: 'primary' | 'danger' | 'small' | 'quiet' | undefined
}) {
  if (needs && !useAllowed(needs)) return null
  return (
    <SiteLink class={look ? `button ${look}` : 'button'} to={to}>
      {text}
    </SiteLink>
  )
}

/** `to` is a page of `/docs` with an optional fragment, such as `keys#quotas`. The site id in its query goes into the examples there. */
export function DocsLink({ to, children }: { to: string; children: Child }) {
  const { site } = useRequestContext().var as { site?: { id: string } }
  const [page, fragment] = to.split('#')
  const query = site ? `?${new URLSearchParams({ site: site.id })}` : ''
  return <a href={`/docs/${page}${query}${fragment ? `#${fragment}` : ''}`}>{children}</a>
}
