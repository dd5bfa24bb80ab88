/** Writes at random, and compares the events of each with what it changed for those who may read what is published. */
import { sql } from 'drizzle-orm'
import { expect, inject, it } from 'vitest'
import { optionalEvents } from '../../../src/foundation/enums.ts'
import { makeKey } from '../../support/content.ts'
import { testContext } from '../../support/context.ts'
import { depthOf } from '../../support/depth.ts'
import { randomFrom } from '../../support/random.ts'
import { call, makeSite, post, type TestSite } from '../../support/site.ts'
import { addWebhook } from '../../support/webhook.ts'

const WRITES = depthOf('events')
const seed = inject('fuzzSeed')
const random = randomFrom(seed)
const SLUGS = ['a', 'b', 'c', 'd', 'e', 'f']

const anyOf = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!
const maybe = <Value>(value: Value) => (random() < 0.4 ? value : undefined)

type Seen = { id: string; slug: string; updatedAt: string }

/** What there is for a key with the access `published`, by id. */
async function seenIn(site: TestSite, key: string): Promise<Map<string, Seen>> {
  const response = await call(`/api/v1${site.path}/posts?include=provenance,metadata&pageSize=50`, { key })
  const { items } = await response.json<{ items: Seen[] }>()
  return new Map(items.map((item) => [item.id, item]))
}

async function eventsOf(site: TestSite) {
  const { rows } = await testContext().db.execute(
    sql`select payload from webhook_events where site_id = ${site.id}`,
  )
  await testContext().db.execute(sql`delete from webhook_events where site_id = ${site.id}`)
  return rows
    .map((row) => JSON.parse(String(row.payload)))
    .filter(({ event }) => event !== 'article.ready')
    .map(({ event, postId, slug, sequence }) => ({ event, postId, slug, sequence }))
    .toSorted((one, other) => one.sequence - other.sequence)
}

const anyPost = (slug: string) => ({
  ...post({ title: anyOf(['One', 'Two']) }),
  slug,
  status: maybe(anyOf(['draft', 'published'])),
  language: maybe(anyOf(['en', 'de'])),
  trustScore: maybe(anyOf([10, 80, 90, 91])),
  sourceSlug: maybe(anyOf(SLUGS)),
  tags: maybe(['sea']),
  originId: maybe(`origin:${slug}`),
})

/** Some are refused, such as a source that is missing: those change nothing. */
const WRITINGS: Record<string, (site: TestSite) => Promise<unknown>> = {
  put: (site) => {
    const { slug, ...body } = anyPost(anyOf(SLUGS))
    return site.tryManage('PUT', `/posts/${slug}`, body)
  },
  putMany: (site) =>
    site.tryManage('PUT', '/posts', { posts: SLUGS.filter(() => random() < 0.6).map(anyPost) }),
  putSilently: (site) =>
    site.tryManage('PUT', '/posts?events=none', { posts: SLUGS.filter(() => random() < 0.6).map(anyPost) }),
  publish: (site) => site.tryManage('PUT', `/posts/${anyOf(SLUGS)}/publication`),
  unpublish: (site) => site.tryManage('DELETE', `/posts/${anyOf(SLUGS)}/publication`),
  rename: (site) => site.tryManage('PUT', `/posts/${anyOf(SLUGS)}/slug`, { slug: anyOf(SLUGS) }),
  delete: (site) => site.tryManage('DELETE', `/posts/${anyOf(SLUGS)}`),
  ready: (site) => site.tryManage('PUT', `/posts/${anyOf(SLUGS)}/readiness`),
  moveSite: (site) => site.tryManage('PATCH', '', { postPath: anyOf(['/blog/{slug}', '/posts/{slug}']) }),
  rebuild: (site) => site.tryManage('POST', '/schema-bundles/rebuilds'),
  guide: (site) =>
    site.tryManage('PUT', `/guides/${anyOf(SLUGS)}`, post({ status: anyOf(['draft', 'published']) })),
}

it(`${WRITES} writes send the events of what they change, each once (FUZZ_SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const site = await makeSite({ dailyQuota: 1_000_000 })
  await addWebhook(site, 'ok', [...optionalEvents])
  const { key } = await makeKey(site, { access: 'published' })
  const sent: Record<string, number> = {}
  let before = await seenIn(site, key)
  for (let at = 0; at < WRITES; at += 1) {
    const name = anyOf(Object.keys(WRITINGS))
    await WRITINGS[name]!(site)
    const after = await seenIn(site, key)
    const happened = await eventsOf(site)
    const expected = [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
      const [was, is] = [before.get(id), after.get(id)]
      if (JSON.stringify(was) === JSON.stringify(is) || name === 'putSilently') return []
      if (is) return { event: was ? 'post.updated' : 'post.published', postId: id, slug: is.slug }
      return { event: expect.stringMatching(/^post.(unpublished|deleted)$/), postId: id, slug: was!.slug }
    })
    expect(happened, `${at}: ${name}`).toHaveLength(expected.length)
    expect(happened, `${at}: ${name}`).toEqual(
      expect.arrayContaining(expected.map((each) => expect.objectContaining(each))),
    )
    for (const { event, postId, sequence } of happened) {
      sent[event] = (sent[event] ?? 0) + 1
      // It may be that the put of a post was followed by its getting another source, in the same commit.
      const updatedAt = after.get(postId)?.updatedAt
      if (updatedAt) expect(sequence).toBeLessThanOrEqual(Date.parse(updatedAt))
    }
    before = after
  }
  if (WRITES >= 200) expect(Object.keys(sent).sort()).toEqual([...optionalEvents].sort())
})
