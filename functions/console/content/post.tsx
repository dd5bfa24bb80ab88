import type { Child } from 'hono/jsx'
import type { GUIDE_FIELDS } from '../../../src/content/guides/guide.ts'
import { postUrl } from '../../../src/content/model/urls.ts'
import { asFilters } from '../../../src/content/posts/browse.ts'
import { deriveAgain } from '../../../src/content/posts/derive.ts'
import { type InspectedPost, inspectPost, type Translation } from '../../../src/content/posts/inspect.ts'
import { POST, type Post, PostInput } from '../../../src/content/posts/post.ts'
import { putPosts } from '../../../src/content/posts/put.ts'
import { markPostReady } from '../../../src/content/posts/readiness.ts'
import { createApp } from '../../http/env.ts'
import { redirectDone } from '../actions/done.tsx'
import { readUndoable } from '../actions/undo.tsx'
import { itemPath } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { Fact } from '../parts/facts.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { oneLine } from '../parts/one-line.ts'
import { Section } from '../parts/page.tsx'
import { RequireRole, useAllowed } from '../parts/require-role.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { redirectInSite } from '../site.ts'
import {
  ArticleHeader,
  ContentSection,
  FactsSection,
  JsonSection,
  Language,
  PublicationButton,
} from './article.tsx'
import { articleRoutes } from './article-routes.tsx'
import { ChangeRequestLink, ChangeRequestNotice, changeRequests } from './change-request.tsx'
import { REVIEW_STATUSES } from './edit/controls.ts'
import { articleEdit } from './edit/edit.tsx'
import { PostFilters, parentFilters } from './filters.tsx'
import { HistorySection, ReadinessNotice } from './history.tsx'
import { FaqSection, MetadataSection, ProvenanceSection, SeoSection } from './metadata.tsx'
import { LinksSection, NewLinkButton, previewLinks } from './preview-links.tsx'
import { DoneOfArticle } from './publication.tsx'
import { CancelledNotice, ScheduleMenu, ScheduleNotice, schedules } from './schedule.tsx'
import { BAND_NAMES, QualityBadge, StatusBadge } from './state-badges.tsx'

const PATH = '/content/posts/:slug'

export const post = createApp()

post.get(PATH, async (c) => {
  const site = c.get('site')
  const list = asFilters(site, parentFilters(c, 'posts', PostFilters))
  const inspected = await inspectPost(c.get('ctx'), site, c.req.param('slug'), list)
  const { post, publishAt, isBlocked, translations } = inspected
  const url = postUrl(site, post)
  const undoable = await readUndoable(c, 'posts')
  const isDraft = post.status === 'draft'
  const { excerpt, seo } = ownTexts(post)
  return c.render(
    <>
      <ArticleHeader
        kind="posts"
        article={post}
        badges={<StatusBadge status={post.status} {...inspected} />}
        neighbours={inspected.neighbours}
        url={url}
        publish={
          isDraft &&
          !isBlocked && (
            <>
              <PublicationButton kind="posts" slug={post.slug} text="Publish" />
              <ScheduleMenu {...inspected} />
              {!publishAt && <MarkReady {...inspected} />}
            </>
          )
        }
        more={
          <RequireRole needs="editor">
            <MarkReady {...inspected} class={publishAt ? '' : 'if-narrow'} />
            {isDraft && <NewLinkButton post={post} />}
            <ChangeRequestLink {...inspected} />
          </RequireRole>
        }
      />
      <DoneOfArticle kind="posts" article={post} undoable={undoable} />
      <CancelledNotice {...inspected} />
      <ChangeRequestNotice {...inspected} />
      <ScheduleNotice {...inspected} />
      {!isBlocked && <ReadinessNotice {...inspected} />}
      <div class="article-page">
        <ContentSection
          kind="posts"
          article={post}
          url={url}
          language={post.language ?? site.defaultLanguage}
          image={post.metadata?.image}
        />
        <FaqSection faq={post.faqJsonLd} />
        <aside aria-label="About the post">
          <FactsSection article={post} url={url} excerpt={excerpt}>
            {Object.values(FACTS).map(({ label, of }) => (
              <Fact label={label}>{of(post)}</Fact>
            ))}
          </FactsSection>
          <HistorySection inspected={inspected} />
          <ProvenanceSection provenance={post.provenance} />
          <MetadataSection metadata={post.metadata} />
          <SeoSection seo={seo ?? null} />
          {translations.length > 0 && <TranslationsSection translations={translations} />}
          <LinksSection post={post} links={inspected.links} />
        </aside>
      </div>
      <JsonSection kind="posts" article={post} />
    </>,
    { tab: 'Content', title: post.title },
  )
})

