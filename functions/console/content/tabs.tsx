/** The states of posts or guides as tabs, with counts. */
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { POST_STATES } from '../../../src/content/posts/browse.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'
import { type Counted, countIn, pagePath } from './filters.tsx'

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
