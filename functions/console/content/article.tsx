import type { Child } from 'hono/jsx'
import type { Neighbour, Neighbours } from '../../../src/content/articles/neighbours.ts'
import { GUIDE, type Guide } from '../../../src/content/guides/guide.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { guideUrl, postUrl } from '../../../src/content/model/urls.ts'
import { POST, type Post } from '../../../src/content/posts/post.ts'
import { useDone } from '../actions/done.tsx'
import { addQuery, itemPath, PARENT_LISTS } from '../parent-list.ts'
import { Snippet } from '../parts/copy.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { ItemHeading, MoreMenu, Section } from '../parts/page.tsx'
import { NeighbourLinks } from '../parts/pager.tsx'
import { RequireRole } from '../parts/require-role.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Time } from '../parts/time.tsx'
import { RequestSnippet } from '../request-snippet.tsx'
import { useRequestContext, useSitePath } from '../site.ts'
import { HtmlProblems } from './edit/html-problems.tsx'
import { Picture, type PostImage } from './picture.tsx'
import { FRAMED } from './preview.tsx'
import { parseArticleHtml } from './reading.tsx'

type Article = Post | Guide
export const KINDS = {
  posts: {
    ...PARENT_LISTS.posts,
    name: 'Posts',
    noun: 'post',
    create: '/content/new/posts',
    article: POST,
    urlOf: postUrl,
    include: ['provenance', 'metadata'],
  },
  guides: {
    ...PARENT_LISTS.guides,
    name: 'Guides',
    noun: 'guide',
    create: '/content/new/guides',
    article: GUIDE,
    urlOf: guideUrl,
    include: [],
  },
} as const satisfies Record<ArticleKind, object>

export const unpublishingEffect = (kind: ArticleKind, them: 'it' | 'them') =>
  kind === 'posts'
    ? `The sitemap and the feeds leave ${them} out, and keys for published content no longer read ${them}.`
    : `The API and the sitemap leave ${them} out.`

/** Longer JSON has a page of its own. */
const MAX_JSON_SHOWN = 200_000
/** Longer HTML is shown in a frame. */
const MAX_HTML_READ = 200_000

export function Language({ code }: { code: string | null }) {
  const { defaultLanguage } = useRequestContext().get('site')
  return code ?? defaultLanguage
}

type HeaderProps = {
  kind: ArticleKind
  article: Article
  badges: Child
  neighbours: Neighbours
  url: string
  /** Buttons before Edit. */
  publish?: Child
  /** Further items of the menu. */
  more?: Child
}

/** Title, state and actions: `publish`, Edit, and a menu of what people need less often. */
export function ArticleHeader({ kind, article, badges, neighbours, url, publish, more }: HeaderProps) {
  const { slug, status, updatedAt } = article
  const path = itemPath(kind, slug)
  const isDraft = status === 'draft'
  return (
    <ItemHeading
      title={article.title}
      badges={
        <>
          {badges}
          {!isDraft && <a href={url}>View live</a>}
          <span class="muted">
            Updated <Time at={updatedAt} isRelative />
          </span>
        </>
      }
      end={
        <>
          <NeighbourLinks
            of={KINDS[kind].noun}
            previous={toItem(kind, neighbours.previous)}
            next={toItem(kind, neighbours.next)}
          />
          <MoreMenu>
            <SiteLink to={`${path}/preview`}>Preview</SiteLink>
            {more}
            {Object.entries({ URL: url, slug, ID: article.id }).map(([what, text]) => (
              <button type="button" data-copy={text} hidden>
                Copy {what}
              </button>
            ))}
            <RequireRole needs="editor">
              <SiteLink to={`${path}/edit#slug`}>Change slug</SiteLink>
              <SiteLink to={`${path}/deletion`} class="danger">
                Delete…
              </SiteLink>
            </RequireRole>
          </MoreMenu>
        </>
      }
    >
      {publish}
      <ButtonLink needs="editor" to={`${path}/edit`} text="Edit" look={publish ? undefined : 'primary'} />
      {!isDraft && <PublicationButton kind={kind} slug={slug} text="Unpublish" />}
    </ItemHeading>
  )
}

type PublicationProps = { kind: ArticleKind; slug: string; text: 'Publish' | 'Unpublish' }

