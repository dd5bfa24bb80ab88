/** Asks before posts and guides are taken from readers. */
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import type { Http } from '../../http/env.ts'
import { CONFIRMED, Confirm } from '../actions/confirm.tsx'
import { itemPath } from '../parent-list.ts'
import { formatQuantity } from '../parts/quantity.ts'
import { SiteLink } from '../parts/site-link.tsx'

/** The effect of unpublishing one article, or several. */
export const takenFrom = (kind: ArticleKind, them: 'it' | 'them') =>
  kind === 'posts'
    ? `From the next request on the sitemap and the feeds leave ${them} out, and keys for published content alone no longer see ${them}.`
    : `From the next request on neither the API nor the sitemap shows ${them}.`

const SHOWN_TITLES = 5

type Selection = {
  /** The posts to unpublish. */
  published: { slug: string; title: string }[]
  /** How many others are selected. */
  others: number
  /** Pages of the site: where the form posts to, and the list. */
  action: string
  list: string
}

export function confirmUnpublishing(c: Http, { published, others, action, list }: Selection) {
  const posts = formatQuantity(published.length, 'post')
  const hidden = published.length - SHOWN_TITLES
  return c.render(
    <Confirm
      title={`Unpublish ${posts}?`}
      needs="editor"
      action={action}
      submit={`Unpublish ${posts}`}
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
            <SiteLink to={itemPath('posts', slug)}>
              <bdi>{title}</bdi>
            </SiteLink>
          </li>
        ))}
        {hidden > 0 && <li>and {hidden} more</li>}
      </ul>
      {others > 0 && (
        <p>
          Of those selected, {others} {others === 1 ? 'is' : 'are'} not published and not changed.
        </p>
      )}
      <p>
        {takenFrom('posts', published.length === 1 ? 'it' : 'them')} You can undo it for those that nobody
        changes since.
      </p>
    </Confirm>,
    { tab: 'Content', title: `Unpublish ${posts}` },
  )
}
