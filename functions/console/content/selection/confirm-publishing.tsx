/** The confirmation before publishing selected articles that run code, or are empty. */
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import type { Http } from '../../../http/env.ts'
import { CONFIRMED, Confirm } from '../../actions/confirm.tsx'
import { itemPath } from '../../parent-list.ts'
import { oneLine } from '../../parts/one-line.ts'
import { formatQuantity } from '../../parts/quantity.ts'
import { SiteLink } from '../../parts/site-link.tsx'
import { KINDS } from '../article.tsx'
import { contentWarnings } from '../edit/html-problems.tsx'

type Draft = { slug: string; title: string; contentHtml: string | null }

const UNCHECKED = 'Too large to check for code here. Publish it alone.'

type Selection = {
  kind: ArticleKind
  drafts: Draft[]
  /** All that are selected. */
  slugs: string[]
  /** Pages of the site. */
  action: string
  list: string
}

/** @returns null if there is nothing to ask */
export function confirmPublishing(c: Http, { kind, drafts, slugs, action, list }: Selection) {
  const asked = drafts.flatMap((draft) => {
    const warnings = draft.contentHtml === null ? [UNCHECKED] : contentWarnings(draft.contentHtml)
    return warnings.length > 0 ? [{ ...draft, warnings }] : []
  })
  if (asked.length === 0) return null
  const title = `Publish ${formatQuantity(drafts.length, KINDS[kind].noun)}?`
  return c.render(
    <Confirm
      title={title}
      needs="editor"
      action={action}
      submit="Publish anyway"
      cancel={list}
      hidden={[['change', 'publish'], ...slugs.map((slug): [string, string] => ['slug', slug]), CONFIRMED]}
    >
      <ul class="points">
        {asked.map(({ slug, title, warnings }) => (
          <li>
            <SiteLink to={itemPath(kind, slug)}>
              <bdi>{oneLine(title)}</bdi>
            </SiteLink>
            : {warnings.join(' ')}
          </li>
        ))}
      </ul>
    </Confirm>,
    { tab: 'Content', title },
  )
}
