import { describe, expect } from 'vitest'
import { UUID, WIRE_TIME } from '../../support/content.ts'
import { it, makeSite, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const NOT_FOUND = { status: 404, body: { error: 'Training row not found' } }

const row = (n: number) => ({ prompt: `Question ${n}`, completion: `Answer ${n}` })
const add = (site: TestSite, rows: object[]) => site.tryManage('POST', '/training-rows', { rows })
const list = (site: TestSite, query = '') => site.manage('GET', `/training-rows?${query}`)

async function exported(site: TestSite): Promise<string[]> {
  const text = new TextDecoder().decode(await (await site.get('/training/export')).arrayBuffer())
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).prompt)
}

describe('the list of training rows', () => {
  it('has every row of the site, including opted-out ones, with the slug of its post, oldest first', async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    const { id: postId } = await site.put('a')
    await add(other, [row(9)])
    await add(site, [{ ...row(1), postSlug: 'a', language: 'de', qualityBand: 'premium' }])
    await add(site, [{ ...row(2), optIn: false }])
    const made = { id: expect.stringMatching(UUID), createdAt: expect.stringMatching(WIRE_TIME) }
    expect(await list(site)).toEqual({
      items: [
        { ...made, ...row(1), postId, postSlug: 'a', language: 'de', qualityBand: 'premium', optIn: true },
        { ...made, ...row(2), postId: null, postSlug: null, language: null, qualityBand: null, optIn: false },
      ],
      next: null,
    })
  })

  it('is paged by limit and cursor, and continues after a row that was deleted meanwhile', async () => {
    const site = await makeSite()
    await add(site, [1, 2, 3, 4, 5].map(row))
    const seen: string[] = []
    for (let query = 'limit=2'; query; ) {
      const { items, next } = await list(site, query)
      seen.push(...items.map(({ prompt }) => prompt))
      await site.manage('DELETE', `/training-rows/${items.at(-1)!.id}`)
      query = next ? `limit=2&cursor=${next}` : ''
    }
    expect(seen).toEqual([1, 2, 3, 4, 5].map((n) => row(n).prompt))
    expect(await list(site, 'limit=2')).toMatchObject({ items: [{ prompt: 'Question 1' }, {}], next: null })
  })

  it('cuts a page of large rows, and omits none', async ({ site }) => {
    await runSql(
      `insert into training_rows (site_id, prompt, completion)
       select $1, n, repeat('ö"', 600000) from generate_series(0, 4) n`,
      [site.id],
    )
    const pages: number[] = []
    const seen: string[] = []
    for (let query = 'limit=500'; query; ) {
      const { items, next } = await list(site, query)
      pages.push(items.length)
      seen.push(...items.map(({ prompt }) => prompt))
      query = next ? `limit=500&cursor=${next}` : ''
    }
    expect(pages.length).toBeGreaterThan(1)
    expect(Math.min(...pages)).toBeGreaterThan(0)
    expect(seen).toEqual(['0', '1', '2', '3', '4'])
  })

  it('refuses a cursor that is not a `next`', async ({ site }) => {
    for (const cursor of ['x', '-1', '1.5', `1_${crypto.randomUUID()}`, '9'.repeat(16)]) {
      expect(await site.tryManage('GET', `/training-rows?cursor=${cursor}`), cursor).toEqual({
        status: 400,
        body: { error: 'Invalid query parameter: cursor must be the `next` of a page' },
      })
    }
  })
})

describe('a training row', () => {
  it('is in no export after it was deleted', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await add(site, [row(1), row(2)])
    expect(await exported(site)).toEqual(['Question 1', 'Question 2'])
    const [first] = (await list(site)).items
    expect((await site.tryManage('DELETE', `/training-rows/${first!.id}`)).status).toBe(204)
    expect(await exported(site)).toEqual(['Question 2'])
    expect(await site.tryManage('DELETE', `/training-rows/${first!.id}`)).toEqual(NOT_FOUND)
  })

  it('is in no export while it is opted out, and opting in or out twice changes nothing', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await add(site, [row(1), row(2)])
    const { id } = (await list(site)).items[0]!
    for (const optIn of [false, false, true, true]) {
      const method = optIn ? 'PUT' : 'DELETE'
      expect(await site.manage(method, `/training-rows/${id}/opt-in`)).toEqual({ id, optIn })
      expect(await exported(site)).toEqual(optIn ? ['Question 1', 'Question 2'] : ['Question 2'])
      expect((await list(site)).items.map((each) => each.optIn)).toEqual([optIn, true])
    }
  })

  it('of another site, or that does not exist, is 404', async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    await add(other, [row(1)])
    const { id } = (await list(other)).items[0]!
    for (const unknown of [id, crypto.randomUUID(), 'x'])
      for (const [method, below] of Object.entries({ DELETE: '', PUT: '/opt-in' }))
        expect(await site.tryManage(method, `/training-rows/${unknown}${below}`)).toEqual(NOT_FOUND)
    expect((await site.tryManage('DELETE', `/training-rows/${id}/opt-in`)).status).toBe(404)
    expect((await list(other)).items).toHaveLength(1)
  })
})

describe('rows with ids', () => {
  const ids = () => [crypto.randomUUID(), crypto.randomUUID()] as const

  it('keep them, and adding them again changes nothing', async ({ site }) => {
    const [a, b] = ids()
    expect(await add(site, [{ ...row(1), id: a.toUpperCase() }, row(2)])).toEqual({
      status: 201,
      body: { added: 2 },
    })
    const rows = [
      { ...row(7), id: a, optIn: false },
      { ...row(3), id: b },
    ]
    expect((await add(site, rows)).body).toEqual({ added: 1 })
    expect((await add(site, rows)).body).toEqual({ added: 0 })
    const { items } = await list(site)
    expect(items.map(({ id, prompt }) => [id, prompt])).toEqual([
      [a, 'Question 1'],
      [items[1]!.id, 'Question 2'],
      [b, 'Question 3'],
    ])
    expect(items[0]!.optIn).toBe(true)
  })

  it('are refused by position if an id is repeated, belongs to another site, or is malformed, and then none is added', async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    const [a, b] = ids()
    await add(other, [{ ...row(1), id: a }])
    const refused = async (rows: object[]) => (await add(site, rows)).body?.error
    expect(await refused([row(1), { ...row(2), id: b }, { ...row(3), id: b.toUpperCase() }])).toBe(
      'Invalid body: rows[2].id must not be given twice',
    )
    expect(await refused([row(1), { ...row(2), id: b }, { ...row(3), id: a.toUpperCase() }])).toBe(
      'Invalid body: rows[2].id must not be the id of a row of another site',
    )
    expect(await refused([row(1), { ...row(2), id: b, postSlug: a }])).toBe(
      'Invalid body: rows[1].postSlug must name a post of this site',
    )
    expect(await refused([{ ...row(1), id: 'x' }])).toBe('Invalid body: rows[0].id must be a UUID')
    expect((await list(site)).items).toEqual([])
  })
})
