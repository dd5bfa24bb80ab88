import { beforeEach, describe, expect, vi } from 'vitest'
import { DAY_MS } from '../../../src/core/time.ts'
import { markDue, marksKey } from '../../../src/freshness/marks.ts'
import { sweepAll } from '../../../src/jobs.ts'
import { askCanonical } from '../../support/canonical.ts'
import { makeKey, putAll } from '../../support/content.ts'
import { bindings, patientRedis, testContext } from '../../support/context.ts'
import { callTool, makeOperator } from '../../support/mcp.ts'
import { heard, listening, noteSwept, outboxOf, runCron } from '../../support/outbox.ts'
import { call, it, makeSite, manage, ORIGIN, type TestSite } from '../../support/site.ts'
import { runSql, statementsByCall } from '../../support/sql.ts'
import { BROKEN_DATABASE } from '../../support/world.ts'

type Json = Record<string, unknown>

const MINUTE_MS = 60_000
const SCHEDULE = '/posts/a/publication-schedule'

const schedule = (site: TestSite, publishAt: string, below = SCHEDULE) =>
  site.manage('PUT', below, { publishAt })
const stored = (site: TestSite, slug = 'a') => site.manage('GET', `/posts/${slug}`)
const statusOf = async (site: TestSite, slug = 'a') => ((await stored(site, slug)).post as Json).status
const later = (ms: number) => new Date(Date.now() + ms).toISOString()
const logOf = async (site: TestSite) =>
  (await site.manage('GET', '/audit-log')).items.filter(({ subject }) => subject === 'a')

/** Moves the time of a publication to now: in the row, and in its mark. */
async function letTimeCome(site: TestSite, msAgo = 1_000) {
  const at = Date.now() - msAgo
  await runSql('update posts set publish_at = $1 where site_id = $2 and publish_at is not null', [
    new Date(at).toISOString(),
    site.id,
  ])
  await markDue(testContext(), [{ siteId: site.id, at }])
  return new Date(at).toISOString()
}

// Without the sweep of all sites, which would also find it.
beforeEach(async () => void (await noteSwept(testContext())))

it('a draft is published at its time, is hidden everywhere before, and is a normal post after', async () => {
  const site = await listening()
  const { key } = await makeKey(site, { access: 'published' })
  const { url, rssUrl, jsonFeedUrl } = await site.manage('PUT', '/sitemap')
  const { updatedAt } = await site.put('a', { title: 'Soon <here>', trustScore: 90 })
  const before = await site.get('/posts')
  const at = Date.now() + DAY_MS
  const local = new Date(at + 330 * MINUTE_MS).toISOString().replace('Z', '+05:30')
  expect(await schedule(site, local)).toMatchObject({
    publishAt: new Date(at).toISOString(),
    scheduledBy: 'OPERATOR_TOKEN',
    updatedAt,
  })
  expect(await site.manage('GET', SCHEDULE)).toMatchObject({ publishAt: new Date(at).toISOString() })

  // Nothing visible has changed.
  const again = await site.get('/posts', { headers: { 'If-None-Match': before.headers.get('ETag')! } })
  expect(again.status).toBe(304)
  const channels = async () => {
    const path = (below: string) => call(`/api/v1${site.path}${below}`, { key }).then((got) => got.text())
    const open = (address: string) => askCanonical(address!.replace(ORIGIN, '')).then((got) => got.text())
    const texts = await Promise.all([
      path('/posts'),
      path('/posts/a'),
      path('/changes'),
      path('/posts?search=soon'),
      site.get('/sitemap.xml').then((got) => got.text()),
      open(url!),
      open(rssUrl!),
      open(jsonFeedUrl!),
      callTool(key, 'find_posts', { search: 'soon' }).then((result) => JSON.stringify(result)),
    ])
    return texts.map((text) => /Soon|\/blog\/a\b|"slug":"a"/.test(text))
  }
  expect(new Set(await channels())).toEqual(new Set([false]))
  expect(JSON.stringify(await site.json('/posts'))).not.toMatch(/publishAt|scheduled/i)
  await runCron()
  expect(await statusOf(site)).toBe('draft')

  const due = await letTimeCome(site)
  await runCron()
  const { post, ...beside } = await stored(site)
  expect(post).toMatchObject({ status: 'published', publishedAt: due })
  expect(beside).toMatchObject({ publishAt: null, scheduledBy: null })
  expect(String(beside.updatedAt) > due).toBe(true)
  expect(new Set(await channels())).toEqual(new Set([true]))
  expect(await heard(site, 1)).toMatchObject([{ event: 'post.published', slug: 'a', at: beside.updatedAt }])
  const byService = (await logOf(site)).filter(({ channel }) => channel !== 'database')
  expect(byService.slice(0, 2)).toMatchObject([
    {
      action: 'post.published',
      actor: 'OPERATOR_TOKEN',
      channel: 'schedule',
      after: { status: 'published' },
    },
    { action: 'post.scheduled', actor: 'OPERATOR_TOKEN', channel: 'management', before: null },
  ])
  await runCron()
  expect(await outboxOf(site)).toHaveLength(1)
})

