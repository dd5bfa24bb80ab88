/** The lists of posts and of guides. */
import type { Child } from 'hono/jsx'
import type * as z from 'zod/mini'
import type { Found } from '../../../src/content/articles/browse.ts'
import { browseGuides, type ListedGuide } from '../../../src/content/guides/browse.ts'
import { browsePosts, type PostRow } from '../../../src/content/posts/browse.ts'
import type { ArticleKind } from '../../../src/foundation/article-filters.ts'
import type { Context } from '../../../src/foundation/context.ts'
import type { SiteScope } from '../../../src/sites/sites.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { CommandSnippet } from '../command-snippet.tsx'
import { submit, type Values } from '../form.ts'
import { itemPath } from '../parent-list.ts'
import { Done } from '../parts/done.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { NumberedPager } from '../parts/pager.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useSitePath } from '../site.ts'
import { readAct } from './act.tsx'
import { KINDS, Language, QualityBadge, StatusBadge } from './article.tsx'
import { FilterForm, GuideFilters, isFiltered, PostFilters, pagePath, readFilters } from './filters.tsx'
import { KindNavigation } from './kinds.tsx'
import { SelectionBox, SelectionForm, SelectionNotice } from './selection.tsx'

const ARTICLES_A_PAGE = 50

export const lists = createApp()

lists.get('/content', (c) =>
  listPage(c, 'posts', PostFilters, browsePosts, (posts, values) => (
    <SelectionForm query={pagePath('', values, Number(values.page ?? 1))}>
      <Table
        label="Posts"
        columns={['Title', 'Status', 'Quality', 'Language', 'Translations', dateColumn(values)]}
        rows={posts.map((post) => [
          <>
            <SelectionBox slug={post.slug} title={post.title} />
            <Title kind="posts" article={post} />
          </>,
          <StatusBadge status={post.status} readyAt={post.readyAt} />,
          <QualityBadge band={post.qualityBand} />,
          <Language code={post.language} />,
          <Translations post={post} />,
          <ListedTime article={post} values={values} />,
        ])}
      />
    </SelectionForm>
  )),
)

lists.get('/content/guides', (c) =>
  listPage(c, 'guides', GuideFilters, browseGuides, (guides, values) => (
    <Table
      label="Guides"
      columns={['Title', 'Status', dateColumn(values)]}
      rows={guides.map((guide) => [
        <Title kind="guides" article={guide} />,
        <StatusBadge status={guide.status} />,
        <ListedTime article={guide} values={values} />,
      ])}
    />
  )),
)

/** A list by date of publication shows that date. */
const isByPublication = ({ sort, publishedFrom, publishedTo }: Values) =>
  Boolean(sort?.startsWith('published') || publishedFrom || publishedTo)

const dateColumn = (values: Values) => (isByPublication(values) ? 'Published' : 'Updated')

type ListedTimeProps = { article: PostRow | ListedGuide; values: Values }

function ListedTime({ article: { publishedAt, updatedAt }, values }: ListedTimeProps) {
  return isByPublication(values) ? <Time at={publishedAt} none="Not yet" /> : <Time at={updatedAt} />
}

async function listPage<Article, Filters extends z.ZodMiniType<{ page: number }>>(
  c: Http,
  kind: ArticleKind,
  filters: Filters,
  browse: (
    ctx: Context,
    site: SiteScope,
    input: z.output<Filters> & { pageSize: number },
  ) => Promise<Found<Article>>,
  toTable: (articles: Article[], values: Values) => Child,
) {
  const { values, input } = readFilters(c.req.queries())
  const { result, errors } = await submit(filters, input, (given) =>
    browse(c.get('ctx'), c.get('site'), { ...given, pageSize: ARTICLES_A_PAGE }),
  )
  if (errors) c.status(400)
  const act = await readAct(c, kind)
  const { name, list } = KINDS[kind]
  const problem = errors?.[''] ?? (errors?.page && `The page ${errors.page}`)
  return c.render(
    <>
      <PageHeading title="Content" />
      <KindNavigation current={kind} />
      <Done of={kind} />
      {kind === 'posts' && <SelectionNotice act={act} />}
      {problem && <Notice tone="danger">{problem}.</Notice>}
      {result?.total === 0 && !isFiltered(values) ? (
        <NothingYet kind={kind} siteId={c.get('site').id} />
      ) : (
        <>
          <FilterForm kind={kind} list={list} values={values} errors={errors ?? {}} />
          {result && (
            <Results kind={kind} values={values} found={result}>
              {toTable(result.items, values)}
            </Results>
          )}
        </>
      )}
    </>,
    { tab: 'Content', title: name },
  )
}

type ResultsProps = { kind: ArticleKind; values: Values; found: Found<unknown>; children: Child }

function Results({ kind, values, found: { items, total, totalPages }, children }: ResultsProps) {
  const path = useSitePath()
  const { list } = KINDS[kind]
  const page = Number(values.page ?? 1)
  if (total === 0) {
    return (
      <EmptyState title={`No ${kind} match`}>
        <p>Remove a filter, or clear all of them.</p>
        <ButtonLink to={list} text="Clear filters" />
      </EmptyState>
    )
  }
  if (items.length === 0) {
    return (
      <EmptyState title="No such page">
        <p>The list ends before page {page.toLocaleString('en')}.</p>
        <ButtonLink to={pagePath(list, values, totalPages)} text="Last page" />
      </EmptyState>
    )
  }
  const first = (page - 1) * ARTICLES_A_PAGE + 1
  const last = first + items.length - 1
  const all = formatQuantity(total, KINDS[kind].noun)
  return (
    <>
      <p class="muted count" role="status">
        {totalPages > 1 ? `${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ${all}` : all}
      </p>
      <div class="articles">{children}</div>
      <NumberedPager
        label={`Pages of ${kind}`}
        page={page}
        totalPages={totalPages}
        href={(number) => path(pagePath(list, values, number))}
      />
    </>
  )
}

function NothingYet({ kind, siteId }: { kind: ArticleKind; siteId: string }) {
  const { noun, importFlag } = KINDS[kind]
  return (
    <>
      <EmptyState title={`No ${kind} yet`}>
        <p>
          Import a folder of Markdown, or put JSON with a slug, a title and contentHtml. Both are commands
          that you can run again: {kind} that exist are updated.
        </p>
      </EmptyState>
      <CommandSnippet
        title="Import Markdown"
        command={`import markdown ${siteId} path/to/folder${importFlag}`}
      />
      <CommandSnippet title={`Put a ${noun}`} command={`${noun} put ${siteId} ${noun}.json`} />
    </>
  )
}

function Title({ kind, article }: { kind: ArticleKind; article: PostRow | ListedGuide }) {
  return (
    <>
      <SiteLink to={itemPath(kind, article.slug)} title={article.title}>
        {article.title}
      </SiteLink>
      <code class="slug" dir="auto">
        {article.slug}
      </code>
    </>
  )
}

function Translations({ post }: { post: PostRow }) {
  if (post.sourceSlug !== null) {
    return (
      <SiteLink to={itemPath('posts', post.sourceSlug)} title={post.sourceSlug}>
        Source
      </SiteLink>
    )
  }
  return post.translations > 0 ? String(post.translations) : <span class="muted none">None</span>
}
