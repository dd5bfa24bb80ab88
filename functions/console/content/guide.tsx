import { deriveTextAgain } from '../../../src/content/articles/text.ts'
import { GUIDE, GuideInput } from '../../../src/content/guides/guide.ts'
import { inspectGuide } from '../../../src/content/guides/inspect.ts'
import { putGuides } from '../../../src/content/guides/put.ts'
import { guideUrl } from '../../../src/content/model/urls.ts'
import { createApp } from '../../http/env.ts'
import { readUndoable } from '../actions/undo.tsx'
import { ArticleHeader, ContentSection, FactsSection, JsonSection, PublicationButton } from './article.tsx'
import { articleRoutes } from './article-routes.tsx'
import { articleEdit } from './edit/edit.tsx'
import { GuideFilters, parentFilters } from './filters.tsx'
import { GuideHistorySection } from './history.tsx'
import { DoneOfArticle } from './publication.tsx'
import { StatusBadge } from './state-badges.tsx'

const PATH = '/content/guides/:slug'

export const guide = createApp()

guide.get(PATH, async (c) => {
  const site = c.get('site')
  const list = parentFilters(c, 'guides', GuideFilters)
  const inspected = await inspectGuide(c.get('ctx'), site, c.req.param('slug'), list)
  const { guide, neighbours } = inspected
  const url = guideUrl(site, guide)
  const undoable = await readUndoable(c, 'guides')
  return c.render(
    <>
      <ArticleHeader
        kind="guides"
        article={guide}
        badges={<StatusBadge status={guide.status} />}
        neighbours={neighbours}
        url={url}
        publish={
          guide.status === 'draft' && <PublicationButton kind="guides" slug={guide.slug} text="Publish" />
        }
      />
      <DoneOfArticle kind="guides" article={guide} undoable={undoable} />
      <div class="article-page">
        <ContentSection kind="guides" article={guide} url={url} language={site.defaultLanguage} />
        <aside aria-label="About the guide">
          <FactsSection
            article={guide}
            url={url}
            {...{ excerpt: guide.excerpt, ...deriveTextAgain(guide, {}) }}
          />
          <GuideHistorySection {...inspected} />
        </aside>
      </div>
      <JsonSection kind="guides" article={guide} />
    </>,
    { tab: 'Content', title: guide.title },
  )
})

guide.route(
  '/',
  articleEdit('guides', { kind: GUIDE, put: putGuides, deriveAgain: deriveTextAgain }, GuideInput),
)
guide.route('/', articleRoutes('guides'))
