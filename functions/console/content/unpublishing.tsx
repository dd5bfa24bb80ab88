import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import type { Http } from '../../http/env.ts'
import { CONFIRMED, Confirm } from '../actions/confirm.tsx'
import { itemPath } from '../parent-list.ts'
import { oneLine } from '../parts/one-line.ts'
import { formatQuantity } from '../parts/quantity.ts'
import { SiteLink } from '../parts/site-link.tsx'
import { KINDS } from './article.tsx'

export const unpublishingEffect = (kind: ArticleKind, them: 'it' | 'them') =>
  kind === 'posts'
    ? `The sitemap and the feeds leave ${them} out, and keys for published content no longer read ${them}.`
    : `The API and the sitemap leave ${them} out.`

const SHOWN_TITLES = 5

type Selection = {
  kind: ArticleKind
  published: { slug: string; title: string }[]
  /** Selected articles that are not published. */
  others: number
  /** Pages of the site. */
  action: string
  list: string
}

export function confirmUnpublishing(c: Http, { kind, published, others, action, list }: Selection) {
  const { noun } = KINDS[kind]
  const articles = formatQuantity(published.length, noun)
  const hidden = published.length - SHOWN_TITLES
  return c.render(
    <Confirm
      title={`Unpublish ${articles}?`}
      needs="editor"
      action={action}
      submit={`Unpublish ${articles}`}
      cancel={list}
      hidden={[
        ['change', 'unpublish'],
        ...published.map(({ slug }): [string, string] => ['slug', slug]),
        CONFIRMED,
      ]}
    >
      <ul class="points">
        {published.slice(0, SHOWN_TITLES).map(({ slug, title }) => (
          <li>
            <SiteLink to={itemPath(kind, slug)}>
              <bdi>{oneLine(title)}</bdi>
            </SiteLink>
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
