import type { Child } from 'hono/jsx'
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import { Selectable } from '../../actions/selectable.tsx'
import type { Values } from '../../forms/three-way-merge.ts'
import { useSitePath } from '../../site.ts'
import { KINDS } from '../article.tsx'
import { pagePath } from '../filters.tsx'

/** Not below the list: paths below the list of guides are slugs. */
export const SELECTIONS = { posts: '/content/selection', guides: '/content/selection/guides' } as const
/** Opens another page of the list and keeps the selection. */
export const KEEP = 'keep'

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
  const actionOf = (number: number) => pagePath(SELECTIONS[kind], values, number)
  return (
    <Selectable
      {...selected}
      action={actionOf(page)}
      list={KINDS[kind].list}
      label={`Selected ${kind}`}
      name="slug"
      buttons={
        <>
          <button type="submit" name="change" value="publish" class="button primary">
            Publish
          </button>
          {kind === 'posts' && (
            <button type="submit" name="change" value="ready" class="button">
              Mark ready
            </button>
          )}
          <button type="submit" name="change" value="unpublish" class="button">
            Unpublish…
          </button>
        </>
      }
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