it('the audit log groups the publications of each person', async ({ site }) => {
  for (const slug of ['a', 'b', 'c']) {
    await site.put(slug)
    await schedule(site, later(MINUTE_MS), `/posts/${slug}/publication-schedule`)
  }
  const name = `ada-${crypto.randomUUID()}`
  const { id } = await manage('POST', '/operators', { name, role: 'editor' })
  const ada = { id, name }
  await runSql("update posts set scheduled_by = $2 where site_id = $1 and slug = 'c'", [
    site.id,
    JSON.stringify(ada),
  ])
  await letTimeCome(site)
  await runCron()
  const changesets = async (query: string) => {
    const { items } = await site.manage('GET', `/audit-log?per=changeset&action=post.published${query}`)
    return items.map(({ changeset }) => changeset.entries).sort()
  }
  expect(await changesets('')).toEqual([1, 2])
  expect(await changesets(`&actor=${ada.name}`)).toEqual([1])
  expect(await changesets(`&actorId=${ada.id}`)).toEqual([1])
})

describe('a publication time', () => {
  it('is at most 366 days ahead, has an offset, and is for a draft', async ({ site }) => {
    await site.put('a')
    const rule = { status: 400, body: { issues: [{ path: 'publishAt', message: expect.any(String) }] } }
    for (const publishAt of [later(-1_000), later(366 * DAY_MS + MINUTE_MS), '2027-01-01T10:00', null])
      expect(await site.tryManage('PUT', SCHEDULE, { publishAt })).toMatchObject(rule)
    const none = await site.tryManage('PUT', '/posts/none/publication-schedule', { publishAt: later(9_000) })
    expect(none).toEqual({ status: 404, body: { error: 'Post not found' } })
    await site.manage('PUT', '/posts/a/publication')
    expect(await site.tryManage('PUT', SCHEDULE, { publishAt: later(9_000) })).toEqual({
      status: 409,
      body: { error: 'Only a draft can be scheduled' },
    })
  })

  it('is exact to the millisecond a year ahead, in every time zone, with or without summer time', async () => {
    const site = await makeSite()
    await site.put('a')
    const year = new Date().getUTCFullYear() + 1
    // The hour that clocks in Berlin skip, and the one that they repeat.
    for (const [written, at] of [
      [later(366 * DAY_MS - MINUTE_MS), null],
      [`${year}-03-28T01:59:59.999+01:00`, `${year}-03-28T00:59:59.999Z`],
      [`${year}-03-28T03:00:00+02:00`, `${year}-03-28T01:00:00.000Z`],
      [`${year}-10-31T02:30:00.001+02:00`, `${year}-10-31T00:30:00.001Z`],
      [`${year}-10-31T02:30:00.001+01:00`, `${year}-10-31T01:30:00.001Z`],
      [`${year}-01-01T00:00:00-12:00`, `${year}-01-01T12:00:00.000Z`],
    ] as const) {
      expect((await schedule(site, written)).publishAt).toBe(at ?? written)
      expect((await stored(site)).publishAt).toBe(at ?? written)
    }
    const entries = await logOf(site)
    await schedule(site, `${year}-01-01T12:00:00Z`)
    expect(await logOf(site)).toEqual(entries)
    expect(entries[0]).toMatchObject({
      action: 'post.scheduled',
      before: { publishAt: `${year}-10-31T01:30:00.001Z` },
      after: { publishAt: `${year}-01-01T12:00:00.000Z` },
    })
  })
})

