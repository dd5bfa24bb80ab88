/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/). */
import { type Feed, type FeedPost, writeUntilFull } from './feed.ts'

export function writeJsonFeed({ title, homeUrl, language, posts }: Feed, self: string): string {
  const head = {
    version: 'https://jsonfeed.org/version/1.1',
    title,
    home_page_url: homeUrl,
    feed_url: self,
    language,
  }
  return `${JSON.stringify(head).slice(0, -1)},"items":[${writeUntilFull(posts, writeItem).join()}]}`
}

function writeItem(post: FeedPost): string {
  const { id, url, title, excerpt, contentHtml, publishedAt, modifiedAt, language, authors, image, topics } =
    post
  return JSON.stringify({
    id,
    url,
    title,
    ...(contentHtml === null ? { content_text: excerpt ?? title } : { content_html: contentHtml }),
    ...(excerpt && { summary: excerpt }),
    ...(image && { image }),
    ...(publishedAt && { date_published: publishedAt }),
    date_modified: modifiedAt,
    ...(authors.length > 0 && {
      authors: authors.map(({ name, url }) => ({ name, ...(url && { url }) })),
    }),
    ...(topics.length > 0 && { tags: topics }),
    ...(language && { language }),
  })
}