/** Without texts that follow from the content. */
function ownTexts({ slug, title, contentHtml, excerpt, readingTimeMinutes, seo, metadata }: Post) {
  const stored = { slug, title, contentHtml, excerpt, readingTimeMinutes, seo, tags: metadata?.tags }
  return { excerpt, ...deriveAgain(stored, {}) }
}

/** Fields that the page shows elsewhere. */
type Placed =
  | keyof typeof GUIDE_FIELDS
  | 'language'
  | 'sourcePostId'
  | 'provenance'
  | 'metadata'
  | 'readiness'
  | 'seo'
  | 'faqJsonLd'
  | 'schemaBundle'

/** The other fields, in the order of the page. */
const FACTS: Record<Exclude<keyof Post, Placed>, { label: string; of: (post: Post) => Child }> = {
  qualityBand: {
    label: 'Quality',
    of: ({ slug, qualityBand }) =>
      qualityBand ? <QualityBadge band={qualityBand} /> : <Unchecked slug={slug} />,
  },
  // A notice says that changes are requested.
  reviewStatus: {
    label: 'Approval',
    of: ({ reviewStatus }) =>
      reviewStatus && reviewStatus !== 'changes_requested' && REVIEW_STATUSES[reviewStatus],
  },
  assuranceLabel: { label: 'Assurance', of: ({ assuranceLabel }) => assuranceLabel },
  aiGenerated: { label: 'AI-generated', of: ({ aiGenerated }) => aiGenerated && 'Yes' },
}

/** Only a draft with a quality band can be marked ready. */
function MarkReady({ post, readyAt, isBlocked, class: className }: InspectedPost & { class?: string }) {
  const { slug, status, qualityBand } = post
  if (status !== 'draft' || qualityBand === null || readyAt !== null || isBlocked) return null
  return (
    <PostButton needs="editor" class={className} action={`${itemPath('posts', slug)}/readiness`}>
      Mark ready
    </PostButton>
  )
}

/** Leads to the field that a post without a quality band needs. */
function Unchecked({ slug }: { slug: string }) {
  const badge = <Badge text={BAND_NAMES.none} />
  if (!useAllowed('editor')) return badge
  return <SiteLink to={`${itemPath('posts', slug)}/edit#qualityBand`}>{badge}</SiteLink>
}

function TranslationsSection({ translations }: { translations: Translation[] }) {
  return (
    <Section id="translations" title="Translations">
      <Table
        label="Translations"
        columns={['Title', 'Language', 'Status', '']}
        rows={translations.map(({ slug, title, language, status, isSource }) => [
          <SiteLink to={itemPath('posts', slug)}>{oneLine(title)}</SiteLink>,
          <Language code={language} />,
          <StatusBadge status={status} />,
          isSource && 'Source',
        ])}
      />
    </Section>
  )
}

post.post(`${PATH}/readiness`, async (c) => {
  const slug = c.req.param('slug')
  const options = { unlessChangesRequested: true }
  const { alreadyReady } = await markPostReady(c.get('ctx'), c.get('site'), slug, options)
  const page = itemPath('posts', slug)
  return alreadyReady ? redirectDone(c, page, 'post', 'already') : redirectInSite(c, page)
})

post.route('/', previewLinks)
post.route('/', schedules)
post.route('/', changeRequests)
post.route('/', articleEdit('posts', { kind: POST, put: putPosts, deriveAgain }, PostInput))
post.route('/', articleRoutes('posts'))
