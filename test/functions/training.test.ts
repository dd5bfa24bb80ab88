import { describe, expect } from 'vitest'
import { rateOf, UNCOUNTED, UUID, WIRE_TIME } from '../support/content.ts'
import { call, errorOf, it, makeSite, ORIGIN, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

type Row = Record<string, unknown>

function addRows(site: TestSite, rows: Row[]) {
  return site.manage('POST', '/training-rows', { rows })
}

const row = (n: number) => ({ prompt: `Question ${n}`, completion: `Answer ${n}` })

async function rowsOf(response: Response): Promise<Row[]> {
  // The runtime warns when text() is called on a type that is not text.
  const text = new TextDecoder().decode(await response.arrayBuffer())
  expect(text === '' || text.endsWith('\n')).toBe(true)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

describe('200', () => {
  it('has one JSON object per line, with every field and no other', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const { id: postId } = await site.put('a')
    await addRows(site, [
      {
        prompt: 'Line\nbreak\u2028"',
        completion: 'é 🙂',
        language: 'de',
        postSlug: 'a',
        qualityBand: 'premium',
      },
      { prompt: 'P', completion: 'C' },
    ])
    const response = await site.get('/training/export')
    expect(response.headers.get('Content-Type')).toMatch(/^application\/x-ndjson(;|$)/)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.get('Link')).toBeNull()
    const made = { id: expect.stringMatching(UUID), createdAt: expect.stringMatching(WIRE_TIME) }
    expect(await rowsOf(response)).toEqual([
      {
        ...made,
        postId,
        language: 'de',
        prompt: 'Line\nbreak\u2028"',
        completion: 'é 🙂',
        qualityBand: 'premium',
      },
      { ...made, postId: null, language: null, prompt: 'P', completion: 'C', qualityBand: null },
    ])
    expect(rateOf(response)).toEqual(UNCOUNTED)
    await site.manage('DELETE', '/posts/a')
    expect((await rowsOf(await site.get('/training/export')))[0]).toMatchObject({
      postId: null,
      language: 'de',
    })
  })

  it('has only opted-in rows of this site, oldest first', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const other = await makeSite({ trainingOptIn: true })
    await addRows(site, [row(1), { ...row(2), optIn: false }, row(3)])
    await addRows(other, [row(4)])
    await addRows(site, [{ ...row(5), optIn: true }])
    const rows = await rowsOf(await site.get('/training/export'))
    expect(rows.map(({ prompt }) => prompt)).toEqual(['Question 1', 'Question 3', 'Question 5'])
  })

  it('has 500 rows per page, and a Link to the next page if there is one', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const add = (from: number, count: number) =>
      addRows(
        site,
        Array.from({ length: count }, (_, n) => row(from + n)),
      )
    expect(await rowsOf(await site.get('/training/export'))).toEqual([])
    await add(0, 500)
    const full = await site.get('/training/export')
    expect(full.headers.get('Link')).toBeNull()
    const last = (await rowsOf(full)).at(-1)!.id
    expect(await rowsOf(await site.get(`/training/export?after=${last}`))).toEqual([])
    await add(500, 1)
    const first = await site.get('/training/export')
    const next = `/api/v1${site.path}/training/export?after=${last}`
    expect(first.headers.get('Link')).toBe(`<${ORIGIN}${next}>; rel="next"`)
    const rows = [...(await rowsOf(first)), ...(await rowsOf(await call(next, { key: site.key })))]
    expect(rows.map(({ prompt }) => prompt)).toEqual(Array.from({ length: 501 }, (_, n) => `Question ${n}`))
  })

  it('streams more than 10 MiB of rows', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await runSql(
      `insert into training_rows (site_id, prompt, completion)
       select $1, n, repeat('ö"', 200000) from generate_series(0, 15) n`,
      [site.id],
    )
    await addRows(site, [row(16)])
    const rows = await rowsOf(await site.get('/training/export'))
    expect(rows.map(({ prompt }) => prompt)).toEqual([...Array(16).keys(), 'Question 16'].map(String))
    expect(rows.slice(0, 16).every((each) => each.completion === 'ö"'.repeat(200_000))).toBe(true)
  })
})

describe('400', () => {
  it('refuses an after that is not a row of the site', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const other = await makeSite({ trainingOptIn: true })
    await addRows(other, [row(1)])
    const [foreign] = await rowsOf(await other.get('/training/export'))
    for (const after of [foreign!.id, crypto.randomUUID(), 'x', '', '%00', '1']) {
      expect(await errorOf(await site.get(`/training/export?after=${after}`), 400), String(after)).toBe(
        'Invalid query parameter: after must be the id of a row of this site',
      )
    }
    const twice = `/training/export?after=${foreign!.id}&after=${foreign!.id}`
    expect(await errorOf(await site.get(twice), 400)).toBe(
      'Invalid query parameter: after must be given once',
    )
  })
})

describe('403', () => {
  it('refuses a site that has not opted in, or no longer does', async ({ site }) => {
    await addRows(site, [row(1)])
    const refused = async () => {
      const response = await site.get('/training/export')
      expect(response.headers.get('Cache-Control')).toBe('no-store')
      return errorOf(response, 403)
    }
    expect(await refused()).toBe('Training export is not enabled for this site')
    await site.manage('PATCH', '', { trainingOptIn: true })
    expect(await rowsOf(await site.get('/training/export'))).toHaveLength(1)
    await site.manage('PATCH', '', { trainingOptIn: false })
    expect(await refused()).toBe('Training export is not enabled for this site')
  })
})
