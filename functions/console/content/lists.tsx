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
import { createApp, type Http } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { SelectBox } from '../actions/selectable.tsx'
import { DelayedNotice } from '../actions/success.tsx'
import { readUndoable } from '../actions/undo.tsx'
import { assetUrls } from '../assets.ts'
import { type Errors, submit, type Values } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { oneLine } from '../parts/one-line.ts'
import { Notice, TabbedHeading } from '../parts/page.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { KINDS, Language } from './article.tsx'
import { ArticleFilters, GuideFilters, isFiltered, PostFilters, readFilters } from './filters.tsx'
import { Picture, sourceOf } from './picture.tsx'
import { ARTICLES_A_PAGE, ArticleTabs, NewArticleLink, NothingYet, Results } from './results.tsx'
import { SelectionForm, uselessFor } from './selection/selection-form.tsx'
import { SelectionNotice } from './selection/selection-notice.tsx'
import { BAND_NAMES, QualityBadge, StatusBadge } from './state-badges.tsx'

export const lists = createApp()

lists.get('/content', (c) => articlesPage(c, 'posts'))
lists.get('/content/guides', (c) => articlesPage(c, 'guides'))

/** `outcome` is the result of a posted selection. `?select=all` shows the largest allowed selection on one page. */
export function articlesPage(c: Http, kind: ArticleKind, outcome?: Child) {
  return kind === 'posts'
    ? listPage(c, kind, PostFilters, browsePosts, {
        outcome,
        columns: postColumns,
        picture: pictureOf(c),
      })
    : listPage(c, kind, GuideFilters, browseGuides, {
        outcome,
        columns: () => [],
        picture: () => null,
      })
}

type Column<Row> = [name: string | false, cell: (row: Row) => Child]

/** Between the status and the date. */
function postColumns(posts: PostRow[]): Column<PostRow>[] {
  const areTranslated = posts.some(({ sourceSlug, translations }) => sourceSlug !== null || translations > 0)
  return [
    [
      'Quality',
      ({ qualityBand: band }) =>
        band ? <QualityBadge band={band} /> : <span class="muted">{BAND_NAMES.none}</span>,
    ],
    ['Language', (post) => <Language code={post.language} />],
    [areTranslated && 'Translations', (post) => <Translations post={post} />],
  ]
}

/** Shown if any post of the page has an image. */
const pictureOf = (c: Http) => (post: PostRow, posts: PostRow[]) =>
  posts.some((each) => sourceOf(each.imageUrl, postUrl(c.get('site'), each)) !== null) && (
    <Picture image={{ url: post.imageUrl ?? '' }} base={postUrl(c.get('site'), post)} isThumbnail />
  )

type TableProps<Listed> = Omit<Parts<Listed>, 'outcome'> & {
  kind: ArticleKind
  values: Values
  found: BrowsedPage<Listed>
  isWhole: boolean
}

function ArticleTable<Listed extends Row>({
  kind,
  values,
  found: { items, total },
  isWhole,
  columns: more,
  picture,
}: TableProps<Listed>) {
  const columns: Column<Listed>[] = [
    [
      'Title',
      (row) => (
        <>
          <SelectBox
            name="slug"
            value={row.slug}
            title={row.title}
            checked={isWhole}
            useless={uselessFor(row)}
          />
          {picture(row, items)}
          <Title kind={kind} article={row} />
        </>
      ),
    ],
    ['Status', (row) => <StatusBadge {...row} />],
    ...more(items),
    [dateColumn(values), (row) => <ListedTime article={row} values={values} />],
  ]
  return (
    <SelectionForm kind={kind} values={values} total={total} isWhole={isWhole}>
      <Table
        isDense
        label={KINDS[kind].name}
        columns={columns.map(([name]) => name)}
        rows={items.map((row) => columns.map(([, cell]) => cell(row)))}
      />
    </SelectionForm>
  )
}

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

type Row = PostRow | ListedGuide

type Parts<Listed> = {
  outcome: Child
  columns: (rows: Listed[]) => Column<Listed>[]
  picture: (row: Listed, rows: Listed[]) => Child
}

async function listPage<Listed extends Row, Filters extends z.ZodMiniType<{ page: number }>>(
  c: Http,
  kind: ArticleKind,
  filters: Filters,
  browse: (
    ctx: Context,
    site: SiteScope,
    input: z.output<Filters> & { pageSize: number },
  ) => Promise<BrowsedPage<Listed>>,
  { outcome, ...parts }: Parts<Listed>,
) {
  const isWhole = c.req.query('select') === 'all' && !c.req.query('page')
  const pageSize = isWhole ? MAX_ARTICLES : ARTICLES_A_PAGE
  const { values, input } = readFilters(c.req.queries())
  const { result, errors } = await submit(filters, input, (given) =>
    browse(c.get('ctx'), c.get('site'), { ...given, pageSize }),
  )
  if (errors) c.status(400)
  const [undoable, { list: script }] = await Promise.all([readUndoable(c, kind), assetUrls(c)])
  const { name, list } = KINDS[kind]
  const problem = problemOf(errors ?? {})
  const isEmpty = result?.total === 0 && !isFiltered(values)
  return c.render(
    <>
      <TabbedHeading title="Content" current={name} action={!isEmpty && <NewArticleLink kind={kind} />} />
      <script src={script} defer />
      <Done of={kind} />
      {outcome ? <DelayedNotice /> : <SelectionNotice kind={kind} undoable={undoable} />}
      {outcome}
      {problem && <Notice tone="danger">{problem}.</Notice>}
      {isEmpty ? (
        <NothingYet kind={kind} />
      ) : (
        <>
          <ArticleTabs kind={kind} values={values} counts={result?.counts} />
          <ArticleFilters {...{ kind, list, values }} errors={errors ?? {}} counts={result?.counts} />
          {result && (
            <Results kind={kind} values={values} found={result} pageSize={pageSize}>
              <ArticleTable kind={kind} values={values} found={result} isWhole={isWhole} {...parts} />
            </Results>
          )}
        </>
      )}
    </>,
    { tab: 'Content', title: name },
  )
}

/** Errors of filters that have no field. */
function problemOf(errors: Errors): string | undefined {
  if (errors['']) return errors['']
  if (errors.page) return `The page ${errors.page}`
  return errors.status && `Status ${errors.status}`
}

function Title({ kind, article }: { kind: ArticleKind; article: PostRow | ListedGuide }) {
  return (
    <SiteLink to={itemPath(kind, article.slug)} title={oneLine(`${article.title} (${article.slug})`)}>
      {oneLine(article.title)}
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
