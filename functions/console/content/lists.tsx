import type { Child } from 'hono/jsx'
import type { BrowsedPage } from '../../../src/content/articles/browse.ts'
import { browseGuides, type ListedGuide } from '../../../src/content/guides/browse.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { postUrl } from '../../../src/content/model/urls.ts'
import { browsePosts, type PostRow } from '../../../src/content/posts/browse.ts'
import { MAX_ARTICLES } from '../../../src/core/limits.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Done } from '../actions/done.tsx'
import { SelectBox } from '../actions/selectable.tsx'
import { DelayedNotice } from '../actions/success.tsx'
import { readUndoable } from '../actions/undo.tsx'
import { assetUrls } from '../assets.ts'
import { type Errors, type Submitted, submit, type Values } from '../forms/form.ts'
import { itemPath } from '../parent-list.ts'
import { oneLine } from '../parts/one-line.ts'
import { Notice, TabbedHeading } from '../parts/page.tsx'
import { SiteLink } from '../parts/site-link.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useRequestContext } from '../site.ts'
import { KINDS, Language } from './article.tsx'
import { ArticleFilters, GuideFilters, isFiltered, PostFilters, readArticleFilters } from './filters.tsx'
import { Picture, sourceOf } from './picture.tsx'
import { ARTICLES_A_PAGE, ArticleTabs, NewArticleLink, NothingYet, Results } from './results.tsx'
import { SelectionForm, unchangedFor } from './selection/selection-form.tsx'
import { SelectionNotice } from './selection/selection-notice.tsx'
import { BAND_NAMES, QualityBadge, StatusBadge } from './state-badges.tsx'

export const lists = createApp()

lists.get('/content', (c) => articlesPage(c, 'posts'))
lists.get('/content/guides', (c) => articlesPage(c, 'guides'))

/** `outcome` is the result of a posted selection. `?select=all` shows the largest allowed selection on one page. */
export async function articlesPage(c: Http, kind: ArticleKind, outcome?: Child) {
  const isWhole = c.req.query('select') === 'all' && !c.req.query('page')
  const pageSize = isWhole ? MAX_ARTICLES : ARTICLES_A_PAGE
  const { values, input } = readArticleFilters(c.req.queries())
  const { ctx, site } = c.var
  const { result, errors }: Submitted<BrowsedPage<Row>> =
    kind === 'posts'
      ? await submit(PostFilters, input, (given) => browsePosts(ctx, site, { ...given, pageSize }))
      : await submit(GuideFilters, input, (given) => browseGuides(ctx, site, { ...given, pageSize }))
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
              <ArticleTable kind={kind} values={values} found={result} isWhole={isWhole} />
            </Results>
          )}
        </>
      )}
    </>,
    { tab: 'Content', title: name },
  )
}

type Row = PostRow | ListedGuide
type Column = [name: string | false, cell: (row: Row) => Child]

const isPost = (row: Row): row is PostRow => 'qualityBand' in row
const ofPost = (cell: (post: PostRow) => Child) => (row: Row) => isPost(row) && cell(row)

/** Between the status and the date. */
function postColumns(posts: PostRow[]): Column[] {
  const areTranslated = posts.some(({ sourceSlug, translations }) => sourceSlug !== null || translations > 0)
  return [
    [
      'Quality',
      ofPost(({ qualityBand: band }) =>
        band ? <QualityBadge band={band} /> : <span class="muted">{BAND_NAMES.none}</span>,
      ),
    ],
    ['Language', ofPost((post) => <Language code={post.language} />)],
    [areTranslated && 'Translations', ofPost((post) => <Translations post={post} />)],
  ]
}

/** Shown if any post of the page has an image. */
function Thumbnail({ post, posts }: { post: PostRow; posts: PostRow[] }) {
  const site = useRequestContext().get('site')
  if (posts.every((each) => sourceOf(each.imageUrl, postUrl(site, each)) === null)) return null
  return <Picture image={{ url: post.imageUrl ?? '' }} base={postUrl(site, post)} isThumbnail />
}

type TableProps = { kind: ArticleKind; values: Values; found: BrowsedPage<Row>; isWhole: boolean }

function ArticleTable({ kind, values, found: { items, total }, isWhole }: TableProps) {
  const posts = items.filter(isPost)
  const columns: Column[] = [
    [
      'Title',
      (row) => (
        <>
          <SelectBox
            name="slug"
            value={row.slug}
            title={row.title}
            checked={isWhole}
            unchanged={unchangedFor(row)}
          />
          {isPost(row) && <Thumbnail post={row} posts={posts} />}
          <Title kind={kind} article={row} />
        </>
      ),
    ],
    ['Status', (row) => <StatusBadge {...row} />],
    ...(kind === 'posts' ? postColumns(posts) : []),
    [dateColumn(values), DATES[dateColumn(values)]],
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

/** The date that the list is sorted by. */
function dateColumn({ sort = '', status }: Values): keyof typeof DATES {
  if (sort.startsWith('published')) return 'Published'
  return status === 'scheduled' && sort !== 'updated-oldest' ? 'Publishes at' : 'Updated'
}

const DATES = {
  Updated: ({ updatedAt }: Row) => <Time at={updatedAt} isRelative />,
  Published: ({ publishedAt }: Row) => publishedAt && <Time at={publishedAt} isRelative />,
  'Publishes at': (row: Row) => 'publishAt' in row && <Time at={row.publishAt} />,
}

/** Errors of filters that have no field. */
function problemOf(errors: Errors): string | undefined {
  if (errors['']) return errors['']
  if (errors.page) return `The page ${errors.page}`
  return errors.status && `Status ${errors.status}`
}

function Title({ kind, article }: { kind: ArticleKind; article: Row }) {
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
