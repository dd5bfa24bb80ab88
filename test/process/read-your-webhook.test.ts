import { afterAll, beforeAll, expect, it } from 'vitest'
import { startCountingReceiver } from '../support/counting-receiver.ts'
import { depthOf } from '../support/depth.ts'
import { type Service, startService } from '../support/service.ts'

const ROUNDS = depthOf('receiverReads')
const POSTS = 50
const AT_ONCE = 10

type Article = { slug: string; title: string; updatedAt: string }

let service: Service
let site: Awaited<ReturnType<Service['makeSite']>>
let receiver: Awaited<ReturnType<typeof startCountingReceiver>>

/** A reader's ETag of each post. */
const known = new Map<string, string>()
const stale: unknown[] = []
let heard = 0
let edition = 0

async function read(slug: string, etag?: string) {
  const response = await fetch(`${service.origin}/api/v1${site.path}/posts/${slug}`, {
    headers: { Authorization: `Bearer ${site.key}`, ...(etag && { 'If-None-Match': etag }) },
  })
  const text = await response.text()
  if (response.status === 200) known.set(slug, response.headers.get('ETag')!)
  return { status: response.status, post: response.status === 200 ? (JSON.parse(text) as Article) : null }
}

beforeAll(async () => {
  service = await startService()
  site = await service.makeSite({ dailyQuota: 1_000_000 })
  receiver = await startCountingReceiver(async (body, response) => {
    const { slug, at } = JSON.parse(body) as { slug: string; at: string }
    const { status, post } = await read(slug, known.get(slug))
    const fresh = post !== null && post.updatedAt >= at && post.title === `Edition ${edition}`
    if (!fresh) stale.push({ slug, at, status, post })
    heard += 1
    response.writeHead(204).end()
  })
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.updated'] })
})

afterAll(async () => {
  receiver.close()
  await service.stop()
})

it(`a receiver that fetches the post in its handler gets the event's version or a newer one, ${ROUNDS * POSTS} times of ${ROUNDS * POSTS}, although it cached the previous one`, async () => {
  const slugs = Array.from({ length: POSTS }, (_, i) => `post-${i}`)
  for (let round = 1; round <= ROUNDS; round++) {
    // The Worker has cached the previous version, and this round's before its drafts are marked ready.
    await Promise.all(slugs.map((slug) => read(slug)))
    edition = round
    const posts = slugs.map((slug) => ({
      slug,
      title: `Edition ${round}`,
      contentHtml: '<p>Words.</p>',
      qualityBand: 'standard',
    }))
    await service.manage('PUT', `${site.path}/posts`, { posts })
    await Promise.all(slugs.map((slug) => read(slug, known.get(slug))))
    // All wait for the site's lock, and a write has 15 s.
    for (let at = 0; at < POSTS; at += AT_ONCE)
      await Promise.all(
        slugs
          .slice(at, at + AT_ONCE)
          .map((slug) => service.manage('PUT', `${site.path}/posts/${slug}/readiness`)),
      )
    await expect.poll(() => heard, { interval: 20 }).toBe(round * POSTS)
  }
  expect(stale).toEqual([])
})

it(`and so does a receiver of changes to published posts, ${ROUNDS * POSTS} times`, async () => {
  const slugs = Array.from({ length: POSTS }, (_, i) => `published-${i}`)
  const put = (query = '') =>
    service.manage('PUT', `${site.path}/posts${query}`, {
      posts: slugs.map((slug) => ({
        slug,
        title: `Edition ${edition}`,
        contentHtml: '<p>Words.</p>',
        status: 'published',
      })),
    })
  edition = 0
  await put('?events=none')
  heard = 0
  for (let round = 1; round <= ROUNDS; round++) {
    await Promise.all(slugs.map((slug) => read(slug)))
    edition = round
    await put()
    await expect.poll(() => heard, { interval: 20 }).toBe(round * POSTS)
  }
  expect(stale).toEqual([])
})
