/** A link to `/docs`. The site id in its query goes into the examples there. */
import type { Child } from 'hono/jsx'
import { useRequestContext } from '../request-context.ts'

/** `to` is a page with an optional fragment, such as `keys#quotas`. */
export function DocsLink({ to, children }: { to: string; children: Child }) {
  const { site } = useRequestContext().var as { site?: { id: string } }
  const [page, fragment] = to.split('#')
  const query = site ? `?${new URLSearchParams({ site: site.id })}` : ''
  return <a href={`/docs/${page}${query}${fragment ? `#${fragment}` : ''}`}>{children}</a>
}
