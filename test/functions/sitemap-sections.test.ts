import { describe, expect, it } from 'vitest'
import { putAll, putGuide } from '../support/content.ts'
import { makeSite, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

type Section = { resource: string; number: number; urls: number; lastmod: string }

const sectionsOf = async (site: TestSite) =>
  (await runSql(
    `select resource, number, urls, wire_time(lastmod) as lastmod from sitemap_sections where site_id = $1
     order by resource desc, after_created_at, after_id`,
    [site.id],
  )) as Section[]

/** Sections whose number of URLs is not that of their rows. */
const wrongSections = (site: TestSite) =>
  runSql(
    `with counted as (
       select s.number, count(*) as urls
       from (
         select 'post' as resource, created_at, id from posts where site_id = $1 and status = 'published'
         union all
         select 'guide', created_at, id from guides where site_id = $1 and status = 'published'
       ) p
       left join lateral (
         select number from sitemap_sections s
         where s.site_id = $1 and s.resource = p.resource and (s.after_created_at, s.after_id) < (p.created_at, p.id)
         order by s.after_created_at desc, s.after_id desc limit 1
       ) s on true
       group by 1
     )
     select number, c.urls as rows, s.urls from counted c
     full join (select * from sitemap_sections where site_id = $1 and urls <> 0) s using (number)
     where c.urls is distinct from s.urls`,
    [site.id],
  )

/** Posts and guides that are too many to put. */
async function insert(site: TestSite, table: 'posts' | 'guides', count: number, status: string, on: string) {
  await runSql(
    `insert into ${table} (site_id, slug, title, content_html, status, created_at)
     select $1::uuid, $3 || n, 'T', '', $2, $3::timestamptz from generate_series(1, ${count}) n`,
    [site.id, status, on],
  )
}

const numbers = (sections: Section[]) => sections.map(({ number, urls }) => [number, urls])

describe('sections of a sitemap', () => {
  it.each([
    "update posts set status = 'draft' where site_id = $1 and slug = 'a'",
    "update posts set status = 'published' where site_id = $1",
    "update posts set title = 'Other' where site_id = $1",
    'update posts set id = gen_random_uuid() where site_id = $1',
    "update posts set created_at = created_at - interval '1 year' where site_id = $1",
    'delete from posts where site_id = $1',
    "delete from guides where site_id = $1 and slug = 'g'",
    "update guides set status = 'draft' where site_id = $1",
    `insert into posts (site_id, slug, title, content_html, status) values ($1, 'a', '', '', 'draft'), ($1, 'z', '', '', 'published')
     on conflict (site_id, slug) do update set status = 'draft'`,
    `with gone as (delete from posts where site_id = $1 and slug = 'a'),
       hidden as (update posts set status = 'draft' where site_id = $1 and slug = 'b')
     insert into posts (site_id, slug, title, content_html, status) values ($1, 'new', 'New', '', 'published')`,
  ])('are counted right after %s', async (statement) => {
    const site = await makeSite()
    await putAll(site, [
      { slug: 'a', status: 'published' },
      { slug: 'b', status: 'published' },
      { slug: 'c', status: 'draft' },
    ])
    await putGuide(site, 'g')
    await putGuide(site, 'h')
    await runSql(statement, [site.id])
    expect(await wrongSections(site)).toEqual([])
  })

  it('are counted right for both sites when a post moves, and go with their site', async () => {
    const [from, to] = [await makeSite(), await makeSite()]
    await putAll(from, [
      { slug: 'a', status: 'published' },
      { slug: 'b', status: 'published' },
    ])
    await runSql("update posts set site_id = $2 where site_id = $1 and slug = 'a'", [from.id, to.id])
    expect(await wrongSections(from)).toEqual([])
    expect(numbers(await sectionsOf(to))).toEqual([[1, 1]])
    await runSql('delete from sites where id = $1', [to.id])
    expect(await sectionsOf(to)).toEqual([])
  })

  it('have a lastmod that rises when what their file shows is written or removed, and else does not', async () => {
    const site = await makeSite()
    await putAll(site, [
      { slug: 'a', status: 'published' },
      { slug: 'b', status: 'published' },
      { slug: 'draft' },
    ])
    const lastmod = async () => (await sectionsOf(site))[0]!.lastmod
    const rises = async (write: () => Promise<unknown>) => {
      const before = await lastmod()
      await write()
      return (await lastmod()) > before
    }
    expect(await lastmod()).toBe((await site.json('/posts/b')).updatedAt)
    expect(await rises(() => site.put('b', { status: 'published', title: 'Edited' }))).toBe(true)
    expect(await lastmod()).toBe((await site.json('/posts/b')).updatedAt)
    expect(await rises(() => site.put('draft', { title: 'Edited' }))).toBe(false)
    const changeRequest = `update posts set change_request = '{"note":"?"}' where site_id = $1 and slug = 'b'`
    expect(await rises(() => runSql(changeRequest, [site.id]))).toBe(false)
    expect(await rises(() => site.manage('DELETE', '/posts/a'))).toBe(true)
    expect(await rises(() => site.manage('DELETE', '/posts/b/publication'))).toBe(true)
  })

  it('are cut at 5,000 URLs: the last one where it is full, others in half, and keep their numbers', {
    timeout: 120_000,
  }, async () => {
    const site = await makeSite()
    await insert(site, 'posts', 4_000, 'published', '2020-01-01')
    await insert(site, 'posts', 2_000, 'draft', '2020-01-02')
    // One statement, and rows of the same time.
    await insert(site, 'posts', 7_000, 'published', '2020-01-03')
    expect(numbers(await sectionsOf(site))).toEqual([
      [1, 5_000],
      [2, 5_000],
      [3, 1_000],
    ])
    await insert(site, 'guides', 5_001, 'published', '2020-01-01')
    await runSql("update posts set status = 'published' where site_id = $1 and status = 'draft'", [site.id])
    expect(numbers(await sectionsOf(site))).toEqual([
      [1, 3_500],
      [6, 3_500],
      [2, 5_000],
      [3, 1_000],
      [4, 5_000],
      [5, 1],
    ])
    expect(await wrongSections(site)).toEqual([])
    // Counted by two triggers of one statement: cut after both.
    await runSql(
      `with more as (
         insert into posts (site_id, slug, title, content_html, status, created_at)
         select $1::uuid, 'more' || n, 'T', '', 'published', '2020-01-02' from generate_series(1, 4000) n
       )
       update posts set status = case when slug like '2020-01-01%' then 'draft' else status end where site_id = $1`,
      [site.id],
    )
    expect(await wrongSections(site)).toEqual([])
    for (const { urls } of await sectionsOf(site)) expect(urls).toBeLessThanOrEqual(5_000)
  })
})