export function PublicationButton({ kind, slug, text }: PublicationProps) {
  const isUnpublish = text === 'Unpublish'
  return (
    <PostButton
      needs="editor"
      action={`${itemPath(kind, slug)}/publication`}
      name="status"
      value={isUnpublish ? 'draft' : 'published'}
      class={isUnpublish ? 'button' : 'button primary'}
    >
      {text}
    </PostButton>
  )
}

const toItem = (kind: ArticleKind, article: Neighbour | null) =>
  article && { to: itemPath(kind, article.slug), title: article.title }

type FactsSectionProps = {
  article: Article
  url: string
  /** Left out if it follows from the content. */
  excerpt?: string | null | undefined
  children?: Child
}

/** Fields of posts and guides that the heading does not have. `children` are further facts. */
export function FactsSection({ article, url, excerpt, children }: FactsSectionProps) {
  const { status, publishedAt, readingTimeMinutes } = article
  const isPast = publishedAt !== null && Date.parse(publishedAt) <= Date.now()
  return (
    <Section id="fields" title="Fields">
      <Facts>
        <Fact label="URL">
          <code>{new URL(url).pathname}</code>
        </Fact>
        <Fact label="Language">{'language' in article && <Language code={article.language} />}</Fact>
        <Fact label="Reading time">{readingTimeMinutes !== null && `${readingTimeMinutes} min`}</Fact>
        <Fact label={status === 'published' ? 'Published' : 'Publish date'}>
          {publishedAt && <Time at={publishedAt} isRelative={isPast} />}
        </Fact>
        {children}
        <Fact label="Excerpt">{excerpt}</Fact>
      </Facts>
    </Section>
  )
}

type ContentSectionProps = {
  kind: ArticleKind
  article: Article
  url: string
  language: string
  image?: PostImage | null | undefined
}

/** Shows the content, in a frame if it is too long. */
export function ContentSection({ kind, article, url, language, image }: ContentSectionProps) {
  const { contentHtml, title } = article
  const path = useSitePath()
  const reading = contentHtml.length <= MAX_HTML_READ ? parseArticleHtml(contentHtml, url) : null
  const isEmpty = contentHtml.trim() === ''
  const preview = `${itemPath(kind, article.slug)}/preview` as const
  return (
    <section id="content" aria-labelledby="content-title">
      <h2 id="content-title" class="visually-hidden">
        Content
      </h2>
      {['created', 'edited', 'renamed', 'moved', 'co-edited'].includes(useDone(KINDS[kind].noun) ?? '') && (
        <HtmlProblems html={contentHtml} />
      )}
      {image && <Picture image={image} base={url} />}
      {isEmpty && <p class="muted">No content.</p>}
      {reading && reading.left.length > 0 && (
        <p class="hint">
          Not shown here: {reading.left.join(', ')}. The preview shows everything except scripts and frames;
          the site shows it all.
        </p>
      )}
      {reading ? (
        <div class="reading" lang={language} dir="auto">
          {reading.content}
        </div>
      ) : (
        <>
          <iframe
            class="preview"
            src={path(addQuery(preview, FRAMED))}
            title={`Preview of ${title}`}
            sandbox=""
          />
          <p class="hint">
            This long text scrolls. <SiteLink to={preview}>Open it on a separate page</SiteLink>
          </p>
        </>
      )}
    </section>
  )
}

export function JsonSection({ kind, article }: { kind: ArticleKind; article: Article }) {
  const { include } = KINDS[kind]
  const query = include.length > 0 ? `?include=${include.join(',')}` : ''
  const json = JSON.stringify(article, null, 2)
  return (
    <details id="json" class="folded">
      <summary>JSON</summary>
      <p class="muted">
        The API response
        {kind === 'guides' &&
          article.status === 'draft' &&
          ' once the guide is published. Until then it is 404'}
        .
      </p>
      <RequestSnippet title="Request" path={`/${kind}/${encodeURIComponent(article.slug)}${query}`} />
      {json.length <= MAX_JSON_SHOWN ? (
        <Snippet title="Response" text={json} scrolls />
      ) : (
        <p>
          The response has {Math.round(json.length / 1_000).toLocaleString('en')},000 characters.{' '}
          <SiteLink to={`${itemPath(kind, article.slug)}/json`}>Open it on a separate page</SiteLink>
        </p>
      )}
    </details>
  )
}
