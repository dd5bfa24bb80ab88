/** The tabs, rows and pages of a list of posts or guides, and the text before there are any. */
import type { Child } from 'hono/jsx'
import type { BrowsedPage } from '../../../src/content/articles/browse.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { POST_STATES } from '../../../src/content/posts/browse.ts'
import type { Values } from '../forms/form.ts'
import { addQuery } from '../parent-list.ts'
import { NoMatch } from '../parts/list.tsx'
import { EmptyState } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { formatQuantity } from '../parts/quantity.ts'
import { ButtonLink, SiteLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'
import { type Counted, countIn, pagePath } from './filters.tsx'

export const ARTICLES_A_PAGE = 50

export function NewArticleLink({ kind }: { kind: ArticleKind }) {
  const { create, noun } = KINDS[kind]
  return <ButtonLink needs="editor" to={create} text={`New ${noun}`} look="primary" />
}

export function NothingYet({ kind }: { kind: ArticleKind }) {
  return (
    <EmptyState title={`No ${kind} yet`}>
      <p>Write your first {KINDS[kind].noun}, or import Markdown, WordPress, Ghost or an export.</p>
      <div class="actions">
        <NewArticleLink kind={kind} />
        <ButtonLink needs="editor" to="/settings/transfer" text="Import" />
      </div>
    </EmptyState>
  )
}

const { all, draft, published } = POST_STATES
const STATES: Record<ArticleKind, Record<string, { text: string }>> = {
  posts: POST_STATES,
  guides: { all, published, draft },
}

export function ArticleTabs(list: Counted) {
  const { kind, values } = list
  const { status: current = 'all', ...rest } = values
  return (
    <nav class="choices" aria-label="State">
      {Object.entries(STATES[kind]).map(([state, { text }]) => {
        const count = countIn(list, state, values.band ?? '')
        return (
          <>
            {/* Published posts and drafts add up to all. The other states overlap. */}
            {state === 'ready' && <hr />}
            <SiteLink
              to={pagePath(KINDS[kind].list, state === 'all' ? rest : { ...rest, status: state }, 1)}
              aria-current={state === current ? 'page' : undefined}
            >
              {text}
              {count !== null && <span class="number"> {count.toLocaleString('en')}</span>}
            </SiteLink>
          </>
        )
      })}
    </nav>
  )
}

type ResultsProps = {
  kind: ArticleKind
  values: Values
  found: BrowsedPage<unknown>
  pageSize: number
  children: Child
}

export function Results({
  kind,
  values,
  found: { items, total, totalPages },
  pageSize,
  children,
}: ResultsProps) {
  const { list } = KINDS[kind]
  const page = Number(values.page ?? 1)
  // The count may be newer or older than the rows.
  if (total === 0 || (items.length === 0 && page === 1)) return <NothingFound kind={kind} values={values} />
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
      <div class="row ends">
        <p class="row muted">
          <span role="status">
            {total > items.length
              ? `${first.toLocaleString('en')} to ${last.toLocaleString('en')} of ${all}`
              : all}
          </span>
          {isWhole && <SiteLink to={pagePath(list, values, 1)}>Show {ARTICLES_A_PAGE} per page</SiteLink>}
        </p>
        {!isWhole && (
          <Pager
            label={`Pages of ${kind}`}
            previous={page > 1 ? { text: 'Previous', to: pagePath(list, values, page - 1) } : null}
            next={page < totalPages ? { text: 'Next', to: pagePath(list, values, page + 1) } : null}
          />
        )}
      </div>
    </>
  )
}

/** The button clears the filters of the tab, or leaves a tab without filters. */
function NothingFound({ kind, values }: Pick<ResultsProps, 'kind' | 'values'>) {
  const { status, page: _, sort: __, ...filters } = values
  const { list } = KINDS[kind]
  const named = status === 'changes' ? `${kind} with requested changes` : `${status ?? ''} ${kind}`.trim()
  const what = status === 'draft' ? 'drafts' : named
  return Object.keys(filters).length > 0 ? (
    <NoMatch what={what} search={filters.search} list={addQuery(list, { status })} />
  ) : (
    <EmptyState title={`No ${what}`}>
      <ButtonLink to={list} text="Show all" />
    </EmptyState>
  )
}
