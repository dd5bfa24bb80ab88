/** The states of posts or guides, and the quality bands of posts, as tabs with counts. */
import type { Tally } from '../../../src/content/articles/browse.ts'
import { type ArticleKind, LISTS } from '../../../src/content/model/article-filters.ts'
import { POST_STATES } from '../../../src/content/posts/browse.ts'
import type { Values } from '../forms/three-way-merge.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'
import { BAND_NAMES } from './band-names.ts'
import { pagePath } from './filters.tsx'

type Tab = { value: string; text: string; count: number | null }
type TabsProps = { kind: ArticleKind; values: Values; counts: Tally[] }

const { all, draft, published } = POST_STATES
const STATES: Record<ArticleKind, Record<string, { text: string }>> = {
  posts: POST_STATES,
  guides: { all, draft, published },
}

/** The counts are known only if no other filter is set. */
const COUNTED_FILTERS = ['status', 'band', 'language']

export function ArticleTabs({ kind, values, counts }: TabsProps) {
  const { status = 'all', band: chosen = '' } = values
  const isCounted = LISTS.console[kind].every((name) => COUNTED_FILTERS.includes(name) || !values[name])
  const count = (state: string, band: string) => {
    const counted = counts.filter(
      (tally) => tally.state === state && (band === '' || tally.band === (band === 'none' ? '' : band)),
    )
    return isCounted ? counted.reduce((sum, { count }) => sum + count, 0) : null
  }
  const states = Object.entries(STATES[kind]).map(([value, { text }]) => ({
    value,
    text,
    count: count(value, chosen),
  }))
  const bands = Object.entries({ '': 'Any quality', ...BAND_NAMES }).map(([value, text]) => ({
    value,
    text,
    count: count(status, value),
  }))
  const list = { list: KINDS[kind].list, values }
  return (
    <div class="post-tabs">
      <Tabs label="State" name="status" tabs={states} current={status} none="all" {...list} />
      {kind === 'posts' && (
        <Tabs label="Quality" name="band" tabs={bands} current={chosen} none="" {...list} />
      )}
    </div>
  )
}

type RowProps = {
  label: string
  name: string
  tabs: Tab[]
  current: string
  none: string
  list: string
  values: Values
}

function Tabs({ label, name, tabs, current, none, list, values }: RowProps) {
  const { [name]: _, ...rest } = values
  return (
    <nav class="choices" aria-label={label}>
      {tabs.map(({ value, text, count }) => (
        <SiteLink
          to={pagePath(list, value === none ? rest : { ...rest, [name]: value }, 1)}
          aria-current={value === current ? 'page' : undefined}
        >
          {text}
          {count !== null && <span class="number"> {count.toLocaleString('en')}</span>}
        </SiteLink>
      ))}
    </nav>
  )
}
