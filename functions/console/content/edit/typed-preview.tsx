/** Previews the typed text without saving it. */
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { guideUrl, postUrl } from '../../../../src/content/model/urls.ts'
import { requireRole } from '../../../../src/core/actor.ts'
import { createApp } from '../../../http/env.ts'
import { readForm } from '../../forms/form.ts'
import { previewPage } from '../preview.tsx'
import { HtmlProblems } from './html-problems.tsx'
import { withHtml } from './markdown.ts'

export function typedPreview(kind: ArticleKind) {
  const app = createApp()
  app.post(`/content/${kind}/:slug/preview`, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const site = c.get('site')
    const { values, lost } = await withHtml(await readForm(c))
    const { title = '', contentHtml = '', language: typed } = values
    const language = typed?.trim() || site.defaultLanguage
    const slug = c.req.param('slug')
    const url = kind === 'posts' ? postUrl(site, { slug, language }) : guideUrl(site, { slug })
    return previewPage(
      c,
      { title, contentHtml, language },
      { url, notice: <HtmlProblems html={contentHtml} leftOut={lost} /> },
    )
  })
  return app
}
