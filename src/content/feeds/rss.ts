/** RSS 2.0 (https://www.rssboard.org/rss-specification), with Atom's link to the feed itself and the full text. */
import { escapeXml } from '../sitemap/xml.ts'
import { escapeMarkup } from './absolute-html.ts'
import { type Feed, type FeedPost, writeUntilFull } from './feed.ts'

const START = `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:media="http://search.yahoo.com/mrss/">
<channel>
`
const END = '</channel>\n</rss>\n'

export function writeRss({ title, homeUrl, language, domain, posts }: Feed, self: string): string {
  const newest = posts.map(({ modifiedAt }) => Date.parse(modifiedAt)).reduce((a, b) => Math.max(a, b), 0)
  const head = [
    element('title', title),
    element('link', homeUrl),
    element('description', domain),
    element('language', language),
    posts.length > 0 && element('lastBuildDate', rfc822(newest)),
    `<atom:link href="${xml(self)}" rel="self" type="application/rss+xml"/>\n`,
  ]
  return START + head.filter(Boolean).join('') + writeUntilFull(posts, writeItem).join('') + END
}

function writeItem(post: FeedPost): string {
  const { id, url, title, excerpt, contentHtml, publishedAt, language, authors, image, topics } = post
  const parts = [
    element('title', title),
    element('link', url),
    `<guid isPermaLink="false">${id}</guid>\n`,
    publishedAt && element('pubDate', rfc822(Date.parse(publishedAt))),
    // A description is HTML.
    excerpt && element('description', escapeMarkup(excerpt)),
    contentHtml !== null && element('content:encoded', contentHtml),
    ...authors.map(({ name }) => element('dc:creator', name)),
    language && element('dc:language', language),
    ...topics.map((topic) => element('category', topic)),
    image && `<media:content url="${xml(image)}" medium="image"/>\n`,
  ]
  return `<item>\n${parts.filter(Boolean).join('')}</item>\n`
}

/** RFC 822 with a four-digit year. */
const rfc822 = (at: number) => new Date(at).toUTCString()

const element = (name: string, text: string) => `<${name}>${xml(text)}</${name}>\n`

/** Drops control characters, which XML forbids even as references. */
const xml = (text: string) => escapeXml(text.toWellFormed().replace(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, ''))
