/** Says what was done, and that it takes effect later where Redis could not be told. */
import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { EFFECTIVE_WITHIN } from '../../http/context.ts'
import type { Env } from '../../http/env.ts'
import { Notice } from '../parts/notice.tsx'
import { useRequestContext } from '../request-context.ts'

const DELAYED = 'delayed'

/** Tells the page that a form redirects to that the write takes effect later. */
export const flagDelayedEffect = createMiddleware<Env>(async function flagDelayedEffect(c, next) {
  await next()
  const location = c.res.headers.get('Location')
  if (!location || !c.res.headers.has(EFFECTIVE_WITHIN)) return
  const { pathname, searchParams, hash } = new URL(location, c.req.url)
  searchParams.set(DELAYED, c.res.headers.get(EFFECTIVE_WITHIN)!)
  c.res.headers.set('Location', `${pathname}?${searchParams}${hash}`)
})

/**
 * `children` says what is true now, so it is left out while the write has not taken effect. `saved` says what was done, which holds
 * all the same.
 */
export function Success({ saved, children }: { saved?: string; children?: Child }) {
  const delayed = useRequestContext().req.query(DELAYED)
  if (delayed) return <Delayed within={delayed} saved={saved} />
  return (
    <Notice tone="success">
      {saved} {children}
    </Notice>
  )
}

/** For a write that this page answers, or that has redirected to it. */
export function DelayedNotice() {
  const c = useRequestContext()
  const within = c.req.query(DELAYED) ?? c.res.headers.get(EFFECTIVE_WITHIN)
  return within ? <Delayed within={within} /> : null
}

function Delayed({ within, saved }: { within: string; saved?: string | undefined }) {
  return (
    <Notice tone="warning">
      {saved} It is saved, but readers do not see it yet: a part of the service cannot be reached. Once it is
      back, the change takes effect within {within === '60' ? 'a minute' : 'about an hour'}. Until then some
      requests still get the old answer, even those with a key that was just revoked.
    </Notice>
  )
}
