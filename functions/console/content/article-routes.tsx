/** The pages below a post or guide: preview, JSON, edit, revisions, publication and deletion. */
import { getArticle } from '../../../src/content/articles/read.ts'
import type { Guide } from '../../../src/content/guides/guide.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import type { Post } from '../../../src/content/posts/post.ts'
import { requireRole } from '../../../src/core/actor.ts'
import { createApp, type Http } from '../../http/env.ts'
import { readForm } from '../forms/form.ts'
import { KINDS } from './article.tsx'
import { articleDeletion } from './article-deletion.tsx'
import { HtmlProblems } from './edit/html-problems.tsx'
import { withHtml } from './edit/markdown.ts'
import { previewHeading, previewPage } from './preview.tsx'
import { publication } from './publication.tsx'
import { revisions } from './revision.tsx'

export function articleRoutes(kind: ArticleKind) {
  const path = `/content/${kind}/:slug` as const
  const { article: table, include, urlOf } = KINDS[kind]
  const app = createApp()

  const readJson = (c: Http, slug: string) =>
    getArticle(c.get('ctx'), table, c.get('site'), slug, { status: 'all', include: [...include] })
  const read = async (c: Http, slug: string): Promise<Post | Guide> => JSON.parse(await readJson(c, slug))

  app.get(`${path}/preview`, async (c) => {
    const site = c.get('site')
    const article = await read(c, c.req.param('slug'))
    const language = ('language' in article && article.language) || site.defaultLanguage
    const url = urlOf(site, { ...article, language })
    return previewPage(c, { ...article, language }, { url, heading: previewHeading(c, kind, article) })
  })

  // Previews the typed text without saving it.
  app.post(`${path}/preview`, async (c) => {
    requireRole(c.get('ctx'), 'editor')
    const site = c.get('site')
    const { values, lost } = await withHtml(await readForm(c))
    const { title = '', contentHtml = '', language: typed } = values
    const language = typed?.trim() || site.defaultLanguage
    const url = urlOf(site, { slug: c.req.param('slug'), language })
    const notice = <HtmlProblems html={contentHtml} leftOut={lost} />
    return previewPage(c, { title, contentHtml, language }, { url, notice })
  })

  app.get(`${path}/json`, async (c) =>
    c.body(await readJson(c, c.req.param('slug')), 200, { 'Content-Type': 'application/json' }),
  )

  app.route('/', publication(kind, read))
  app.route('/', revisions(kind))
  app.route('/', articleDeletion(kind, read))
  return app
}
