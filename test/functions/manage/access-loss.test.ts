import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import worker from '../../../functions/worker.ts'
import { publishDuePosts } from '../../../src/content/posts/due.ts'
import { versionKey } from '../../../src/freshness/site-versions.ts'
import { removeOperator, updateOperator } from '../../../src/people/operators.ts'
import { ADMIN } from '../../support/actor.ts'
import { cookieOf, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { bindings, patientRedis, testContext } from '../../support/context.ts'
import { call, errorOf, makeSite, manage, ORIGIN, type TestSite, tryManage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { callIn } from '../../support/world.ts'

type Link = { token: string; lastFour: string; createdBy: string; revokedAt: string | null }
type Schedule = { publishAt: string | null; scheduledBy: string | null }

const SCHEDULE = '/posts/draft/publication-schedule'
const LINKS = '/posts/draft/preview-links'
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function makePerson(fields: object = {}) {
  const name = `ada-${crypto.randomUUID()}`
  const { id } = await manage('POST', '/operators', { name, role: 'editor', ...fields })
  const { token, id: tokenId } = await manage('POST', `/operators/${id}/tokens`, {})
  const ask = async <Answer>(method: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await call(`/manage/v1${path}`, { method, body, key: token })
    expect(response.status).toBeLessThan(300)
    return response.json<Answer>()
  }
  return { id, name, token, tokenId, path: `/operators/${id}`, ask }
}

type Person = Awaited<ReturnType<typeof makePerson>>

/** A site with a used preview link, which caches therefore know, by this person. */
async function siteWithLink(person: Person, site?: TestSite) {
  const { path, ...rest } = site ?? (await makeSite())
  await rest.put('draft', { title: 'Not yet' })
  const link = await person.ask<Link>('POST', `${path}${LINKS}`, {})
  /** In another isolate each time, whose cache is filled from Redis. */
  const open = async () => (await callIn({}, `/api/v1${path}/posts/draft`, { key: link.token })).status
  expect(await open()).toBe(200)
  return { site: { path, ...rest }, link, open }
}

const schedule = (person: Person, { path }: { path: string }, publishAt = inAnHour()) =>
  person.ask<Schedule>('PUT', `${path}${SCHEDULE}`, { publishAt })

const statusOf = async ({ json }: TestSite) => (await json<{ status: string }>('/posts/draft')).status

describe('a preview link stops working at once when its creator', () => {
  it.each<[string, object, (person: Person, site: Pick<TestSite, 'put'>, other: string) => Promise<unknown>]>(
    [
      ['is removed', {}, ({ path }) => manage('DELETE', path)],

      [
        'was an admin and becomes a viewer',
        { role: 'admin' },
        ({ path }) => manage('PATCH', path, { role: 'viewer' }),
      ],
      ['loses access to all sites', {}, ({ path }, _, other) => manage('PATCH', path, { sites: [other] })],
      [
        'is removed by SQL, from the next write on',
        {},
        async ({ id }, site) => {
          await runSql('delete from operators where id = $1', [id])
          await site.put('another')
        },
      ],
    ],
  )('%s', async (_, fields, leave) => {
    const person = await makePerson(fields)
    const { site, link, open } = await siteWithLink(person)
    const { id: other } = await makeSite()
    await leave(person, site, other)
    expect(await open()).toBe(401)
    const { items } = await site.manage('GET', LINKS)
    expect(items[0]).toMatchObject({ lastFour: link.lastFour, createdBy: person.name })
    expect(items[0]!.revokedAt).not.toBeNull()
  })

  it('loses one of several sites, for that site only', async () => {
    const [kept, lost] = [await makeSite(), await makeSite()]
    const person = await makePerson({ sites: [kept.id, lost.id] })
    const [atKept, atLost] = [await siteWithLink(person, kept), await siteWithLink(person, lost)]
    await manage('PATCH', person.path, { sites: [kept.id] })
    expect([await atKept.open(), await atLost.open()]).toEqual([200, 401])
    await manage('PATCH', person.path, { sites: [kept.id, lost.id] })
    expect(await atLost.open()).toBe(401)
  })

  it('is removed by SQL: Postgres no longer accepts it, and the version of the site has changed', async () => {
    const person = await makePerson()
    const { site, link } = await siteWithLink(person)
    const version = async () => (await runSql('select auth_version from sites where id = $1', [site.id]))[0]!
    const before = await version()
    await runSql('delete from operators where id = $1', [person.id])
    expect(await version()).not.toEqual(before)
    const [row] = await runSql('select revoked_at from preview_links where last_four = $1 and site_id = $2', [
      link.lastFour,
      site.id,
    ])
    expect(row!.revoked_at).not.toBeNull()
  })

  it('but not when a token of theirs is revoked, their name changes or they become an admin', async () => {
    const person = await makePerson()
    const { open } = await siteWithLink(person)
    await manage('PUT', `${person.path}/tokens/${person.tokenId}/revocation`)
    await manage('PATCH', person.path, { name: `eve-${crypto.randomUUID()}` })
    await manage('PATCH', person.path, { role: 'admin' })
    await manage('PATCH', person.path, { role: 'editor' })
    expect(await open()).toBe(200)
  })

  it('without a seqlock on the site for a change that ends nothing, or is refused', async () => {
    const person = await makePerson()
    const { site } = await siteWithLink(person)
    await site.put('draft')
    await schedule(person, site)
    const ctx = testContext({ actor: ADMIN })
    const stored = () => patientRedis().get(versionKey(ctx, site.id))
    // Writers replace it, and nobody reads it in this test.
    await patientRedis().set(versionKey(ctx, site.id), 'untouched')
    await updateOperator(ctx, person.id, { name: `eve-${crypto.randomUUID()}` })
    await updateOperator(ctx, person.id, { role: 'admin' })
    await updateOperator(ctx, person.id, { role: 'editor', sites: [site.id] })
    const undecided = { code: 'schedules_undecided' }
    await expect(updateOperator(ctx, person.id, { role: 'viewer' })).rejects.toMatchObject(undecided)
    await expect(removeOperator(ctx, person.id)).rejects.toMatchObject(undecided)
    expect(await stored()).toBe('untouched')
    await removeOperator(ctx, person.id, { schedules: 'cancel' })
    expect(await stored()).not.toBe('untouched')
  })

  it('is removed while it is created: the row is refused', async () => {
    const person = await makePerson()
    const { site } = await siteWithLink(person)
    await manage('DELETE', person.path)
    const insertion = runSql(
      `insert into preview_links (site_id, post_id, token_hash, last_four, expires_at, made_by)
       select site_id, id, gen_random_uuid()::text, 'abcd', now() + interval '1 day', $1 from posts where site_id = $2`,
      [person.id, site.id],
    )
    await expect(insertion).rejects.toThrow(/may not edit/)
  })
})

describe('a schedule whose creator is removed', () => {
  it('has to be decided first: until then the person stays', async () => {
    const person = await makePerson()
    const site = await makeSite()
    await site.put('draft')
    await schedule(person, site)
    const asked = {
      status: 409,
      body: {
        error:
          'Scheduled drafts: schedules must be keep, to publish 1 scheduled draft of theirs in your name, or cancel',
      },
    }
    expect(await tryManage('DELETE', person.path)).toEqual(asked)
    expect(await tryManage('PATCH', person.path, { role: 'viewer' })).toEqual(asked)
    expect(await tryManage('PATCH', person.path, { sites: [] })).toEqual(asked)
    expect((await tryManage('DELETE', `${person.path}?schedules=maybe`)).status).toBe(400)
    expect(await site.manage('GET', SCHEDULE)).toMatchObject({ scheduledBy: person.name })
    expect(await tryManage('PATCH', person.path, { sites: [site.id] })).toMatchObject({ status: 200 })
  })

  it.each([
    ['DELETE', 'keep', undefined],
    ['PATCH', 'cancel', { role: 'viewer' }],
    ['PATCH', 'keep', { sites: [] }],
    ['DELETE', 'cancel', undefined],
  ])('is taken over by the admin who decides, or cancelled: %s %s %j', async (method, choice, body) => {
    const person = await makePerson()
    const [site, kept] = [await makeSite(), await makeSite()]
    for (const each of [site, kept]) {
      await each.put('draft')
      await schedule(person, each)
    }
    const staying = body && 'sites' in body ? { sites: [kept.id] } : body
    await manage(method, `${person.path}?schedules=${choice}`, staying)
    if (staying !== body)
      expect(await kept.manage('GET', SCHEDULE)).toMatchObject({ scheduledBy: person.name })
    const isKept = choice === 'keep'
    const after = await site.manage('GET', SCHEDULE)
    expect(after.scheduledBy).toBe(isKept ? 'OPERATOR_TOKEN' : null)
    expect(after.publishAt === null).toBe(!isKept)
    const { items } = await site.manage('GET', '/audit-log')
    expect(items[0]).toMatchObject({
      action: isKept ? 'post.scheduled' : 'post.schedule_cancelled',
      actor: 'OPERATOR_TOKEN',
    })
    await runSql(
      "update posts set publish_at = now() - interval '1 minute' where site_id = $1 and publish_at > now()",
      [site.id],
    )
    await publishDuePosts(testContext({ actor: ADMIN }), { siteIds: [site.id] })
    expect(await statusOf(site)).toBe(isKept ? 'published' : 'draft')
  })

  it('cannot be taken over by the person who is removed', async () => {
    const person = await makePerson({ role: 'admin' })
    const site = await makeSite()
    await site.put('draft')
    await schedule(person, site)
    const response = await call(`/manage/v1${person.path}?schedules=keep`, {
      method: 'DELETE',
      key: person.token,
    })
    expect(await errorOf(response, 400)).toContain('must be cancel, because this operator is you')
    expect(await site.manage('GET', SCHEDULE)).toMatchObject({ scheduledBy: person.name })
  })

  it('is cancelled when SQL removes them, at the latest when it is due', async () => {
    const person = await makePerson()
    const [site, late] = [await makeSite(), await makeSite()]
    for (const each of [site, late]) await each.put('draft')
    await schedule(person, site)
    await runSql('delete from operators where id = $1', [person.id])
    expect(await site.manage('GET', SCHEDULE)).toMatchObject({ publishAt: null })
    // As written by a request that ran while the person was removed.
    await runSql(
      "update posts set publish_at = now() - interval '1 minute', scheduled_by = $1::jsonb where site_id = $2",
      [JSON.stringify({ id: person.id, name: person.name }), late.id],
    )
    expect(await publishDuePosts(testContext({ actor: ADMIN }), { siteIds: [late.id] })).toBe(0)
    expect(await statusOf(late)).toBe('draft')
    expect(await late.manage('GET', SCHEDULE)).toMatchObject({ publishAt: null })
  })
})

describe('tokens that an admin created for others', () => {
  it.each([
    ['is removed', (path: string) => manage('DELETE', path)],
    ['is no longer an admin', (path: string) => manage('PATCH', path, { role: 'editor' })],
  ])('end when the admin %s', async (_, leave) => {
    const admin = await makePerson({ role: 'admin' })
    const robot = await makePerson()
    const { token } = await admin.ask<{ token: string }>('POST', `${robot.path}/tokens`, {})
    // Behind Cloudflare Access the admin has no token whose end would affect it.
    await runSql('update operator_tokens set maker_id = null where operator_id = $1', [robot.id])
    const open = async (key: string) => (await call('/manage/v1/operator', { key })).status
    expect(await open(token)).toBe(200)
    await leave(admin.path)
    expect([await open(token), await open(robot.token)]).toEqual([401, 200])
  })
})

describe('a running export of the console', () => {
  it('ends when the person is removed', async () => {
    const person = await makePerson()
    const cookie = cookieOf(await trySignIn(person.token))
    const site = await makeSite()
    // More than is read before the first chunk.
    await site.put('draft', { contentHtml: `<p>${'word '.repeat(40_000)}</p>` })
    const execution = createExecutionContext()
    const request = new Request(`${ORIGIN}/console/sites/${site.id}/settings/transfer/export`, {
      headers: { Cookie: cookie },
    })
    const reader = (await worker.fetch(request, bindings, execution)).body!.getReader()
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toContain('"settings"')
    await manage('DELETE', person.path)
    const readRest = async () => {
      while (!(await reader.read()).done) {}
    }
    await expect(readRest()).rejects.toThrow('operator_refused')
    await waitOnExecutionContext(execution)
  })
})

describe('the list of a person’s links, schedules and tokens', () => {
  it('is shown to admins and to the person, with everything still in effect', async () => {
    const person = await makePerson()
    const { site, link } = await siteWithLink(person)
    await schedule(person, site)
    const made = await manage('GET', `${person.path}/made`)
    expect(made).toMatchObject({
      schedules: [{ siteId: site.id, slug: 'draft', title: expect.any(String) }],
      scheduleCount: 1,
      previewLinks: [{ lastFour: link.lastFour, slug: 'draft', title: expect.any(String) }],
      previewLinkCount: 1,
      tokenCount: 0,
    })
    expect(await person.ask('GET', `${person.path}/made`)).toEqual(made)
    const other = await makePerson()
    expect((await call(`/manage/v1${person.path}/made`, { key: other.token })).status).toBe(403)
    expect((await tryManage('GET', `/operators/${crypto.randomUUID()}/made`)).status).toBe(404)
    await manage('DELETE', `${person.path}?schedules=cancel`)
  })

  it('is on the person’s page, and the console asks about schedules', async () => {
    const admin = await makePerson({ role: 'admin' })
    const cookie = cookieOf(await trySignIn(admin.token))
    const person = await makePerson()
    const { site, link, open } = await siteWithLink(person)
    await schedule(person, site)
    const page = `/console/people/${person.id}`
    const words = wordsOf(await visit(page, { cookie }))
    expect(words).toContain(`…${link.lastFour}`)
    expect(words).toContain('Publishes at')
    const form = { name: person.name, role: 'viewer', reach: 'all' }
    const asked = await visit(page, { cookie, form })
    expect(asked.status).toBe(409)
    expect(wordsOf(asked)).toContain('Keep the schedules and publish the drafts in my name')
    expect(wordsOf(await visit(`${page}/deletion`, { cookie }))).toContain('They scheduled 1 draft')
    expect((await visit(`${page}/deletion`, { cookie, form: {} })).status).toBe(409)
    expect(await open()).toBe(200)
    const saved = await visit(page, { cookie, form: { ...form, schedules: 'keep' } })
    expect(saved.status).toBe(303)
    expect(await open()).toBe(401)
    expect(await site.manage('GET', SCHEDULE)).toMatchObject({ scheduledBy: admin.name })
  })
})