describe('a schedule', () => {
  it.each<[string, string, (site: TestSite) => Promise<Json>]>([
    ['an edit', 'post.updated', (site) => site.put('a', { title: 'Another' })],
    ['a put that publishes', 'post.published', (site) => site.put('a', { status: 'published' })],
    ['publishing', 'post.published', (site) => site.manage('PUT', '/posts/a/publication')],
    ['unpublishing', 'post.schedule_cancelled', (site) => site.manage('DELETE', '/posts/a/publication')],
    [
      'a request for changes',
      'post.changes_requested',
      (site) => site.manage('PUT', '/posts/a/change-request', { note: 'Please' }),
    ],
  ])('is cancelled by %s, which reports it', async (_, action, write) => {
    const site = await makeSite()
    await site.put('a')
    const { publishAt } = await schedule(site, later(DAY_MS))
    expect(await write(site)).toMatchObject({ cancelledSchedule: publishAt })
    expect(await stored(site)).toMatchObject({ publishAt: null, scheduledBy: null })
    expect((await logOf(site))[0]).toMatchObject({ action, before: { publishAt } })
    expect(await write(site)).not.toHaveProperty('cancelledSchedule')
  })

  it('ends when it is cancelled, and with its post', async ({ site }) => {
    await site.put('a')
    const { publishAt } = await schedule(site, later(DAY_MS))
    const cancelled = await site.manage('DELETE', SCHEDULE)
    expect(cancelled).toMatchObject({ publishAt: null, scheduledBy: null })
    expect(await site.manage('DELETE', SCHEDULE)).toEqual(cancelled)
    const entry = { before: { publishAt }, after: null }
    expect((await logOf(site))[0]).toMatchObject({ action: 'post.schedule_cancelled', ...entry })
    await schedule(site, String(publishAt))
    await site.manage('DELETE', '/posts/a')
    const deleted = { action: 'post.deleted', before: { status: 'draft', publishAt } }
    expect((await logOf(site))[0]).toMatchObject(deleted)
    await runCron()
    expect(await site.json('/posts')).toMatchObject({ total: 0 })
  })

  it('survives whatever is not an edit: an unchanged put, readiness, a new slug, a deleted translation', async () => {
    const site = await makeSite()
    await site.put('source')
    const fields = { trustScore: 90, sourceSlug: 'source' }
    await site.put('b', fields)
    const { publishAt } = await schedule(site, later(DAY_MS), '/posts/b/publication-schedule')
    expect(await site.put('b', fields)).not.toHaveProperty('cancelledSchedule')
    await site.manage('PUT', '/posts/b/readiness')
    await site.manage('PUT', '/posts/b/slug', { slug: 'a' })
    await site.manage('PATCH', '', { postPath: '/other/{slug}' })
    await site.manage('POST', '/schema-bundles/rebuilds')
    await site.manage('DELETE', '/posts/source')
    expect(await stored(site)).toMatchObject({ publishAt, readyAt: expect.any(String) })
  })
})

