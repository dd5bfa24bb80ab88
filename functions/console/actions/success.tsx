/** Success notices, and the warning for a write that takes effect later because Redis is unreachable. */
import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { EFFECTIVE_WITHIN } from '../../http/context.ts'
import type { Env } from '../../http/env.ts'
import { Notice, type NoticeProps } from '../parts/page.tsx'
import { useRequestContext } from '../site.ts'

const DELAYED = 'delayed'

/** Adds the delay of a write to the URL of its redirect. */
export const flagDelayedEffect = createMiddleware<Env>(async function flagDelayedEffect(c, next) {
  await next()
  const location = c.res.headers.get('Location')
  if (!location || !c.res.headers.has(EFFECTIVE_WITHIN)) return
  const { pathname, searchParams, hash } = new URL(location, c.req.url)
  searchParams.set(DELAYED, c.res.headers.get(EFFECTIVE_WITHIN)!)
  c.res.headers.set('Location', `${pathname}?${searchParams}${hash}`)
})

type SuccessProps = NoticeProps & { saved?: string; children?: Child }

/** Hides `children` until the write has taken effect, because it isn't true before. Always shows `saved`. */
export function Success({ saved, children, ...notice }: SuccessProps) {
  const delayed = useRequestContext().req.query(DELAYED)
  if (delayed) return <Delayed within={delayed} saved={saved} {...notice} />
  return (
    <Notice tone="success" {...notice}>
      {saved} {children}
    </Notice>
  )
}

/** For the write of this request, or the one that redirected here. */
export function DelayedNotice() {
  const c = useRequestContext()
  const within = c.req.query(DELAYED) ?? c.res.headers.get(EFFECTIVE_WITHIN)
  return within ? <Delayed within={within} /> : null
}

type DelayedProps = NoticeProps & { within: string; saved?: string | undefined }

function Delayed({ within, saved, ...notice }: DelayedProps) {
  return (
    <Notice tone="warning" {...notice}>
      {saved} Your change is saved, but readers do not see it yet because part of the service is unavailable.
      Once it is back, the change takes effect within {within === '60' ? 'a minute' : 'about an hour'}. Until
      then some requests still get the old response, even with a key that you just revoked.
    </Notice>
  )
}
