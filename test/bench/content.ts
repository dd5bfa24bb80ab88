/** The content that the bench reads, written through the management API as an operator would. */

import type { PostInput } from '../../src/content/posts/post.ts'
import type { Api } from '../../src/transfer/api.ts'

export const POSTS = 10_000
/** So many posts share the topic in their titles, as many as on a page. */
export const TOPICS = Math.ceil(POSTS / 12)
const SITEMAP_URLS = 1_000
const EXPORT_ROWS = 500
const BULK = 100
const WORDS = 'A paragraph of a post such as people write, with some words in it that somebody may read. '
const BODY = `<p>${WORDS.repeat(5)}</p>`.repeat(4)

export type Site = { id: string; key: string }
export type Content = {
  /** For 10,000 posts. */
  blog: Site
  /** For 1,000 published posts. */
  mapped: Site
  /** For 500 training rows. */
  trained: Site
  /** Edits a post of the blog, the newest unless another one is named, which makes what is cached of the blog's lists stale. */
  edit(number?: number): Promise<unknown>
  /** Changes a setting of the blog, which makes everything stale that is cached of it. */
  renew(): Promise<unknown>
}

export async function makeContent(manage: Api): Promise<Content> {
  const [blog, mapped, trained] = [await makeSite(manage), await makeSite(manage), await makeSite(manage)]
  await putPosts(manage, blog, POSTS)
  await putPosts(manage, mapped, SITEMAP_URLS)
  const rows = Array.from({ length: EXPORT_ROWS }, (_, n) => ({
    prompt: `Write post ${n}`,
    completion: BODY,
  }))
  await manage('POST /sites/{siteId}/training-rows', [trained.id], { body: { rows } })
  let edition = 0
  let renewals = 0
  return {
    blog,
    mapped,
    trained,
    edit(number = POSTS - 1) {
      const { slug, ...post } = article(number)
      edition += 1
      return manage('PUT /sites/{siteId}/posts/{slug}', [blog.id, slug], {
        body: { ...post, excerpt: `Edition ${edition}` },
      })
    },
    renew() {
      renewals += 1
      return manage('PATCH /sites/{siteId}', [blog.id], { body: { domain: `bench-${renewals}.example.com` } })
    },
  }
}

export const slugOf = (number: number) => `post-${number}`
export const topicOf = (number: number) => `topic ${String(number % TOPICS).padStart(4, '0')}`

async function makeSite(manage: Api): Promise<Site> {
  const fields = {
    name: 'Bench',
    domain: 'bench.example.com',
    trainingOptIn: true,
    dailyQuota: 1_000_000_000,
  }
  const { id } = await manage('POST /sites', [], { body: fields })
  const { key } = await manage('POST /sites/{siteId}/keys', [id], { body: { name: 'bench' } })
  return { id, key }
}

async function putPosts(manage: Api, site: Site, count: number) {
  for (let at = 0; at < count; at += BULK) {
    const posts = Array.from({ length: BULK }, (_, i) => article(at + i))
    await manage('PUT /sites/{siteId}/posts', [site.id], { body: { posts } })
  }
}

/** About 2 KB of HTML. */
function article(number: number): PostInput {
  return {
    slug: slugOf(number),
    title: `The ${number}th post, about ${topicOf(number)}`,
    contentHtml: `<h2>Number ${number}</h2>${BODY}`,
    status: 'published',
    language: 'en',
  }
}
