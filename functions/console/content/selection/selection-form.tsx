import type { Child } from 'hono/jsx'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { Selectable } from '../../actions/selectable.tsx'
import type { Values } from '../../forms/form.ts'
import { useSitePath } from '../../site.ts'
import { KINDS } from '../article.tsx'
import { pagePath } from '../filters.tsx'

/** Not below the list: paths below the list of guides are slugs. */
export const SELECTIONS = { posts: '/content/selection', guides: '/content/selection/guides' } as const
/** Opens another page of the list and keeps the selection. */
export const KEEP = 'keep'

const BUTTONS = { publish: 'Publish', ready: 'Mark ready', unpublish: 'Unpublish…' }
/** Changes that nothing in a tab can take. */
const USELESS: Record<string, string[]> = {
  published: ['publish', 'ready'],
  draft: ['unpublish'],
  ready: ['ready', 'unpublish'],
  scheduled: ['unpublish'],
  changes: ['publish', 'ready'],
}

type FormProps = {
  kind: ArticleKind
  values: Values
  page: number
  totalPages: number
  elsewhere: string[]
  isWhole: boolean
  children: Child
}

/** Without a script, buttons carry the selection to the next page. */
export function SelectionForm({ kind, values, page, totalPages, children, ...selected }: FormProps) {
  const useless = [kind === 'guides' && 'ready', ...(USELESS[values.status ?? ''] ?? [])]
  const buttons = Object.entries(BUTTONS).filter(([change]) => !useless.includes(change))
  const actionOf = (number: number) => pagePath(SELECTIONS[kind], values, number)
  return (
    <Selectable
      {...selected}
      action={actionOf(page)}
      list={KINDS[kind].list}
      label={`Selected ${kind}`}
      name="slug"
      buttons={buttons.map(([change, text]) => (
        <button
          type="submit"
          name="change"
          value={change}
          class={change === 'publish' ? 'button primary' : 'button'}
        >
          {text}
        </button>
      ))}
    >
      {children}
      {totalPages > 1 && (
        <noscript>
          <p class="actions">
            {page > 1 && <Keep action={actionOf(page - 1)} text="Previous page" />}
            {page < totalPages && <Keep action={actionOf(page + 1)} text="Next page" />}
          </p>
        </noscript>
      )}
    </Selectable>
  )
}

function Keep({ action, text }: { action: string; text: string }) {
  const path = useSitePath()
  return (
    <button type="submit" name="change" value={KEEP} formaction={path(action)} class="button">
      {text}, keep selection
    </button>
  )
}
