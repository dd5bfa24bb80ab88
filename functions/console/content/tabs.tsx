/** The states of posts or guides as tabs, with counts. */
import type { Tally } from '../../../src/content/articles/browse.ts'
import { type ArticleKind, LISTS } from '../../../src/content/model/article-filters.ts'
import { POST_STATES } from '../../../src/content/posts/browse.ts'
import type { Values } from '../forms/three-way-merge.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'
import { pagePath } from './filters.tsx'

type TabsProps = { kind: ArticleKind; values: Values; counts: Tally[] }

const { all, draft, published } = POST_STATES
const STATES: Record<ArticleKind, Record<string, { text: string }>> = {
  posts: POST_STATES,
  guides: { all, draft, published },
}

/** The counts are known only if no other filter is set. */
const COUNTED_FILTERS = ['status', 'band', 'language']

/** The number of articles in a state with a quality band, or any with an empty one. Null if unknown. */
export function countIn({ kind, values, counts }: TabsProps, state: string, band: string): number | null {
  if (LISTS.console[kind].some((name) => values[name] && !COUNTED_FILTERS.includes(name))) return null
  return counts
    .filter((tally) => tally.state === state && (band === '' || tally.band === (band === 'none' ? '' : band)))
    .reduce((sum, { count }) => sum + count, 0)
}

export function ArticleTabs(list: TabsProps) {
  const { kind, values } = list
  const { status: current = 'all', ...rest } = values
  return (
    <nav class="choices" aria-label="State">
      {Object.entries(STATES[kind]).map(([state, { text }]) => {
        const count = countIn(list, state, values.band ?? '')
        return (
          <SiteLink
            to={pagePath(KINDS[kind].list, state === 'all' ? rest : { ...rest, status: state }, 1)}
            aria-current={state === current ? 'page' : undefined}
          >
            {text}
            {count !== null && <span class="number"> {count.toLocaleString('en')}</span>}
          </SiteLink>
        )
      })}
    </nav>
  )
}
