import { expect } from 'vitest'
import { WIRE_TIME } from '../../support/content.ts'
import { makeOperator } from '../../support/mcp.ts'
import { listening, outboxOf } from '../../support/outbox.ts'
import { call, it, makeSite, type TestSite } from '../../support/site.ts'

type Json = Record<string, unknown>
type Review = { reviewStatus: string; changeRequest: Json | null; updatedAt: string }

const NOTE = 'Which brake is source 2 about? “Rim” or <disc>?'
const REQUEST = '/posts/a/change-request'
const request = (site: TestSite, note = NOTE) => site.manage('PUT', REQUEST, { note })
const stored = (site: TestSite) => site.manage('GET', '/posts/a')
const actionsOf = async (site: TestSite) =>
  (await site.manage('GET', '/audit-log')).items.map(({ action }) => action)

it('changes are requested with a note that only operators see, until the request is removed', async () => {
  const site = await makeSite()
  await site.put('a', { trustScore: 90, reviewStatus: 'approved' })
  const { token, name } = await makeOperator('editor')
  const path = `/manage/v1${site.path}${REQUEST}`
  const response = await call(path, { method: 'PUT', key: token, body: { note: NOTE } })
  const asked = await response.json<Review>()
  const changeRequest = {
    note: NOTE,
    requestedAt: expect.stringMatching(WIRE_TIME),
    requestedBy: name,
    changedAt: null,
  }
  expect(asked).toMatchObject({ slug: 'a', reviewStatus: 'changes_requested', changeRequest })
  expect(await stored(site)).toMatchObject({ changeRequest, post: { reviewStatus: 'changes_requested' } })
  const shown = await site.json<Json>('/posts/a?include=metadata,provenance,readiness')
  expect(shown).toMatchObject({ reviewStatus: 'changes_requested', updatedAt: asked.updatedAt })
  expect(JSON.stringify(shown)).not.toMatch(/changeRequest|source 2/)
  expect(await request(site)).toMatchObject(asked)

  // The API ignores requested changes.
  await site.manage('PUT', '/posts/a/readiness')
  await site.manage('PUT', '/posts/a/publication')
  await site.manage('DELETE', '/posts/a/publication')

  const done = await site.manage('DELETE', REQUEST)
  expect(done).toMatchObject({ reviewStatus: 'pending', changeRequest: null })
  expect(await site.manage('DELETE', REQUEST)).toEqual(done)
  expect((await actionsOf(site)).slice(0, 5)).toEqual([
    'post.changes_resolved',
    'post.unpublished',
    'post.published',
    'post.marked_ready',
    'post.changes_requested',
  ])
})

it('a version newer than the request is detected, whatever its review status, and the same version is not', async () => {
  const site = await makeSite()
  const fields = { title: 'Brakes', reviewStatus: 'approved' }
  await site.put('a', fields)
  await request(site)
  expect(await site.put('a', fields)).toMatchObject({ outcome: 'unchanged' })
  expect(await site.put('a', { title: 'Brakes' })).toMatchObject({ outcome: 'unchanged' })
  expect(await stored(site)).toMatchObject({ changeRequest: { note: NOTE, changedAt: null } })
  await site.put('a', { ...fields, title: 'Rim brakes' })
  expect(await stored(site)).toMatchObject({
    changeRequest: { note: NOTE, changedAt: expect.stringMatching(WIRE_TIME) },
    post: { reviewStatus: 'changes_requested' },
  })
  expect(await request(site, NOTE)).toMatchObject({ changeRequest: { changedAt: null } })
  await site.manage('DELETE', REQUEST)
  await site.put('a', fields)
  expect(await stored(site)).toMatchObject({ changeRequest: null, post: { reviewStatus: 'approved' } })
})

it('a note has a text of at most 2,000 characters', async ({ site }) => {
  await site.put('a')
  for (const body of [{}, { note: ' \n' }, { note: 'x'.repeat(2_001) }, { note: NOTE, more: 1 }])
    expect(await site.tryManage('PUT', REQUEST, body)).toMatchObject({ status: 400 })
  expect(await site.tryManage('PUT', '/posts/none/change-request', { note: NOTE })).toMatchObject({
    status: 404,
  })
  expect(await request(site, 'x'.repeat(2_000))).toMatchObject({ reviewStatus: 'changes_requested' })
})

it('a request for changes to a published post sends a normal event without the note', async () => {
  const site = await listening(['post.updated'])
  await site.put('a', { status: 'published' })
  await request(site)
  await request(site)
  expect(await outboxOf(site)).toMatchObject([{ event: 'post.updated', slug: 'a' }])
  expect(await site.json('/posts/a')).toMatchObject({ status: 'published' })
})
