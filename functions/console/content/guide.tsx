import { getArticle } from '../../../src/content/articles/read.ts'
import { deriveTextAgain } from '../../../src/content/articles/text.ts'
import { GUIDE, type Guide, GuideInput } from '../../../src/content/guides/guide.ts'
import { inspectGuide } from '../../../src/content/guides/inspect.ts'
import { putGuides } from '../../../src/content/guides/put.ts'
import { guideUrl } from '../../../src/content/model/urls.ts'
import { createApp, type Http } from '../../http/env.ts'
import { readUndoable } from '../actions/undo.tsx'
import { ArticleHeader, ContentSection, FactsSection, JsonSection, PublicationButton } from './article.tsx'
import { articleDeletion } from './article-deletion.tsx'
import { articleEdit } from './edit/edit.tsx'
import { GuideFilters, parentFilters } from './filters.tsx'
import { GuideHistorySection } from './history.tsx'
import { previewHeading, previewPage } from './preview.tsx'
import { DoneOfArticle, publication } from './publication.tsx'
import { revisions } from './revision.tsx'
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
      <JsonSection
        kind="guides"
        article={guide}
        lead={guide.status === 'draft' ? NOT_YET_SERVED : undefined}
      />
    </>,
    { tab: 'Content', title: guide.title },
  )
})

const NOT_YET_SERVED = 'The API response once the guide is published. Until then it is 404.'

guide.get(`${PATH}/preview`, async (c) => {
  const guide = await readGuide(c, c.req.param('slug'))
  const site = c.get('site')
  const heading = previewHeading(c, 'guides', guide)
  return previewPage(c, { ...guide, language: site.defaultLanguage }, { url: guideUrl(site, guide), heading })
})

guide.get(`${PATH}/json`, async (c) => c.json(await readGuide(c, c.req.param('slug'))))

guide.route('/', publication('guides', GUIDE, readGuide))
guide.route(
  '/',
  articleEdit('guides', { kind: GUIDE, put: putGuides, deriveAgain: deriveTextAgain }, GuideInput),
)
guide.route('/', revisions('guides', GUIDE))
guide.route('/', articleDeletion('guides', GUIDE, readGuide))

async function readGuide(c: Http, slug: string): Promise<Guide> {
  return JSON.parse(await getArticle(c.get('ctx'), GUIDE, c.get('site'), slug, { status: 'all' }))
}
