/** Writes at random, and compares the events of each write with its visible changes to published content. */
import { sql } from 'drizzle-orm'
import { expect, inject, it } from 'vitest'
import { publishDuePosts } from '../../../src/content/posts/due.ts'
import { optionalEvents } from '../../../src/core/enums.ts'
import { storeStaleVersions } from '../../../src/freshness/site-versions.ts'
import { browse } from '../../support/console.ts'
import { makeKey } from '../../support/content.ts'
import { testContext } from '../../support/context.ts'
import { depthOf } from '../../support/depth.ts'
import { openForm } from '../../support/edit-form.ts'
import { randomFrom } from '../../support/random.ts'
import { call, makeSite, post, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook } from '../../support/webhook.ts'

const WRITES = depthOf('events')
const seed = inject('fuzzSeed')
const random = randomFrom(seed)
const SLUGS = ['a', 'b', 'c', 'd', 'e', 'f']

const anyOf = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!
const maybe = <Value>(value: Value) => (random() < 0.4 ? value : undefined)

type Seen = { id: string; slug: string; updatedAt: string }

/** The content for a key with the access `published`, by id. */
async function seenIn(site: TestSite, key: string): Promise<Map<string, Seen>> {
  const response = await call(`/api/v1${site.path}/posts?include=provenance,metadata&pageSize=50`, { key })
  const { items } = await response.json<{ items: Seen[] }>()
  return new Map(items.map((item) => [item.id, item]))
}

const seenIds: string[] = []

