/** The numbers of docs/guide/limits.md: the largest that is accepted, and the next, which is refused. */
import { describe, expect, it } from 'vitest'
import { call, makeSite, post } from '../support/site.ts'

type Fields = Record<string, unknown>
/** `of(size)` has a value of this size. */
type Limit = { field: string; most: number; of: (size: number) => Fields }

/** An object of this size as JSON. */
const seo = (bytes: number) => ({ ogTitle: 'x'.repeat(bytes - JSON.stringify({ ogTitle: '' }).length) })

const OF_POSTS: Limit[] = [
  { field: 'title', most: 500, of: (size) => ({ title: 'x'.repeat(size) }) },
  { field: 'excerpt', most: 2_000, of: (size) => ({ excerpt: 'x'.repeat(size) }) },
  { field: 'seo', most: 256 * 1024, of: (size) => ({ seo: seo(size) }) },
]

describe('a limit of a post', () => {
  it.each(OF_POSTS)(
    '$field: $most are accepted, and one more is refused by name',
    async ({ field, most, of }) => {
      const { tryManage } = await makeSite()
      const put = (size: number) => tryManage('PUT', '/posts/a', post(of(size)))
      expect((await put(most)).body).not.toHaveProperty('error')
      const { status, body } = await put(most + 1)
      expect([status, body?.error]).toEqual([400, expect.stringContaining(field)])
    },
  )
})

describe('a limit of a request', () => {
  it.each([
    ['/changes', 'limit', 500],
    ['/posts', 'pageSize', 50],
  ])('%s: %s is 1 to %i', async (path, name, most) => {
    const site = await makeSite()
    const statuses = [0, 1, most, most + 1].map(async (value) => {
      return (await site.get(`${path}?${name}=${value}`)).status
    })
    expect(await Promise.all(statuses)).toEqual([400, 200, 200, 400])
  })

  it.each(['posts', 'guides'])('100 %s are put at once, and 101 are refused', async (kind) => {
    const { tryManage } = await makeSite()
    const put = (count: number) =>
      tryManage('PUT', `/${kind}`, {
        [kind]: Array.from({ length: count }, (_, n) => ({ slug: `n-${n}`, ...post() })),
      })
    expect((await put(101)).status).toBe(400)
    expect((await put(100)).status).toBe(200)
  })

  it("a client's X-Request-Id has 40 letters, digits and - _ = at most", async () => {
    const idOf = async (given: string) =>
      (await call('/', { headers: { 'X-Request-Id': given } })).headers.get('X-Request-Id')
    const longest = `${'a1_=-'.repeat(8)}`
    expect(await idOf(longest)).toBe(longest)
    for (const other of [`${longest}a`, 'a b', 'a/b']) expect(await idOf(other)).toHaveLength(36)
  })
})

describe('a name', () => {
  it('of a site or a key has 200 characters at most', async () => {
    const { tryManage } = await makeSite()
    const statuses = async (name: string) => [
      (await tryManage('PATCH', '', { name })).status,
      (await tryManage('POST', '/keys', { name })).status,
    ]
    expect(await statuses('x'.repeat(200))).toEqual([200, 201])
    expect(await statuses('x'.repeat(201))).toEqual([400, 400])
  })
})
