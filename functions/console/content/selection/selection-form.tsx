import type { Child } from 'hono/jsx'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { MAX_ARTICLES } from '../../../../src/core/limits.ts'
import { Selectable } from '../../actions/selectable.tsx'
import type { Values } from '../../forms/form.ts'
import { addQuery } from '../../parent-list.ts'
import { SiteLink } from '../../parts/site-link.tsx'
import { KINDS } from '../article.tsx'
import { pagePath } from '../filters.tsx'
import { ARTICLES_A_PAGE } from '../results.tsx'

/** Not below the list: paths below the list of guides are slugs. */
export const SELECTIONS = { posts: '/content/selection', guides: '/content/selection/guides' } as const

const BUTTONS = { publish: 'Publish', ready: 'Mark ready', unpublish: 'Unpublish…' }
/** By tab, the buttons that change nothing there, with the reason. */
const UNCHANGED: Record<string, Record<string, string>> = {
  published: { publish: 'already published', ready: 'already published' },
  draft: { unpublish: 'not published' },
  ready: { ready: 'already ready', unpublish: 'not published' },
  scheduled: { unpublish: 'not published' },
  changes: { publish: 'changes requested', ready: 'changes requested' },
}

/** The buttons that would not change this article, with the reason. */
export const unchangedFor = ({ status, isBlocked, readyAt }: Article): Record<string, string> => ({
  ...(isBlocked && UNCHANGED.changes),
  ...(readyAt && UNCHANGED.ready),
  ...UNCHANGED[status],
})

type Article = {
  status: 'draft' | 'published'
  isBlocked?: boolean
  readyAt?: Date | string | null
}

type FormProps = {
  kind: ArticleKind
  values: Values
  total: number
  isWhole: boolean
  children: Child
}

export function SelectionForm({ kind, values, total, isWhole, children }: FormProps) {
  const hidden = { ...UNCHANGED[values.status ?? ''], ...(kind === 'guides' && { ready: 'only for posts' }) }
  const buttons = Object.entries(BUTTONS).filter(([change]) => !Object.hasOwn(hidden, change))
  // Shows the whole selection on one page, so that people see what they select.
  const list = pagePath(KINDS[kind].list, values, 1)
  return (
    <Selectable
      isWhole={isWhole}
      action={pagePath(SELECTIONS[kind], values, Number(values.page ?? 1))}
      list={KINDS[kind].list}
      label={`Selected ${kind}`}
      buttons={buttons.map(([change, text]) => (
        <button type="submit" name="change" value={change} class="button">
          {text}
        </button>
      ))}
      rest={
        !isWhole &&
        total > ARTICLES_A_PAGE && (
          <SiteLink to={addQuery(list, { select: 'all' })} class="select-rest">
            {total > MAX_ARTICLES
              ? `Select the first ${MAX_ARTICLES} of ${total.toLocaleString('en')}`
              : `Select all ${total}`}
          </SiteLink>
        )
      }
    >
      {children}
    </Selectable>
  )
}
