/**
 * An article's HTML as a sandboxed document: no scripts, forms or refreshes, and an opaque origin, in the
 * console's frame, on its own, and behind a link to a draft.
 */
import { createMiddleware } from 'hono/factory'
import { html, raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { siteUrl } from '../../../src/content/model/urls.ts'
import type { Env, Http } from '../../http/env.ts'
import { assetUrls } from '../assets.ts'

/** The paths below a site. */
export const ARTICLE = '/content/:kind{posts|guides}/:slug'
export const PREVIEW = `${ARTICLE}/preview` as const

/** `base` is the site on its own domain, where addresses without a host lead; `ancestors` may show it in a frame. */
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

/** Replaces the headers of the console's pages, also for an error: both are shown in a frame of ours. */
export const previewHeaders = createMiddleware<Env>(async function previewHeaders(c, next) {
  await next()
  const site = c.get('site')
  c.header('Content-Security-Policy', sandboxPolicy(site ? siteUrl(site) : "'none'", "'self'"))
  c.header('X-Frame-Options', 'SAMEORIGIN')
})

type Previewed = { title: string; contentHtml: string; language: string }

type Around = {
  /** The article's own. Without one, addresses in it lead nowhere. */
  url?: string
  /** For a page that stands alone. */
  heading?: Child
  /** Stands above it, such as warnings about its HTML. */
  notice?: Child
}

export async function previewPage(
  c: Http,
  { title, contentHtml, language }: Previewed,
  { url, heading = '', notice = '' }: Around = {},
) {
  const { preview } = await assetUrls(c)
  const head = (
    <head>
      <meta charset="utf-8" />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {/* Before the base, which is another host. */}
      <link rel="stylesheet" href={preview} />
      {/* For the images. The sandbox opens no windows, so links do nothing but for those with a target of their own. */}
      {url && <base href={url} target="_blank" />}
    </head>
  )
  return c.html(html`<!doctype html><html lang="${language}">${head}<body dir="auto">${notice}${heading && html`${heading}<main>`}
${raw(contentHtml)}
</body></html>`)
}
