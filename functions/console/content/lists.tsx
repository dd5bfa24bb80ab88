/** Posts and guides, newest change first. */
import { Hono } from 'hono'
import type { Child } from 'hono/jsx'
import { type ListedGuide, browseGuides as listGuides } from '../../../src/guides.ts'
import { type ListedPost, browsePosts as listPosts } from '../../../src/posts/browse.ts'
import type { Env, Http } from '../../http/env.ts'
import { commandLine } from '../command-line.ts'
import { type Errors, submit, type Values } from '../form.ts'
import { sitePage } from '../layout.tsx'
import { Snippet } from '../parts/copy.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { PageHeading } from '../parts/heading.tsx'
import { Refusal } from '../parts/notice.tsx'
import { Pages } from '../parts/pages.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { pathIn } from '../site.ts'
import { articlePath, Band, type Kind, Status } from './article.tsx'
import { FilterForm, Filters, isFiltered, pageHref, readFilters } from './filters.tsx'

const ARTICLES_A_PAGE = 50

export const lists = new Hono<Env>()

lists.get('/content', async (c) => {
  const { values, meant } = readFilters(c)
  const outcome = await submit(Filters, meant, (input) =>
    listPosts(c.get('ctx'), c.get('site'), { ...input, pageSize: ARTICLES_A_PAGE }),
  )
  if (outcome.errors) return listPage(c, { kind: 'posts', values, errors: outcome.errors })
  const { items } = outcome.done
  return listPage(c, {
    kind: 'posts',
    values,
    found: outcome.done,
    table: (
      <Table
        label="Posts"
        columns={['Title', 'Status', 'Quality', 'Language', 'Translations', 'Updated']}
        rows={items.map((post) => [
          <Title c={c} kind="posts" article={post} />,
          <Status status={post.status} readyAt={post.readyAt} />,
          <Band band={post.qualityBand} />,
          post.language ?? <span class="muted">None</span>,
          <Translations c={c} post={post} />,
          <Time at={post.updatedAt} />,
        ])}
      />
    ),
  })
})

lists.get('/content/guides', async (c) => {
  const { values, meant } = readFilters(c)
  const outcome = await submit(Filters, meant, (input) =>
    listGuides(c.get('ctx'), c.get('site'), { ...input, pageSize: ARTICLES_A_PAGE }),
  )
  if (outcome.errors) return listPage(c, { kind: 'guides', values, errors: outcome.errors })
  const { items } = outcome.done
  return listPage(c, {
    kind: 'guides',
    values,
    found: outcome.done,
    table: (
      <Table
        label="Guides"
        columns={['Title', 'Status', 'Updated']}
        rows={items.map((guide) => [
          <Title c={c} kind="guides" article={guide} />,
          <Status status={guide.status} />,
          <Time at={guide.updatedAt} />,
        ])}
      />
    ),
  })
})

type List = { kind: Kind; values: Values } & (
  | { errors: Errors }
  | { errors?: never; found: { items: object[]; total: number; totalPages: number }; table: Child }
)

function listPage(c: Http, list: List) {
  const { kind, values, errors = {} } = list
  const path = listPath(c, kind)
  const name = kind === 'posts' ? 'Posts' : 'Guides'
  return sitePage(
    c,
    { tab: 'Content', title: name, status: list.errors ? 400 : 200 },
    <>
      <PageHeading title="Content" />
      <nav class="kinds" aria-label="Content">
        {(['posts', 'guides'] as const).map((each) => (
          <a href={listPath(c, each)} aria-current={each === kind ? 'page' : undefined}>
            {each === 'posts' ? 'Posts' : 'Guides'}
          </a>
        ))}
      </nav>
      {errors[''] || errors.page ? (
        <Refusal errors={{ '': errors[''] ?? `The page ${errors.page}` }} />
      ) : null}
      {!list.errors && list.found.total === 0 && !isFiltered(values) ? (
        <Nothing c={c} kind={kind} />
      ) : (
        <>
          <FilterForm list={path} values={values} errors={errors} languages={kind === 'posts'} />
          {!list.errors && <Found {...list} path={path} />}
        </>
      )}
    </>,
  )
}

type FoundProps = Extract<List, { found: object }> & { path: string }

function Found({ kind, values, found, table, path }: FoundProps) {
  const page = Number(values.page ?? 1)
  const first = (page - 1) * ARTICLES_A_PAGE + 1
  if (found.items.length === 0) {
    return found.total === 0 ? (
      <EmptyState title={`No ${kind} match`}>
        <p>Nothing has all of this at once. Take a filter away, or look at everything.</p>
        <a class="button" href={path}>
          Clear filters
        </a>
      </EmptyState>
    ) : (
      <EmptyState title="No such page">
        <p>The list ends before page {page.toLocaleString('en')}.</p>
        <a class="button" href={pageHref(path, values, found.totalPages)}>
          Last page
        </a>
      </EmptyState>
    )
  }
  const last = first + found.items.length - 1
  const total = countOf(found.total, kind)
  return (
    <>
      <p class="muted count" role="status">
        {found.totalPages > 1
          ? `${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ${total}`
          : total}
      </p>
      <div class="articles">{table}</div>
      <Pages
        label={`Pages of ${kind}`}
        page={page}
        totalPages={found.totalPages}
        href={(number) => pageHref(path, values, number)}
      />
    </>
  )
}

function Nothing({ c, kind }: { c: Http; kind: Kind }) {
  const noun = kind === 'posts' ? 'post' : 'guide'
  const as = kind === 'posts' ? '' : ' --as guides'
  return (
    <>
      <EmptyState title={`No ${kind} yet`}>
        <p>
          Import a folder of Markdown, or put JSON with a slug, a title and contentHtml. Both are done with
          the command line and can be repeated: what is there already is updated.
        </p>
      </EmptyState>
      <Snippet
        title="Import Markdown"
        text={commandLine(c, `import markdown ${c.get('site').id} path/to/folder${as}`)}
      />
      <Snippet title="Put one" text={commandLine(c, `${noun} put ${c.get('site').id} ${noun}.json`)} />
    </>
  )
}

function Title({ c, kind, article }: { c: Http; kind: Kind; article: ListedPost | ListedGuide }) {
  return (
    <>
      <a href={articlePath(c, kind, article.slug)}>{article.title}</a>
      <code class="slug">{article.slug}</code>
    </>
  )
}

function Translations({ c, post }: { c: Http; post: ListedPost }) {
  if (post.sourceSlug !== null) {
    return (
      <a href={articlePath(c, 'posts', post.sourceSlug)} title={post.sourceSlug}>
        Source
      </a>
    )
  }
  return post.translations > 0 ? String(post.translations) : <span class="muted">None</span>
}

function listPath(c: Http, kind: Kind): string {
  return pathIn(c, kind === 'posts' ? '/content' : '/content/guides')
}

function countOf(total: number, kind: Kind): string {
  return total === 1 ? `1 ${kind.slice(0, -1)}` : `${total.toLocaleString('en')} ${kind}`
}
