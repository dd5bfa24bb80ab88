import { describe, expect } from 'vitest'
import { it, makeSite, type PutResult, post, type TestSite } from '../../support/site.ts'

const uuids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID() as string)

describe.each(['posts', 'guides'] as const)('the ids of a bulk put of %s', (kind) => {
  const inputs = (slugs: string[], fields: object = {}) =>
    slugs.map((slug) => ({ slug, ...post(), ...fields }))
  const put = (site: TestSite, slugs: string[], ids?: unknown, fields?: object) =>
    site.tryManage('PUT', `/${kind}`, { [kind]: inputs(slugs, fields), ids })
  const results = async (...all: Parameters<typeof put>) => (await put(...all)).body?.items as PutResult[]
  const error = async (...all: Parameters<typeof put>) => {
    const { status, body } = await put(...all)
    expect(status).toBe(400)
    return body?.error
  }

  it('are assigned by position to new ones, and existing ones keep theirs', async ({ site }) => {
    const [a, b, c] = uuids(3) as [string, string, string]
    const made = await results(site, ['a', '__proto__'], [a.toUpperCase(), b])
    expect(made.map(({ id, outcome }) => [id, outcome])).toEqual([
      [a, 'created'],
      [b, 'created'],
    ])
    const again = await results(site, ['c', 'a', '__proto__'], [c, a, b], { title: 'Another' })
    expect(again.map(({ id, outcome }) => [id, outcome])).toEqual([
      [c, 'created'],
      [a, 'updated'],
      [b, 'updated'],
    ])
    const [plain] = await results(site, ['d'])
    expect([a, b, c]).not.toContain(plain!.id)
  })

  it('can be reused from deleted ones', async ({ site }) => {
    const [a] = uuids(1)
    await put(site, ['a'], [a])
    await site.manage('DELETE', `/${kind}/a`)
    expect((await results(site, ['b'], [a]))[0]!.id).toBe(a)
  })

  it('are refused when another one has them, in this site or elsewhere, and then none is written', async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    const [a, b, c] = uuids(3)
    await put(site, ['a'], [a])
    await put(other, ['b'], [b])
    const taken = 'must not be the id of another post or guide'
    expect(await error(site, ['new', 'x'], [c, a])).toBe(`Invalid body: ids[1] ${taken}`)
    expect(await error(site, ['new', 'x'], [c, b])).toBe(`Invalid body: ids[1] ${taken}`)
    const across = kind === 'posts' ? 'guides' : 'posts'
    const crossed = { [across]: inputs(['x']), ids: [a] }
    expect((await site.tryManage('PUT', `/${across}`, crossed)).body?.error).toBe(
      `Invalid body: ids[0] ${taken}`,
    )
    expect(await error(site, ['new', 'a'], [c, b])).toBe(
      'Invalid body: ids[1] must match the id stored under this slug',
    )
    const [made] = await results(site, ['new'])
    expect(made!.outcome).toBe('created')
  })

  it('are refused when repeated, incomplete or malformed; an `id` in an item is still refused', async () => {
    const site = await makeSite()
    const [a] = uuids(1) as [string]
    expect(await error(site, ['a', 'b'], [a, a.toUpperCase()])).toBe(
      'Invalid body: ids[1] must not be given twice',
    )
    for (const ids of [[], [a], [a, ...uuids(2)]]) {
      expect(await error(site, ['a', 'b'], ids)).toBe(
        `Invalid body: ids must have as many items as \`${kind}\``,
      )
    }
    expect(await error(site, ['a'], ['x'])).toBe('Invalid body: ids[0] must be a UUID')
    expect(await error(site, ['a'], a)).toBe('Invalid body: ids must be an array')
    expect(await error(site, ['a'], undefined, { id: a })).toBe(
      `Invalid body: ${kind}[0].id is not a known field`,
    )
  })
})

it('translations whose source is in the same put get their ids too', async ({ site }) => {
  const [source, translation] = uuids(2)
  const posts = [
    { slug: 'de', ...post({ sourceSlug: 'en', language: 'de' }) },
    { slug: 'en', ...post({ language: 'en' }) },
  ]
  await site.manage('PUT', '/posts', { posts, ids: [translation, source] })
  expect(await site.json('/posts/de')).toMatchObject({ id: translation, sourcePostId: source })
})

describe('a new id sent to two sites at once', () => {
  it('is accepted in one of them, and refused in the other', async () => {
    const sites = await Promise.all([makeSite(), makeSite()])
    for (let attempt = 0; attempt < 8; attempt++) {
      const id = crypto.randomUUID()
      const slug = `post-${attempt}`
      const answers = await Promise.all(
        sites.map((site) => site.tryManage('PUT', '/posts', { posts: [post({ slug })], ids: [id] })),
      )
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    }
  })
})
