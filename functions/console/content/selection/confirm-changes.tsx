/** The confirmations before selected articles that run code or are empty are published, and before any are unpublished. */
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
import { KINDS, unpublishingEffect } from '../article.tsx'
import { contentWarnings } from '../edit/html-problems.tsx'

type Draft = { slug: string; title: string; contentHtml: string | null; publishAt: Date | null }

type Published = { slug: string; title: string }

const UNCHECKED = 'Too large to check for code here. Publish it alone.'

/** `action` and `list` are pages of the site. */
type Selection = { kind: ArticleKind; action: string; list: string }

const hiddenOf = (change: 'publish' | 'unpublish', slugs: string[]): FormEntries => [
  ['change', change],
  ...slugs.map((slug): [string, string] => ['slug', slug]),
]

function ArticleLink({ kind, slug, title }: { kind: ArticleKind; slug: string; title: string }) {
  return (
    <SiteLink to={itemPath(kind, slug)}>
      <bdi>{oneLine(title)}</bdi>
    </SiteLink>
  )
}

/** @returns null if there is nothing to ask */
export function confirmPublishing(
  c: Http,
  { kind, drafts, slugs, action, list }: Selection & { drafts: Draft[]; slugs: string[] },
) {
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
  return c.render(
    <Confirm
      title={title}
      needs="editor"
      action={action}
      submit={drafts.length > 1 ? 'Publish all anyway' : 'Publish anyway'}
      cancel={list}
      hidden={[...hiddenOf('publish', slugs), CONFIRMED]}
    >
      <ul class="points">
        {drafts.map(({ slug, title, publishAt }) => (
          <li>
            <ArticleLink {...{ kind, slug, title }} />
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
          hidden={hiddenOf(
            'publish',
            others.map(({ slug }) => slug),
          )}
        >
          {`Publish the other ${others.length === 1 ? noun : others.length}`}
        </PostButton>
      )}
    </Confirm>,
    { tab: 'Content', title, isNarrow: true },
  )
}

const SHOWN_TITLES = 5

/** `others` are selected articles that are not published. */
export function confirmUnpublishing(
  c: Http,
  { kind, published, others, action, list }: Selection & { published: Published[]; others: number },
) {
  const { noun } = KINDS[kind]
  const articles = formatQuantity(published.length, noun)
  const hidden = published.length - SHOWN_TITLES
  return c.render(
    <Confirm
      title={`Unpublish ${articles}?`}
      needs="editor"
      action={action}
      submit={`Unpublish ${articles}`}
      look="primary"
      cancel={list}
      hidden={[
        ...hiddenOf(
          'unpublish',
          published.map(({ slug }) => slug),
        ),
        CONFIRMED,
      ]}
    >
      <ul class="points">
        {published.slice(0, SHOWN_TITLES).map((article) => (
          <li>
            <ArticleLink kind={kind} {...article} />
          </li>
        ))}
        {hidden > 0 && <li>and {hidden} more</li>}
      </ul>
      {others > 0 && (
        <p>
          {others} selected {others === 1 ? `${noun} is` : `${noun}s are`} not published and will not be
          changed.
        </p>
      )}
      <p>
        {unpublishingEffect(kind, published.length === 1 ? 'it' : 'them')} You can undo this for {noun}s that
        no one changes in the meantime.
      </p>
    </Confirm>,
    { tab: 'Content', title: `Unpublish ${articles}`, isNarrow: true },
  )
}
