/** The lists of posts and of guides. */
import type { Child } from 'hono/jsx'
import type * as z from 'zod/mini'
import type { BrowsedPage } from '../../../src/content/articles/browse.ts'
import { browseGuides, type ListedGuide } from '../../../src/content/guides/browse.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { postUrl } from '../../../src/content/model/urls.ts'
import { browsePosts, type PostRow } from '../../../src/content/posts/browse.ts'
import type { Context } from '../../../src/context.ts'
import { MAX_ARTICLES } from '../../../src/core/limits.ts'
import type { SiteScope } from '../../../src/db/site-scope.ts'
import { createApp } from '../../http/create-app.ts'
import type { Http } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { SelectBox } from '../actions/selectable.tsx'
import { readUndoable } from '../actions/undo.tsx'
import { assetUrls } from '../assets.ts'
import { type Errors, submit } from '../forms/form.ts'
import type { Values } from '../forms/three-way-merge.ts'
import { addQuery, itemPath } from '../parent-list.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Notice } from '../parts/notice.tsx'
import { NumberedPager } from '../parts/pager.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { useAllowed } from '../parts/require-role.tsx'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../request-context.ts'
import { useSitePath } from '../site.ts'
import { KINDS, Language, QualityBadge, StatusBadge } from './article.tsx'
import { FilterForm, GuideFilters, isFiltered, PostFilters, pagePath, readFilters } from './filters.tsx'
import { ContentHeading } from './kinds.tsx'
import { NewArticleLink } from './new-article.tsx'
import { NothingYet } from './nothing-yet.tsx'
import { Picture } from './picture.tsx'
import { SelectionForm } from './selection/selection-form.tsx'
import { SelectionNotice } from './selection/selection-notice.tsx'
import { PostTabs } from './tabs.tsx'

const ARTICLES_A_PAGE = 50

export const lists = createApp()

lists.get('/content', (c) => postsPage(c, []))

/** The list with these posts selected. `?select=all` shows the largest allowed selection on one page. */
export function postsPage(c: Http, slugs: string[]) {
  const isWhole = c.req.query('select') === 'all' && !c.req.query('page')
  return listPage(c, 'posts', PostFilters, browsePosts, {
    pageSize: isWhole ? MAX_ARTICLES : ARTICLES_A_PAGE,
    tabs: (values, { counts = [] }) => <PostTabs values={values} counts={counts} />,
    table: (values, { items, totalPages }) => {
      const shown = new Set(items.map(({ slug }) => slug))
      return (
        <SelectionForm
          values={values}
          page={Number(values.page ?? 1)}
          totalPages={isWhole ? 1 : totalPages}
          elsewhere={slugs.filter((slug) => !shown.has(slug))}
          isWhole={isWhole}
        >
          <PostTable
            posts={items}
            values={values}
            isSelected={({ slug }) => isWhole || slugs.includes(slug)}
          />
        </SelectionForm>
      )
    },
  })
}

type PostTableProps = { posts: PostRow[]; values: Values; isSelected: (post: PostRow) => boolean }

function PostTable({ posts, values, isSelected }: PostTableProps) {
  const site = useRequestContext().get('site')
  const hasImages = posts.some(({ imageUrl }) => imageUrl !== null)
  const areTranslated = posts.some(({ sourceSlug, translations }) => sourceSlug !== null || translations > 0)
  const columns: [string, (post: PostRow) => Child][] = [
    [
      'Title',
      (post) => (
        <>
          <SelectBox name="slug" value={post.slug} title={post.title} checked={isSelected(post)} />
          {hasImages && (
            <Picture image={{ url: post.imageUrl ?? '' }} base={postUrl(site, post)} isThumbnail />
          )}
          <Title kind="posts" article={post} />
        </>
      ),
    ],
    ['Status', (post) => <StatusBadge {...post} />],
    ['Quality', (post) => <QualityBadge band={post.qualityBand} />],
    ['Language', (post) => <Language code={post.language} />],
    ...(areTranslated
      ? [
          ['Translations', (post) => <Translations post={post} />] satisfies [
            string,
            (post: PostRow) => Child,
          ],
        ]
      : []),
    [dateColumn(values), (post) => <ListedTime article={post} values={values} />],
  ]
  return (
    <Table
      isDense
      label="Posts"
      columns={columns.map(([name]) => name)}
      rows={posts.map((post) => columns.map(([, cell]) => cell(post)))}
    />
  )
}

lists.get('/content/guides', (c) =>
  listPage(c, 'guides', GuideFilters, browseGuides, {
    pageSize: ARTICLES_A_PAGE,
    table: (values, { items }) => (
      <Table
        isDense
        label="Guides"
        columns={['Title', 'Status', dateColumn(values)]}
        rows={items.map((guide) => [
          <Title kind="guides" article={guide} />,
          <StatusBadge status={guide.status} />,
          <ListedTime article={guide} values={values} />,
        ])}
      />
    ),
  }),
)

const isByPublication = ({ sort, publishedFrom, publishedTo }: Values) =>
  Boolean(sort?.startsWith('published') || publishedFrom || publishedTo)

const isOfScheduled = ({ status }: Values) => status === 'scheduled'

