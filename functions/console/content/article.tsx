/** What the pages of posts and guides share. */
import type { Child } from 'hono/jsx'
import type * as z from 'zod/mini'
import type { Guide } from '../../../src/content/guides/guide.ts'
import type { Post } from '../../../src/content/posts/post.ts'
import type { ArticleKind } from '../../../src/foundation/article-filters.ts'
import { AppError } from '../../../src/foundation/errors.ts'
import type { Http } from '../../http/env.ts'
import { readForm } from '../form.ts'
import { itemPath, PARENT_LISTS } from '../parent-list.ts'
import { Badge } from '../parts/badge.tsx'
import { Snippet } from '../parts/copy.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { SiteButton } from '../parts/form.tsx'
import { ItemHeading, Section } from '../parts/heading.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../request-context.ts'
import { RequestSnippet } from '../request-snippet.tsx'
import { useSitePath } from '../site.ts'

type Article = Post | z.infer<typeof Guide>
export const KINDS = {
  posts: {
    ...PARENT_LISTS.posts,
    name: 'Posts',
    noun: 'post',
    importFlag: '',
    include: '?include=provenance,metadata',
  },
  guides: { ...PARENT_LISTS.guides, name: 'Guides', noun: 'guide', importFlag: ' --as guides', include: '' },
} as const satisfies Record<ArticleKind, object>

/** Longer JSON has a page of its own. */
const MAX_JSON_SHOWN = 200_000
/** A preview of less HTML gets a lower frame. Only a script could measure what it needs. */
const SHORT_HTML = 400

export function StatusBadge({
  status,
  readyAt = null,
}: {
  status: Article['status']
  readyAt?: Date | null
}) {
  if (status === 'published') return <Badge tone="success" text="Published" />
  return (
    <span>
      <Badge text="Draft" /> {readyAt && <Badge tone="success" text="Ready" />}
    </span>
  )
}

const BANDS = {
  premium: { tone: 'success', text: 'Premium' },
  standard: { tone: 'neutral', text: 'Standard' },
  review: { tone: 'warning', text: 'Review' },
} as const

export function QualityBadge({ band }: { band: Post['qualityBand'] }) {
  return band ? <Badge {...BANDS[band]} /> : <span class="muted">Not checked</span>
}

/** Follows the site's default language where an article has none of its own. */
export const DEFAULT_LANGUAGE = '(default)'

export function Language({ code }: { code: string | null }) {
  const { defaultLanguage } = useRequestContext().get('site')
  return (
    code ?? (
      <span class="muted">
        {defaultLanguage} {DEFAULT_LANGUAGE}
      </span>
    )
  )
}

type HeaderProps = { kind: ArticleKind; article: Article; badges: Child; children?: Child }

/** Title, state and the buttons that change it or the slug. `children` are further buttons. */
export function ArticleHeader({ kind, article, badges, children }: HeaderProps) {
  const path = itemPath(kind, article.slug)
  const draft = article.status === 'draft'
  return (
    <ItemHeading {...KINDS[kind]} title={article.title} badges={badges}>
      {children}
      <SiteButton
        needs="editor"
        action={`${path}/publication`}
        name="status"
        value={draft ? 'published' : 'draft'}
        class={draft ? 'button primary' : 'button'}
      >
        {draft ? 'Publish' : 'Unpublish'}
      </SiteButton>
      <ButtonLink needs="editor" to={`${path}/slug`} text="Rename" />
      <ButtonLink needs="editor" to={`${path}/deletion`} text="Delete" />
    </ItemHeading>
  )
}

/** The status that a form asks for. @throws AppError invalid_body for any other */
export async function readStatus(c: Http): Promise<'draft' | 'published'> {
  const { status } = await readForm(c)
  if (status !== 'draft' && status !== 'published')
    throw new AppError('invalid_body', { path: 'status', message: 'must be draft or published' })
  return status
}

type FactsSectionProps = { article: Article; url: string; children?: Child }

/** The fields that posts and guides share. `children` are further facts. */
export function FactsSection({ article, url, children }: FactsSectionProps) {
  const { slug, status, excerpt, readingTimeMinutes, publishedAt, updatedAt, id } = article
  return (
    <Section id="fields" title="Fields">
      <Facts>
        <Fact label="Slug">
          <code>{slug}</code>
        </Fact>
        <Fact label="URL">{status === 'published' ? <a href={url}>{url}</a> : `${url}, once published`}</Fact>
        <Fact label="Language">{'language' in article && <Language code={article.language} />}</Fact>
        <Fact label="Excerpt">{excerpt}</Fact>
        <Fact label="Reading time">{readingTimeMinutes !== null && `${readingTimeMinutes} min`}</Fact>
        <Fact label={status === 'published' ? 'Published' : 'Publication date'}>
          <Time at={publishedAt} none="Not yet" />
        </Fact>
        <Fact label="Updated">
          <Time at={updatedAt} />
        </Fact>
        {children}
        <Fact label="ID">
          <code>{id}</code>
        </Fact>
      </Facts>
    </Section>
  )
}

export function PreviewSection({ kind, article }: { kind: ArticleKind; article: Article }) {
  const path = `${itemPath(kind, article.slug)}/preview`
  const sitePath = useSitePath()
  if (article.contentHtml.trim() === '') {
    return (
      <Section id="preview" title="Preview">
        <p class="muted">The content is empty.</p>
      </Section>
    )
  }
  return (
    <Section
      id="preview"
      title="Preview"
      action={<SiteLink to={path}>Open on its own page</SiteLink>}
      lead="The content in plain typography. Scripts, forms and links are disabled."
    >
      <iframe
        class={article.contentHtml.length < SHORT_HTML ? 'preview short' : 'preview'}
        src={sitePath(path)}
        title={`Preview of ${article.title}`}
        sandbox=""
      />
    </Section>
  )
}

type JsonSectionProps = { kind: ArticleKind; article: Article; lead?: string | undefined }

/** The article as the API returns it, and the request that gets it. */
export function JsonSection({ kind, article, lead = 'As the API returns it.' }: JsonSectionProps) {
  const json = JSON.stringify(article, null, 2)
  return (
    <Section id="json" title="JSON" lead={lead}>
      <RequestSnippet
        title="Request"
        path={`/${kind}/${encodeURIComponent(article.slug)}${KINDS[kind].include}`}
      />
      {json.length <= MAX_JSON_SHOWN ? (
        <Snippet title="Response" text={json} scrolls />
      ) : (
        <p>
          The response has {Math.round(json.length / 1_000).toLocaleString('en')},000 characters.{' '}
          <SiteLink to={`${itemPath(kind, article.slug)}/json`}>Open it on its own page</SiteLink>
        </p>
      )}
    </Section>
  )
}
