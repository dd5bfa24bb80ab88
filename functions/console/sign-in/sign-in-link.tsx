/** `/console/sign-in/links/{link}`: signs in once. Only the button uses up the link, since mail scanners open links. */
import { createMiddleware } from 'hono/factory'
import { isTokenSignInAllowed } from '../../../src/people/sessions.ts'
import { findByLink, useLink } from '../../../src/people/sign-in-links.ts'
import { createApp, type Env, type Http } from '../../http/env.ts'
import { logFailedSignIn, setActorOf } from '../../http/operator.ts'
import { limitForm } from '../forms/form.ts'
import { PostButton } from '../parts/fields/form.tsx'
import { Notice } from '../parts/page.tsx'
import { browserOf } from './browser.ts'
import { findPerson, HOME, setSessionCookie } from './session.ts'
import { accessPage, barePage, countSignIn } from './sign-in.tsx'

export const signInLink = createApp()

export const LINK = '/sign-in/links/:link'

/** Keeps the link out of every Referer. `no-referrer` would make browsers send `Origin: null` with the form. */
export const linkHeaders = createMiddleware<Env>(async function linkHeaders(c, next) {
  await next()
  c.header('Referrer-Policy', 'strict-origin')
  c.header('X-Robots-Tag', 'noindex, nofollow')
})

signInLink.get(LINK, async (c) => {
  if (!isTokenSignInAllowed(c.get('ctx').config)) return accessPage(c)
  const [person, { holder, refusal }] = await Promise.all([findPerson(c), findHolder(c)])
  if (!holder) return refusal
  return barePage(
    c,
    <>
      {person && (
        <Notice tone="warning">
          You are signed in as <bdi>{person.name}</bdi>.
        </Notice>
      )}
      <p>This link works once.</p>
      <PostButton class="button primary" action={c.req.path}>
        <span>
          Sign in as <bdi>{holder.name}</bdi>
        </span>
      </PostButton>
    </>,
  )
})

signInLink.post(LINK, limitForm, async (c) => {
  const ctx = c.get('ctx')
  if (!isTokenSignInAllowed(ctx.config)) {
    c.status(403)
    return accessPage(c)
  }
  const { holder, refusal } = await findHolder(c)
  if (!holder) return refusal
  setActorOf(c, holder, 'console')
  const session = await useLink(ctx, holder, browserOf(c))
  if (!session) return deadLinkPage(c)
  await setSessionCookie(c, session)
  return c.redirect(HOME, 303)
})

/** Counts failed attempts, also to open the page, because it says if a link works. */
async function findHolder(c: Http) {
  const { problem, refund } = await countSignIn(c)
  if (problem) return { holder: null, refusal: barePage(c, <Notice tone="danger">{problem}</Notice>) }
  const holder = await findByLink(c.get('ctx'), c.req.param('link')!)
  if (!holder) {
    if (c.req.method === 'POST') logFailedSignIn(c, 'console')
    return { holder, refusal: deadLinkPage(c) }
  }
  c.get('ctx').defer(refund())
  return { holder, refusal: null }
}

function deadLinkPage(c: Http) {
  c.status(400)
  return barePage(
    c,
    <>
      <Notice tone="danger">This link does not work.</Notice>
      <p>
        It was used or revoked, or it has expired. Ask for a new one, or{' '}
        <a href="/console/sign-in">sign in with a token</a>.
      </p>
    </>,
  )
}