function dateColumn(values: Values): string {
  if (isOfScheduled(values)) return 'Publishes at'
  return isByPublication(values) ? 'Published' : 'Updated'
}

type ListedTimeProps = { article: PostRow | ListedGuide; values: Values }

function ListedTime({ article, values }: ListedTimeProps) {
  const { publishedAt, updatedAt } = article
  if (isOfScheduled(values) && 'publishAt' in article) return <Time at={article.publishAt} />
  return isByPublication(values) ? (
    publishedAt && <Time at={publishedAt} isRelative />
  ) : (
    <Time at={updatedAt} isRelative />
  )
}

type Parts<Result> = {
  pageSize: number
  /** Shown above the filters. */
  tabs?: (values: Values, found: Result) => Child
  table: (values: Values, found: Result) => Child
}

async function listPage<Result extends BrowsedPage<unknown>, Filters extends z.ZodMiniType<{ page: number }>>(
  c: Http,
  kind: ArticleKind,
  filters: Filters,
  browse: (ctx: Context, site: SiteScope, input: z.output<Filters> & { pageSize: number }) => Promise<Result>,
  { pageSize, tabs, table }: Parts<Result>,
) {
  const { values, input } = readFilters(c.req.queries())
  const { result, errors } = await submit(filters, input, (given) =>
    browse(c.get('ctx'), c.get('site'), { ...given, pageSize }),
  )
  if (errors) c.status(400)
  const [undoable, { list: script }] = await Promise.all([readUndoable(c, kind), assetUrls(c)])
  const { name, list } = KINDS[kind]
  const problem = problemOf(kind, errors ?? {})
  return c.render(
    <>
      <ContentHeading current={kind} action={<NewArticleLink kind={kind} />} />
      <script src={script} defer />
      <Done of={kind} />
      {kind === 'posts' && <SelectionNotice undoable={undoable} />}
      {problem && <Notice tone="danger">{problem}.</Notice>}
      {result?.total === 0 && !isFiltered(values) ? (
        <NothingYet kind={kind} siteId={c.get('site').id} />
      ) : (
        <>
          {result && tabs?.(values, result)}
          <FilterForm kind={kind} list={list} values={values} errors={errors ?? {}} />
          {result && (
            <Results kind={kind} values={values} found={result} pageSize={pageSize}>
              {table(values, result)}
            </Results>
          )}
        </>
      )}
    </>,
    { tab: 'Content', title: name },
  )
}

/** Errors of filters that have no field. */
function problemOf(kind: ArticleKind, errors: Errors): string | undefined {
  if (errors['']) return errors['']
  if (errors.page) return `The page ${errors.page}`
  if (kind === 'guides') return undefined
  if (errors.status) return `Status ${errors.status}`
  return errors.band && `Quality ${errors.band}`
}

type ResultsProps = {
  kind: ArticleKind
  values: Values
  found: BrowsedPage<unknown>
  pageSize: number
  children: Child
}

function Results({ kind, values, found: { items, total, totalPages }, pageSize, children }: ResultsProps) {
  const path = useSitePath()
  const { list } = KINDS[kind]
  const page = Number(values.page ?? 1)
  if (total === 0) {
    return (
      <EmptyState title={`No ${kind} match`}>
        <p>Remove a filter, or clear them all.</p>
        <ButtonLink to={list} text="Clear filters" />
      </EmptyState>
    )
  }
  if (items.length === 0) {
    return (
      <EmptyState title="Page not found">
        <p>The list ends before page {page.toLocaleString('en')}.</p>
        <ButtonLink to={pagePath(list, values, totalPages)} text="Last page" />
      </EmptyState>
    )
  }
  const first = (page - 1) * pageSize + 1
  const last = first + items.length - 1
  const all = formatQuantity(total, KINDS[kind].noun)
  const isWhole = pageSize > ARTICLES_A_PAGE
  return (
    <>
      {children}
      <div class="list-end">
        <p class="muted count">
          <span role="status">
            {total > items.length
              ? `${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ${all}`
              : all}
          </span>
          {isWhole && <SiteLink to={pagePath(list, values, 1)}>Show {ARTICLES_A_PAGE} per page</SiteLink>}
          {kind === 'posts' && total > items.length && !isWhole && (
            <SelectAllLink values={values} total={total} />
          )}
        </p>
        {!isWhole && (
          <NumberedPager
            label={`Pages of ${kind}`}
            page={page}
            totalPages={totalPages}
            href={(number) => path(pagePath(list, values, number))}
          />
        )}
      </div>
    </>
  )
}

/** Shows the whole selection on one page, so that people see what they select. */
function SelectAllLink({ values, total }: { values: Values; total: number }) {
  const list = addQuery(pagePath(KINDS.posts.list, values, 1), { select: 'all' })
  if (!useAllowed('editor')) return null
  return (
    <SiteLink to={list}>
      {total > MAX_ARTICLES ? `Select the first ${MAX_ARTICLES}` : `Select all ${total}`}
    </SiteLink>
  )
}

function Title({ kind, article }: { kind: ArticleKind; article: PostRow | ListedGuide }) {
  return (
    <SiteLink to={itemPath(kind, article.slug)} title={`${article.title} (${article.slug})`}>
      {article.title}
    </SiteLink>
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
  return post.translations > 0 ? String(post.translations) : ''
}
