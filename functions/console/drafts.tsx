/** `/drafts/{token}`: previews a post without signing in, or redirects to the `previewUrl` of the site. */
import type { ErrorHandler } from 'hono'
import { createMiddleware } from 'hono/factory'
import { secureHeaders } from 'hono/secure-headers'
import { admitRequest } from '../../src/access/admission.ts'
import { getArticle } from '../../src/content/articles/read.ts'
import { postUrl, siteUrl } from '../../src/content/model/urls.ts'
import { POST, type Post } from '../../src/content/posts/post.ts'
import { previewCredential } from '../../src/content/posts/preview-links.ts'
import { AppError } from '../../src/core/errors.ts'
import { lookUpWithinBudget } from '../http/api-key.ts'
import { withContext } from '../http/context.ts'
import { createApp, type Env, type Http } from '../http/env.ts'
import { toErrorResponse } from '../http/errors.ts'
import { refuseMethods } from '../http/methods.ts'
import { applyQuota } from '../http/read.ts'
import { previewPage, sandboxPolicy } from './content/preview.tsx'
import { utcFormatter } from './parts/time.tsx'

const dayOf = utcFormatter({ day: 'numeric', month: 'short', year: 'numeric' })

const TEXTS: Record<number, { title: string; advice: string }> = {
  404: {
    title: 'This link does not work',
    advice: 'It has expired, was revoked or is incomplete. Ask for a new one.',
  },
  405: { title: 'Method not allowed', advice: 'Open the link in a browser.' },
  429: { title: 'Too many requests', advice: 'Try again later.' },
  500: { title: 'Something went wrong', advice: 'Try again in a minute.' },
}

const errorPage: ErrorHandler<Env> = async (error, c) => {
  const { status } = toErrorResponse(error, c)
  const { title, advice } = TEXTS[status] ?? TEXTS[500]!
  c.status(status)
  return messagePage(c, title, advice)
}

export const drafts = createApp()

drafts.onError(errorPage)

drafts.use(
  createMiddleware<Env>(async function keptPrivate(c, next) {
    await next()
    if (!c.res.headers.has('Content-Security-Policy'))
      c.header('Content-Security-Policy', sandboxPolicy("'none'", "'none'"))
    c.header('Cache-Control', 'no-store')
    c.header('X-Robots-Tag', 'noindex, nofollow')
  }),
)
drafts.use(
  secureHeaders({
    // Keeps the token from sites that the post links to.
    referrerPolicy: 'no-referrer',
    strictTransportSecurity: 'max-age=15552000',
    xFrameOptions: 'DENY',
  }),
)
drafts.use(refuseMethods(drafts, errorPage))
drafts.use(withContext)

drafts.get('/:token', async (c) => {
  const ctx = c.get('ctx')
  const token = c.req.param('token')
  const credential = await previewCredential(token, { siteId: null, refusal: 'not_found' })
  const presented = await lookUpWithinBudget(c, 'drafts', credential)
  if (!presented?.postId) throw new AppError('not_found')
  ctx.logFields.siteId = presented.siteId
  // Mail scanners and chat previews send HEAD, which must not use up the quota that all links of the site share.
  const isHead = c.req.method === 'HEAD'
  const mode = isHead ? 'peek' : 'consume'
  const { auth, quota } = await admitRequest(ctx, presented, () => ({ mode, dependsOnContent: false }))
  applyQuota(c, quota)
  const { site, postId = '' } = auth
  c.header('Content-Security-Policy', sandboxPolicy(siteUrl(site), "'none'"))
  if (isHead) {
    // Without the slug, which only Postgres knows.
    return site.previewUrl ? c.redirect(frontEndUrl(site.previewUrl, { token, id: postId }), 302) : c.html('')
  }
  const post: Post = JSON.parse(
    await getArticle(ctx, POST, site, postId, { status: 'all', include: ['metadata'], postId }),
  )
  const { id, slug } = post
  if (site.previewUrl) return c.redirect(frontEndUrl(site.previewUrl, { token, id, slug }), 302)
  const heading = (
    <header class="shared">
      <p>
        {post.status === 'draft' ? 'Draft' : 'Published'} · {site.domain}
      </p>
      <h1>{post.title}</h1>
      <Byline {...post} />
    </header>
  )
  return previewPage(
    c,
    { ...post, language: post.language ?? site.defaultLanguage },
    { url: postUrl(site, post), heading },
  )
})

function Byline({ metadata, publishedAt, readingTimeMinutes }: Post) {
  const parts = [
    metadata?.authors?.map(({ name }) => name).join(', '),
    publishedAt && dayOf(new Date(publishedAt)),
    readingTimeMinutes !== null && `${readingTimeMinutes} min read`,
  ].filter(Boolean)
  return parts.length > 0 ? <p>{parts.join(' · ')}</p> : null
}

for (const path of ['/', '/:token/:rest{.+}'])
  drafts.get(path, () => {
    throw new AppError('not_found')
  })

/** Passes the id as well, since the slug may change. */
function frontEndUrl(previewUrl: string, params: { token: string; id: string; slug?: string }): string {
  const url = new URL(previewUrl)
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value)
  return url.href
}

function messagePage(c: Http, title: string, advice: string) {
  const heading = (
    <header class="shared">
      <h1>{title}</h1>
    </header>
  )
  return previewPage(c, { title, contentHtml: `<p>${advice}</p>`, language: 'en' }, { heading })
}
