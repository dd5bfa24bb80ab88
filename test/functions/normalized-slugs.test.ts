import { describe, expect } from 'vitest'
import { slugsOf } from '../support/content.ts'
import { it, makeSite, post } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

const NFC = 'caf\u00e9'
const NFD = 'cafe\u0301'
const q = encodeURIComponent

describe('a slug in another normal form', () => {
  it('is the same post, whichever form puts, reads, renames or deletes it', async ({ site }) => {
    const put = (slug: string) => site.manage('PUT', `/posts/${q(slug)}`, post())
    expect(await put(NFD)).toMatchObject({ slug: NFC, outcome: 'created' })
    expect(await put(NFC)).toMatchObject({ outcome: 'unchanged' })
    for (const slug of [NFC, NFD]) {
      expect(await site.json(`/posts/${q(slug)}`)).toMatchObject({ slug: NFC })
      expect(await site.manage('GET', `/posts/${q(slug)}`)).toMatchObject({ post: { slug: NFC } })
    }
    await site.manage('PUT', '/posts', { posts: [post({ slug: 'b', sourceSlug: NFD })] })
    await site.manage('PUT', `/posts/${q(NFD)}/publication`)
    await site.manage('PUT', `/posts/${q(NFD)}/slug`, { slug: `${NFD}-2` })
    expect(await slugsOf(site, '/posts')).toEqual([`${NFC}-2`, 'b'])
    await site.manage('DELETE', `/posts/${q(`${NFD}-2`)}`)
    expect(await slugsOf(site, '/posts')).toEqual(['b'])
    const posts = [NFC, NFD].map((slug) => post({ slug }))
    expect((await site.tryManage('PUT', '/posts', { posts })).body).toMatchObject({
      error: 'Invalid body: posts[0].slug must not be given twice',
    })
  })

  it.each(['posts', 'guides'])('gets a new answer after an edit, also with a tag: %s', async (kind) => {
    const site = await makeSite()
    const below = `/${kind}/${q(NFD)}`
    const put = (title: string) =>
      site.manage('PUT', below, { title, contentHtml: '<p>Words.</p>', status: 'published' })
    await put('First')
    // This gives every slug the same version.
    await site.manage('PATCH', '', { domain: 'new.example.com' })
    const first = await site.get(below)
    expect(await first.json()).toMatchObject({ title: 'First' })
    await put('Second')
    const known = { headers: { 'If-None-Match': first.headers.get('ETag')! } }
    expect(await (await site.get(below, known)).json()).toMatchObject({ title: 'Second' })
    expect(await site.json(below)).toMatchObject({ title: 'Second' })
  })

  it.each(['posts', 'guides'])('is normalized by the database in SQL by hand: %s', async (table) => {
    const site = await makeSite()
    const slugs = async () => {
      const rows = await runSql(`select slug, title from ${table} where site_id = $1 order by slug`, [
        site.id,
      ])
      return rows.map(({ slug, title }) => [slug, title])
    }
    // As written by a Worker that does not normalize.
    const upsert = (slug: string, title: string) =>
      runSql(
        `insert into ${table} (site_id, slug, title, content_html) values ($1, $2, $3, '')
        on conflict (site_id, slug) do update set title = excluded.title`,
        [site.id, slug, title],
      )
    await upsert(NFD, 'One')
    expect(await slugs()).toEqual([[NFC, 'One']])
    await upsert(NFD, 'Two')
    expect(await slugs()).toEqual([[NFC, 'Two']])
    await runSql(`update ${table} set slug = $2 where site_id = $1`, [site.id, NFD])
    const tombstones = await runSql('select slug from tombstones where site_id = $1', [site.id])
    expect(tombstones).toEqual([])
    await runSql(`update ${table} set slug = $2 where site_id = $1`, [site.id, `${NFD}-2`])
    expect(await slugs()).toEqual([[`${NFC}-2`, 'Two']])
    const second = runSql(
      `insert into ${table} (site_id, slug, title, content_html) values ($1, $2, '', '')`,
      [site.id, `${NFD}-2`],
    )
    await expect(second).rejects.toThrow(`${table}_slug`)
  })
})

describe('the name of a site or key', () => {
  const RULE = 'Invalid body: name must not contain invisible characters'

  // The rest is in test/src/people/name.test.ts.
  it('cannot have invisible characters, may have emoji or Persian letters, and is normalized', async () => {
    const site = await makeSite()
    const refused = { status: 400, body: { error: RULE } }
    for (const name of ['a\u200bb', 'a\u202eb', 'a\u0007b', 'a\u2028b', 'a\u3164b']) {
      expect(await site.tryManage('POST', '/keys', { name }), name).toMatchObject(refused)
      expect(await site.tryManage('PATCH', '', { name }), name).toMatchObject(refused)
    }
    const name = '☕\ufe0f می\u200cخواهم'
    await expect(site.manage('POST', '/keys', { name })).resolves.toMatchObject({ name })
    expect(await site.manage('PATCH', '', { name: name + NFD })).toMatchObject({ name: name + NFC })
    expect(await site.manage('DELETE', `?confirm=${q(name + NFD)}`)).toBeNull()
  })
})