describe('a due publication', () => {
  it('is published with its scheduled time once the cron is back, in the name of the person', async () => {
    const site = await makeSite()
    const { token, name } = await makeOperator('editor')
    await putAll(site, [{ slug: 'a' }, { slug: 'b' }, { slug: 'c', publishedAt: '2020-01-01T00:00:00Z' }])
    await schedule(site, later(DAY_MS))
    for (const slug of ['b', 'c']) {
      const path = `/manage/v1${site.path}/posts/${slug}/publication-schedule`
      await call(path, { method: 'PUT', key: token, body: { publishAt: later(DAY_MS) } })
    }
    const at = await letTimeCome(site, 3 * 60 * MINUTE_MS)
    await runCron()
    for (const slug of ['a', 'b', 'c'])
      expect((await stored(site, slug)).post).toMatchObject({ status: 'published', publishedAt: at })
    const { items } = await site.manage('GET', '/audit-log?action=post.published')
    expect(Object.fromEntries(items.map(({ subject, actor }) => [subject, actor]))).toEqual({
      a: 'OPERATOR_TOKEN',
      b: name,
      c: name,
    })
  })

  it('is found by the hourly sweep when Redis has lost its mark, and so is the next one', async () => {
    const site = await makeSite()
    await putAll(site, [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }])
    const ahead = Date.parse(later(30 * MINUTE_MS))
    await schedule(site, new Date(ahead).toISOString(), '/posts/b/publication-schedule')
    await schedule(site, later(DAY_MS), '/posts/c/publication-schedule')
    await runSql('update posts set publish_at = now() where site_id = $1 and slug = $2', [site.id, 'a'])
    // Concurrent tests sweep all sites too, but not by these marks.
    const lost = { REDIS_PREFIX: `lost-${crypto.randomUUID()}` }
    const ctx = testContext({ config: { ...testContext().config, ...lost } })
    await noteSwept(ctx)
    const statements = await statementsByCall(() => runCron({ ...bindings, ...lost }))
    expect(statements.flat().filter((text) => text.includes('publish_at'))).toEqual([])
    await sweepAll(ctx, new Date())
    expect(await statusOf(site)).toBe('published')
    const found = await patientRedis().zrange<string[]>(marksKey(ctx, 'due'), 0, -1)
    const marks = found.filter((id) => id.startsWith(site.id))
    expect(marks).toContain(`${site.id}/${ahead}`)
    expect(marks.every((id) => Number(id.split('/')[1]) < Date.now() + 121 * MINUTE_MS)).toBe(true)
  })

  it('stays due while Postgres is down, and its mark is removed a minute after everything is published', async () => {
    const site = await makeSite()
    let slug = 'a'
    let at = 0
    // Another test's cron may publish it first.
    await vi.waitFor(async () => {
      slug = crypto.randomUUID()
      await site.put(slug)
      await schedule(site, later(DAY_MS), `/posts/${slug}/publication-schedule`)
      at = Date.parse(await letTimeCome(site))
      await runCron({ ...bindings, ...BROKEN_DATABASE })
      expect(await statusOf(site, slug)).toBe('draft')
    }, 10_000)
    await runCron()
    expect(await statusOf(site, slug)).toBe('published')
    const isMarked = async () =>
      (await patientRedis().zscore(marksKey(testContext(), 'due'), `${site.id}/${at}`)) !== null
    await runCron()
    expect(await isMarked()).toBe(true)
    await runCron(bindings, at + MINUTE_MS)
    expect(await isMarked()).toBe(false)
  })

  it('of a site that is being deleted stays a draft', async ({ site }) => {
    await site.put('a')
    await schedule(site, later(DAY_MS))
    await letTimeCome(site)
    await runSql('update sites set deletion_started_at = now() where id = $1', [site.id])
    await runCron()
    expect(await runSql('select status from posts where site_id = $1', [site.id])).toEqual([
      { status: 'draft' },
    ])
  })
})
