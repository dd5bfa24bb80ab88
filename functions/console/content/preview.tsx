/** An article's HTML as a sandboxed document: no scripts, forms or refreshes, and an opaque origin. */
import { createMiddleware } from 'hono/factory'
import { html, raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { Guide } from '../../../src/content/guides/guide.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { siteUrl } from '../../../src/content/model/urls.ts'
import type { Post } from '../../../src/content/posts/post.ts'
import type { Env, Http } from '../../http/env.ts'
import { assetUrls } from '../assets.ts'
import { itemPath } from '../parent-list.ts'
import { sitePath } from '../site.ts'
import { Picture, type PostImage } from './picture.tsx'

export const ARTICLE = '/content/:kind{posts|guides}/:slug'
export const PREVIEW = `${ARTICLE}/preview` as const

/** `base` is the site on its own domain, for relative URLs. `ancestors` may frame the page. */
export const sandboxPolicy = (base: string, ancestors: string) =>
  [
    'sandbox',
    "default-src 'none'",
    "style-src 'self'",
    'img-src https: data:',
    `base-uri ${base}`,
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ')

/** Lets the console frame previews and their error pages. */
export const previewHeaders = createMiddleware<Env>(async function previewHeaders(c, next) {
  await next()
  const site = c.get('site')
  c.header('Content-Security-Policy', sandboxPolicy(site ? siteUrl(site) : "'none'", "'self'"))
  c.header('X-Frame-Options', 'SAMEORIGIN')
})

type Previewed = {
  title: string
  contentHtml: string
  language: string
  metadata?: { image?: PostImage | null | undefined } | null | undefined
}

/** The query of a preview inside another page. */
export const FRAMED = { framed: 'yes' }

/** The state and the way back, for a preview that is the whole page. */
export function previewHeading(c: Http, kind: ArticleKind, { slug, title, status }: Post | Guide): Child {
  if (c.req.query('framed')) return ''
  // In full and in this window: the base of the page is the site, and the sandbox opens no windows.
  const back = new URL(sitePath(c, itemPath(kind, slug)), c.req.url).href
  return (
    <header class="shared">
      <p>
        {status === 'draft' ? 'Draft' : 'Published'} ·{' '}
        <a href={back} target="_self">
          Back to the {kind === 'posts' ? 'post' : 'guide'}
        </a>
      </p>
      <h1>{title}</h1>
    </header>
  )
}

type PreviewOptions = {
  /** The article's URL, to resolve relative URLs. */
  url?: string
  /** Adds a heading and a `<main>`, for a whole page. */
  heading?: Child
  /** Shown above the content. */
  notice?: Child
}

export async function previewPage(
  c: Http,
  { title, contentHtml, language, metadata }: Previewed,
  { url, heading = '', notice = '' }: PreviewOptions = {},
) {
  const { theme, article } = await assetUrls(c)
  const head = (
    <head>
      <meta charset="utf-8" />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {/* Before the base, which is on another host. */}
      <link rel="stylesheet" href={theme} />
      <link rel="stylesheet" href={article} />
      {/* For images. The sandbox opens no windows, so links without their own target do nothing. */}
      {url && <base href={url} target="_blank" />}
    </head>
  )
  const image = url && metadata?.image ? <Picture image={metadata.image} base={url} /> : ''
  return c.html(html`<!doctype html><html lang="${language}">${head}<body class="reading" dir="auto">${notice}${heading && html`${heading}<main>`}${image}
${raw(contentHtml)}
</body></html>`)
}
