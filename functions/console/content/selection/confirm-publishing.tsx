/** The confirmation before publishing selected articles that run code, or are empty. */
import type { ArticleKind } from '../../../../src/content/model/article-filters.ts'
import type { Http } from '../../../http/env.ts'
import { CONFIRMED, Confirm } from '../../actions/confirm.tsx'
import type { FormEntries } from '../../forms/form.ts'
import { itemPath } from '../../parent-list.ts'
import { PostButton } from '../../parts/fields/form.tsx'
import { oneLine } from '../../parts/one-line.ts'
import { formatQuantity } from '../../parts/quantity.ts'
import { SiteLink } from '../../parts/site-link.tsx'
import { Time } from '../../parts/time.tsx'
import { KINDS } from '../article.tsx'
import { contentWarnings } from '../edit/html-problems.tsx'

type Draft = { slug: string; title: string; contentHtml: string | null; publishAt: Date | null }

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
  const asked = new Map(
    drafts.flatMap(({ slug, contentHtml }): [string, string[]][] => {
      const warnings = contentHtml === null ? [UNCHECKED] : contentWarnings(contentHtml)
      return warnings.length > 0 ? [[slug, warnings]] : []
    }),
  )
  if (asked.size === 0) return null
  const { noun } = KINDS[kind]
  const title = `Publish ${formatQuantity(drafts.length, noun)}?`
  const others = drafts.filter(({ slug }) => !asked.has(slug))
  const hiddenOf = (all: string[]): FormEntries => [
    ['change', 'publish'],
    ...all.map((slug): [string, string] => ['slug', slug]),
  ]
  return c.render(
    <Confirm
      title={title}
      needs="editor"
      action={action}
      submit={drafts.length > 1 ? 'Publish all anyway' : 'Publish anyway'}
      cancel={list}
      hidden={[...hiddenOf(slugs), CONFIRMED]}
    >
      <ul class="points">
        {drafts.map(({ slug, title, publishAt }) => (
          <li>
            <SiteLink to={itemPath(kind, slug)}>
              <bdi>{oneLine(title)}</bdi>
            </SiteLink>
            {asked.has(slug) && `: ${asked.get(slug)!.join(' ')}`}
            {publishAt && (
              <>
                {asked.has(slug) ? ' ' : ': '}Cancels its schedule for <Time at={publishAt} />.
              </>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <PostButton
          needs="editor"
          action={action}
          class="button primary"
          hidden={hiddenOf(others.map(({ slug }) => slug))}
        >
          {`Publish the other ${others.length === 1 ? noun : others.length}`}
        </PostButton>
      )}
    </Confirm>,
    { tab: 'Content', title, isNarrow: true },
  )
}
