/**
 * An article's HTML as a sandboxed document: no scripts, forms, refreshes or navigation, and an opaque origin, both in
 * the console's frame and on its own.
 */
import { createMiddleware } from 'hono/factory'
import { html, raw } from 'hono/html'
import { siteUrl } from '../../../src/foundation/urls.ts'
import type { Env, Http } from '../../http/env.ts'
import { assetUrls } from '../assets.ts'

/** The path below a site. */
export const PREVIEW = '/content/:kind{posts|guides}/:slug/preview'

/** `base` is the site on its own domain, where addresses without a host lead. */
const policy = (base: string) =>
  [
    'sandbox',
    "default-src 'none'",
    "style-src 'self'",
    'img-src https: data:',
    `base-uri ${base}`,
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')

/** Replaces the headers of the console's pages, also for an error: both are shown in a frame of ours. */
export const previewHeaders = createMiddleware<Env>(async function previewHeaders(c, next) {
  await next()
  const site = c.get('site')
  c.header('Content-Security-Policy', policy(site ? siteUrl(site) : "'none'"))
  c.header('X-Frame-Options', 'SAMEORIGIN')
})

type Previewed = { title: string; contentHtml: string; language?: string | null }

/** `url` is the article's own. */
export async function previewPage(c: Http, { title, contentHtml, language }: Previewed, url: string) {
  const { preview } = await assetUrls(c)
  const head = (
    <head>
      <meta charset="utf-8" />
      <title>{title}</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      {/* Before the base, which is another host. */}
      <link rel="stylesheet" href={preview} />
      {/* For the images. The sandbox opens no windows, so links do nothing. */}
      <base href={url} target="_blank" />
    </head>
  )
  return c.html(html`<!doctype html><html lang="${language || c.get('site').defaultLanguage}">${head}<body dir="auto">
${raw(contentHtml)}
</body></html>`)
}
