import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeKey } from '../../support/content.ts'
import { call, makeSite, manage, tryManage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const person = () => `Ada ${crypto.randomUUID()}`

it('erases the name and the addresses of a removed operator everywhere, and keeps the entries', async () => {
  const site = await makeSite()
  const [name, later] = [person(), person()]
  const { id } = await manage('POST', '/operators', { name, role: 'editor' })
  await manage('PATCH', `/operators/${id}`, { name: later })
  const { token } = await manage('POST', `/operators/${id}/tokens`, {})
  await site.put('roses')
  const asPerson = (path: string) =>
    call(`/manage/v1${site.path}${path}`, { method: 'POST', key: token, body: {} })
  await asPerson('/posts/roses/preview-links')
  expect(await tryManage('PUT', `/operators/${id}/erasure`)).toMatchObject({ status: 409 })
  await manage('DELETE', `/operators/${id}`)
  const { entries } = await manage('PUT', `/operators/${id}/erasure`)
  expect(entries).toBe(4)
  const rows = await runSql(
    `select row_to_json(a)::text as row from audit_log a where actor_id = $1 or resource_id = $1
     union all select row_to_json(p)::text from preview_links p where site_id = $2`,
    [id, site.id],
  )
  const text = JSON.stringify(rows)
  expect(text).not.toContain(name)
  expect(text).not.toContain(later)
  expect(text).toContain('preview_link.created')
  expect(text).toContain('operator.erased')
  expect(await runSql(`select from audit_log where actor_id = $1 and address is not null`, [id])).toEqual([])
  expect(await manage('PUT', `/operators/${id}/erasure`)).toEqual({ entries: 0 })
  const key = await makeKey(site)
  await call(`/api/v1/webhooks/test`, { method: 'POST', key: key.key, body: {} })
  expect(await tryManage('PUT', `/operators/${key.id}/erasure`)).toMatchObject({ status: 404 })
})

it('has more time than other writes, because one statement changes all entries', async () => {
  const { id } = await manage('POST', '/operators', { name: person(), role: 'editor' })
  await manage('DELETE', `/operators/${id}`)
  const limits = vi.spyOn(AbortSignal, 'timeout')
  onTestFinished(() => limits.mockRestore())
  await manage('PUT', `/operators/${id}/erasure`)
  expect(limits.mock.calls).toContainEqual([60_000])
})

describe('the posts of an erased person', () => {
  it('keep what was done, lose the name, and do not change for readers', async () => {
    const site = await makeSite()
    const name = person()
    const { id } = await manage('POST', '/operators', { name, role: 'editor' })
    const { token } = await manage('POST', `/operators/${id}/tokens`, {})
    const asPerson = (path: string, body = {}) =>
      call(`/manage/v1${site.path}${path}`, { method: 'PUT', key: token, body })
    for (const slug of ['ready', 'changes']) await site.put(slug, { trustScore: 90 })
    expect((await asPerson('/posts/ready/readiness')).status).toBe(200)
    expect((await asPerson('/posts/changes/change-request', { note: 'Where is this from?' })).status).toBe(
      200,
    )
    const before = await site.get('/posts?include=readiness')
    await manage('DELETE', `/operators/${id}`)
    const entries = await runSql('select count(*)::integer as n from audit_log where site_id = $1', [site.id])
    await manage('PUT', `/operators/${id}/erasure`)
    expect(await site.manage('GET', '/posts/ready')).toMatchObject({ readyBy: 'Erased person' })
    expect(await site.manage('GET', '/posts/changes')).toMatchObject({
      changeRequest: { note: 'Where is this from?', requestedBy: 'Erased person' },
    })
    const tag = before.headers.get('ETag')!
    const after = await site.get('/posts?include=readiness', { headers: { 'If-None-Match': tag } })
    expect(after.status).toBe(304)
    expect(
      await runSql('select count(*)::integer as n from audit_log where site_id = $1', [site.id]),
    ).toEqual(entries)
    const kept = await runSql(
      `select row_to_json(p)::text as row from posts p where site_id = $1
       union all select row_to_json(a)::text from audit_log a where site_id = $1 or actor = $2 or subject = $2`,
      [site.id, name],
    )
    expect(JSON.stringify(kept)).not.toContain(name)
  })

  it('keep a name that another operator has by now', async () => {
    const site = await makeSite()
    const name = person()
    const { id } = await manage('POST', '/operators', { name, role: 'editor' })
    await manage('DELETE', `/operators/${id}`)
    const other = await manage('POST', '/operators', { name, role: 'editor' })
    const { token } = await manage('POST', `/operators/${other.id}/tokens`, {})
    await site.put('ready', { trustScore: 90 })
    await call(`/manage/v1${site.path}/posts/ready/readiness`, { method: 'PUT', key: token, body: {} })
    await manage('PUT', `/operators/${id}/erasure`)
    expect(await site.manage('GET', '/posts/ready')).toMatchObject({ readyBy: name })
  })
})

describe('the data of a person', () => {
  it('has everything that names them, present or removed, and nothing after the erasure', async () => {
    const site = await makeSite()
    const [name, later] = [person(), person()]
    const { id } = await manage('POST', '/operators', { name, role: 'editor' })
    const { token } = await manage('POST', `/operators/${id}/tokens`, {})
    const asPerson = (method: string, path: string, body = {}) =>
      call(`/manage/v1${site.path}${path}`, { method, key: token, body })
    for (const slug of ['ready', 'changes', 'due']) await site.put(slug, { trustScore: 90 })
    await asPerson('PUT', '/posts/ready/readiness')
    await asPerson('PUT', '/posts/changes/change-request', { note: 'Where is this from?' })
    await asPerson('PUT', '/posts/due/publication-schedule', { publishAt: '2027-01-01T00:00:00Z' })
    await asPerson('POST', '/posts/due/preview-links')
    await asPerson('PUT', '/posts/due', { title: 'Later', contentHtml: '<p>x</p>', trustScore: 90 })
    await asPerson('PUT', '/posts/due/publication-schedule', { publishAt: '2027-01-01T00:00:00Z' })
    await manage('PATCH', `/operators/${id}`, { name: later })
    const of = (slug: string) => ({ siteId: site.id, slug })
    const data = await manage('GET', `/operators/${id}/personal-data`)
    expect(data).toMatchObject({
      readyPosts: [of('ready')],
      changeRequests: [{ ...of('changes'), note: 'Where is this from?' }],
      schedules: [{ ...of('due'), publishAt: '2027-01-01T00:00:00.000Z' }],
      previewLinks: [of('due')],
      imports: [],
      // The change request changed the review status.
      revisions: [
        { siteId: site.id, edits: 1 },
        { siteId: site.id, edits: 1 },
      ],
    })
    expect(new Set(data.names)).toEqual(new Set([name, later]))
    await manage('DELETE', `/operators/${id}?schedules=cancel`)
    expect(await manage('GET', `/operators/${id}/personal-data`)).toMatchObject({
      readyPosts: [of('ready')],
      schedules: [],
    })
    await manage('PUT', `/operators/${id}/erasure`)
    expect(await manage('GET', `/operators/${id}/personal-data`)).toMatchObject({
      names: [],
      readyPosts: [],
      changeRequests: [],
    })
    const unknown = crypto.randomUUID()
    expect(await tryManage('GET', `/operators/${unknown}/personal-data`)).toMatchObject({ status: 404 })
  })

  it('is for admins', async () => {
    const { id } = await manage('POST', '/operators', { name: person(), role: 'editor' })
    const { token } = await manage('POST', `/operators/${id}/tokens`, {})
    const asked = await call(`/manage/v1/operators/${id}/personal-data`, { key: token })
    expect(asked.status).toBe(403)
  })
})
