import { describe, expect, it } from 'vitest'
import { rateOf, UNCOUNTED, UUID, WIRE_TIME } from '../support/content.ts'
import { errorOf, makeSite, ORIGIN, type TestSite } from '../support/site.ts'

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

  it('keeps a row whose post is deleted', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await site.put('a')
    await addRows(site, [{ ...row(1), postSlug: 'a' }])
    await site.manage('DELETE', '/posts/a')
    const rows = await rowsOf(await site.get('/training/export'))
    expect(rows).toMatchObject([{ prompt: 'Question 1', postId: null }])
  })

  it('is empty when there are no rows', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const response = await site.get('/training/export')
    expect(response.status).toBe(200)
    expect(await rowsOf(response)).toEqual([])
  })

  it('has 500 rows per page and a Link to the next page until the end', async () => {
    const site = await makeSite({ trainingOptIn: true })
    for (const from of [0, 500, 1_000]) {
      await addRows(
        site,
        Array.from({ length: from === 1_000 ? 1 : 500 }, (_, n) => row(from + n)),
      )
    }
    const rows: Row[] = []
    const sizes: number[] = []
    for (let below: string | null = '/training/export'; below; ) {
      const response: Response = await site.get(below)
      const page = await rowsOf(response)
      rows.push(...page)
      sizes.push(page.length)
      const link = response.headers.get('Link')
      const url = link && /^<([^>]+)>; rel="next"$/.exec(link)![1]!
      if (url) expect(url).toBe(`${ORIGIN}/api/v1${site.path}/training/export?after=${page.at(-1)!.id}`)
      below = url ? `/training/export${new URL(url).search}` : null
    }
    expect(sizes).toEqual([500, 500, 1])
    expect(rows.map(({ prompt }) => prompt)).toEqual(Array.from({ length: 1_001 }, (_, n) => `Question ${n}`))
  })

  it('has no Link when there are exactly 500 rows', async () => {
    const site = await makeSite({ trainingOptIn: true })
    await addRows(
      site,
      Array.from({ length: 500 }, (_, n) => row(n)),
    )
    const response = await site.get('/training/export')
    expect(response.headers.get('Link')).toBeNull()
    const rows = await rowsOf(response)
    expect(rows).toHaveLength(500)
    expect(await rowsOf(await site.get(`/training/export?after=${rows.at(-1)!.id}`))).toEqual([])
  })

  it('streams more than 10 MiB of rows', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const completion = 'ö"'.repeat(200_000)
    for (let n = 0; n < 16; n += 8) {
      await addRows(
        site,
        Array.from({ length: 8 }, (_, at) => ({ prompt: `${n + at}`, completion })),
      )
    }
    const rows = await rowsOf(await site.get('/training/export'))
    expect(rows.map(({ prompt }) => prompt)).toEqual(Array.from({ length: 16 }, (_, n) => `${n}`))
    expect(rows.every((each) => each.completion === completion)).toBe(true)
  })

  it('uses no quota', async () => {
    const site = await makeSite({ trainingOptIn: true })
    expect(rateOf(await site.get('/training/export'))).toEqual(UNCOUNTED)
    expect(rateOf(await site.get('/posts'))).toMatchObject({ remaining: 999 })
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
  })

  it('refuses after given twice', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const id = crypto.randomUUID()
    expect(await errorOf(await site.get(`/training/export?after=${id}&after=${id}`), 400)).toBe(
      'Invalid query parameter: after must be given once',
    )
  })
})

describe('403', () => {
  it('refuses a site that has not opted in, or no longer does', async () => {
    const site = await makeSite()
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
