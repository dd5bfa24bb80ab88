/** The same posts for all: read from our API, and written into the peers' tables. */
import pg from 'pg'
import type { Post } from '../../../src/content/posts/post.ts'
import type { Question } from '../load.ts'
import { answerTo } from '../questions.ts'

const AT_ONCE = 500

/** All posts of a list, the oldest update first. */
export async function readPosts(list: Question): Promise<Post[]> {
  const posts: Post[] = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = `${list.paths[0]}?pageSize=50&page=${page}`
    const answer = JSON.parse(await answerTo({ ...list, paths: [path] }))
    posts.push(...answer.items)
    pages = answer.totalPages
  }
  return posts.reverse()
}

/** The columns of a post in every peer, with their usual names. */
export const columnsOf = (post: Post) => ({
  slug: post.slug,
  title: post.title,
  excerpt: post.excerpt,
  content_html: post.contentHtml,
  published_at: post.publishedAt,
  updated_at: post.updatedAt,
  reading_time_minutes: post.readingTimeMinutes,
  quality_band: post.qualityBand,
  assurance_label: post.assuranceLabel,
  review_status: post.reviewStatus,
  ai_generated: post.aiGenerated,
  language: post.language,
  source_post_id: post.sourcePostId,
  seo: post.seo,
  faq_json_ld: post.faqJsonLd,
  schema_bundle: post.schemaBundle,
})

/** Fills the table `posts`, with an index for the list's order. */
export async function insertRows(databaseUrl: string, rows: Record<string, unknown>[]): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const columns = Object.keys(rows[0]!).join(', ')
  for (let at = 0; at < rows.length; at += AT_ONCE) {
    await client.query(
      `insert into posts (${columns}) select ${columns} from json_populate_recordset(null::posts, $1)`,
      [JSON.stringify(rows.slice(at, at + AT_ONCE))],
    )
  }
  await client.query('create index on posts (updated_at desc)')
  await client.query('vacuum analyze')
  await client.end()
}