async function eventsOf(site: TestSite) {
  const { rows } = await testContext().db.execute(
    sql`select id, payload from webhook_events where site_id = ${site.id} and id <> all (${`{${seenIds.join()}}`}::uuid[])`,
  )
  seenIds.push(...rows.map(({ id }) => String(id)))
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

async function inConsole(site: TestSite, below: string, form: string[][]) {
  return (await browse(site, '/content')).open(below, { form })
}

const select = (site: TestSite, change: string) =>
  inConsole(site, '/selection', [
    ['change', change],
    ['confirmed', 'yes'],
    ...SLUGS.filter(() => random() < 0.5).map((slug) => ['slug', slug]),
  ])

async function edit(site: TestSite, slug: string, changes: Record<string, string>) {
  const { page, save } = await openForm(site, `posts/${slug}`)
  if (page.status === 200) await save(changes)
}

/** SQL, and the sweep that makes it visible. */
async function byHand(site: TestSite, statement: string) {
  await runSql(statement, [site.id])
  await storeStaleVersions(testContext(), { siteIds: [site.id] })
}

const later = () => new Date(Date.now() + 3_600_000).toISOString()

/** Some writes are refused, such as one with a missing source, and change nothing. `shown` is a published slug, if any. */
const WRITINGS: Record<string, (site: TestSite, shown: () => string | undefined) => Promise<unknown>> = {
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
  delete: (site, shown) => site.tryManage('DELETE', `/posts/${shown() ?? anyOf(SLUGS)}`),
  schedule: (site) =>
    site.tryManage('PUT', `/posts/${anyOf(SLUGS)}/publication-schedule`, { publishAt: later() }),
  unschedule: (site) => site.tryManage('DELETE', `/posts/${anyOf(SLUGS)}/publication-schedule`),
  publishDue: async (site) => {
    await Promise.all(
      SLUGS.slice(0, 3).map((slug) =>
        site.tryManage('PUT', `/posts/${slug}/publication-schedule`, { publishAt: later() }),
      ),
    )
    await runSql(
      "update posts set publish_at = now() where site_id = $1 and publish_at is not null and slug <> 'a'",
      [site.id],
    )
    await publishDuePosts(testContext(), { siteIds: [site.id] })
  },
  requestChanges: (site) =>
    site.tryManage('PUT', `/posts/${anyOf(SLUGS)}/change-request`, { note: anyOf(['Shorter.', 'Longer.']) }),
  resolveChanges: (site) => site.tryManage('DELETE', `/posts/${anyOf(SLUGS)}/change-request`),
  edit: (site) =>
    edit(site, anyOf(SLUGS), { title: anyOf(['One', 'Two']), qualityBand: anyOf(['', 'premium']) }),
  editSlug: (site, shown) =>
    edit(site, shown() ?? anyOf(SLUGS), { title: anyOf(['One', 'Two']), slug: anyOf(SLUGS) }),
  selectPublish: (site) => select(site, 'publish'),
  selectUnpublish: (site) => select(site, 'unpublish'),
  resend: (site) => site.tryManage('POST', '/resends', {}),
  ready: (site) => site.tryManage('PUT', `/posts/${anyOf(SLUGS)}/readiness`),
  moveSite: (site) => site.tryManage('PATCH', '', { postPath: anyOf(['/blog/{slug}', '/posts/{slug}']) }),
  rebuild: (site) => site.tryManage('POST', '/schema-bundles/rebuilds'),
  bySql: (site) =>
    byHand(
      site,
      anyOf([
        "update posts set title = 'By hand ' || random() where site_id = $1 and slug in ('a', 'b')",
        "update posts set slug = 'by-hand-' || random() where site_id = $1 and slug = 'c'",
        "update posts set status = 'published' where site_id = $1 and slug in ('c', 'd')",
        "update posts set status = 'draft' where site_id = $1 and slug in ('d', 'e')",
        "delete from posts where site_id = $1 and slug in ('e', 'f')",
      ]),
    ),
  bySqlSilently: (site) =>
    byHand(
      site,
      `with quiet as (select set_config('events.sending', 'none', true))
      update posts set title = 'By hand ' || random() from quiet where site_id = $1`,
    ),
  guide: (site) =>
    site.tryManage('PUT', `/guides/${anyOf(SLUGS)}`, post({ status: anyOf(['draft', 'published']) })),
}

const SILENT = ['putSilently', 'bySqlSilently']

it(`${WRITES} writes send each event of their changes once (FUZZ_SEED=${seed})`, {
  timeout: 3_600_000,
}, async () => {
  const site = await makeSite({ dailyQuota: 1_000_000 })
  await addWebhook(site, 'ok', [...optionalEvents])
  const { key } = await makeKey(site, { access: 'published' })
  const sent: Record<string, number> = {}
  let before = await seenIn(site, key)
  for (let at = 0; at < WRITES; at += 1) {
    const name = anyOf(Object.keys(WRITINGS))
    const shown = [...before.values()].map(({ slug }) => slug)
    await WRITINGS[name]!(site, () => anyOf(shown))
    const after = await seenIn(site, key)
    const happened = await eventsOf(site)
    const expected = [...new Set([...before.keys(), ...after.keys()])].flatMap((id) => {
      const [was, is] = [before.get(id), after.get(id)]
      if (JSON.stringify(was) === JSON.stringify(is) || SILENT.includes(name)) return []
      if (is) return { event: was ? 'post.updated' : 'post.published', postId: id, slug: is.slug }
      return { event: expect.stringMatching(/^post.(unpublished|deleted)$/), postId: id, slug: was!.slug }
    })
    expect(happened, `${at}: ${name}`).toHaveLength(expected.length)
    expect(happened, `${at}: ${name}`).toEqual(
      expect.arrayContaining(expected.map((each) => expect.objectContaining(each))),
    )
    for (const { event, postId, sequence } of happened) {
      sent[event] = (sent[event] ?? 0) + 1
      const updatedAt = after.get(postId)?.updatedAt
      if (updatedAt) expect(sequence, `${at}: ${name}`).toBe(Date.parse(updatedAt))
    }
    before = after
  }
  if (WRITES >= 1_000) expect(Object.keys(sent).sort()).toEqual([...optionalEvents].sort())
})
