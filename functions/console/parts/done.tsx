/** What was just done; or, where Redis could not be told of it, what will be within a minute. */

import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { EFFECTIVE_WITHIN } from '../../http/context.ts'
import type { Env, Http } from '../../http/env.ts'
import { Notice } from './notice.tsx'

const LATE = 'late'

/** Hands on to the page that a form leads to that its write takes effect later. */
export const tellLate = createMiddleware<Env>(async function tellLate(c, next) {
  await next()
  const location = c.res.headers.get('Location')
  if (!location || !c.res.headers.has(EFFECTIVE_WITHIN)) return
  const { pathname, searchParams } = new URL(location, c.req.url)
  searchParams.set(LATE, '1')
  c.res.headers.set('Location', `${pathname}?${searchParams}`)
})

/** `children` says what is so now, and is not said while it is not. */
export function Done({ c, children }: { c: Http; children: Child }) {
  if (!c.req.query(LATE)) return <Notice tone="success">{children}</Notice>
  return (
    <Notice tone="warning">
      Saved, but Redis could not be reached to tell all readers. It takes effect within a minute, and until
      then some are still answered as before, also with a key that was just revoked.
    </Notice>
  )
}
