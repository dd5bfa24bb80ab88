import { beforeAll, describe, expect, it } from 'vitest'
import { call, makeSite, manage, post, type TestSite } from '../../support/site.ts'

type Listed = { items: { id: string; subject: string | null }[]; next: string | null }

/** Sequence numbers of entries and rows, which all sites share. */
const NUMBER = /(?:^|[_"?=&])\d{1,9}(?:$|["&])/

let own: TestSite
let other: TestSite
let token: string

beforeAll(async () => {
  own = await makeSite()
  other = await makeSite()
  const name = crypto.randomUUID()
  const { id } = await manage('POST', '/operators', { name, role: 'editor', sites: [own.id] })
  token = (await manage('POST', `/operators/${id}/tokens`, {})).token
})

const read = async <Answer>(path: string) =>
  (await call(`/manage/v1${own.path}${path}`, { key: token })).json<Answer>()
const send = (method: string, path: string, body: object) =>
  call(`/manage/v1${own.path}${path}`, { method, key: token, body })

describe('writes to other sites cannot be counted', () => {
  it('by the audit log: ids and cursors have no sequence number, and pages stay the same', async () => {
    for (const slug of ['a', 'b', 'c', 'd', 'e']) await own.put(slug)
    await other.put('x')
    const all = await read<Listed>('/audit-log?limit=500')
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const page = await read<Listed>(`/audit-log?limit=2${cursor}`)
      ids.push(...page.items.map(({ id }) => id))
      if (page.next === null) break
      expect(page.next).not.toMatch(NUMBER)
      expect(page.next).toMatch(/^[\w.-]+$/)
      cursor = `&cursor=${page.next}`
      await own.put(`later-${ids.length}`)
    }
    expect(ids).toEqual(all.items.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('by a cursor that is made up or belongs to another list', async () => {
    const { next } = await read<Listed>('/audit-log?limit=1')
    const statusOf = async (path: string) =>
      (await call(`/manage/v1${own.path}${path}`, { key: token })).status
    const moved = next!.split('.').reverse().join('.')
    for (const cursor of ['1', `${Date.now()}_1`, `${next}x`, 'a.b.c', '...', moved])
      expect(await statusOf(`/audit-log?cursor=${cursor}`), cursor).toBe(400)
    expect(await statusOf(`/training-rows?cursor=${next}`)).toBe(400)
  })

  it('by training rows', async () => {
    const rows = ['a', 'b', 'c'].map((prompt) => ({ prompt, completion: prompt }))
    await own.manage('POST', '/training-rows', { rows })
    const { next } = await read<Listed>('/training-rows?limit=1')
    expect(next).not.toMatch(NUMBER)
    expect((await read<Listed>(`/training-rows?limit=5&cursor=${next}`)).items).toHaveLength(2)
  })
})

describe('a person with access to some sites cannot find out', () => {
  it.each(['posts', 'guides'])('whether another site has one of the %s with an id', async (kind) => {
    const [taken, free, kept] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
    const body = (slug: string, id: string) => ({ [kind]: [post({ slug })], ids: [id] })
    await other.manage('PUT', `/${kind}`, body(`probed-${kind}`, taken))
    await own.manage('PUT', `/${kind}`, body(`kept-${kind}`, kept))
    for (const id of [taken, free, taken.toUpperCase(), kept])
      for (const slug of [`probing-${kind}`, `kept-${kind}`]) {
        const response = await send('PUT', `/${kind}`, body(slug, id))
        expect([response.status, await response.json()]).toEqual([
          403,
          { error: '`ids` are only for people who reach all sites' },
        ])
      }
    expect((await call(`/manage/v1${own.path}/${kind}/probing-${kind}`, { key: token })).status).toBe(404)
    const plain = await send('PUT', `/${kind}`, { [kind]: [post({ slug: `probing-${kind}` })] })
    expect(plain.status).toBe(200)
  })

  it('whether another site has a training row with an id', async () => {
    const [taken, free] = [crypto.randomUUID(), crypto.randomUUID()]
    const row = (id: string) => ({ rows: [{ id, prompt: 'p', completion: 'c' }] })
    await other.manage('POST', '/training-rows', row(taken))
    for (const id of [taken, free])
      for (const added of [1, 0]) {
        const response = await send('POST', '/training-rows', row(id))
        expect([response.status, await response.json()]).toEqual([201, { added }])
      }
    const kept = crypto.randomUUID()
    await own.manage('POST', '/training-rows', row(kept))
    expect(await (await send('POST', '/training-rows', row(kept))).json()).toEqual({ added: 0 })
    expect(await own.manage('POST', '/training-rows', row(free))).toEqual({ added: 0 })
  })
})
