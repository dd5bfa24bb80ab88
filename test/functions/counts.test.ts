import { describe, expect } from 'vitest'
import { putAll } from '../support/content.ts'
import { it, makeSite, manage, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

/** The rows that triggers maintain where they differ from the expected ones. */
function differences(site: TestSite) {
  return runSql(
    `(select 'counted', status, language_key, quality_band, posts from post_counts where site_id = $1 and posts <> 0
      except all
      select 'counted', status, lower(coalesce(language, '')), coalesce(quality_band, ''), count(*) from posts
      where site_id = $1 group by 1, 2, 3, 4)
     union all
     (select 'uncounted', status, lower(coalesce(language, '')), coalesce(quality_band, ''), count(*) from posts
      where site_id = $1 group by 1, 2, 3, 4
      except all
      select 'uncounted', status, language_key, quality_band, posts from post_counts where site_id = $1)
     union all
     (select 'searched', status, title_folded, concat_ws(' ', updated_at, published_at, id, slug_folded, quality_band, ready_at), 0 from post_titles where site_id = $1
      except all
      select 'searched', status, title_folded, concat_ws(' ', updated_at, published_at, id, lower(slug), quality_band, ready_at), 0 from posts where site_id = $1)
     union all
     (select 'unsearched', status, title_folded, concat_ws(' ', updated_at, published_at, id, lower(slug), quality_band, ready_at), 0 from posts where site_id = $1
      except all
      select 'unsearched', status, title_folded, concat_ws(' ', updated_at, published_at, id, slug_folded, quality_band, ready_at), 0 from post_titles where site_id = $1)`,
    [site.id],
  )
}

async function totals(site: TestSite, queries: string[]): Promise<number[]> {
  const answers = await Promise.all(queries.map((query) => site.get(`/posts${query}`)))
  const lists = await Promise.all(answers.map((answer) => answer.json<{ total: number }>()))
  return lists.map(({ total }) => total)
}

async function withPosts(): Promise<TestSite> {
  const site = await makeSite()
  await putAll(site, [
    { slug: 'a', title: 'Alpha', language: 'en', status: 'published' },
    { slug: 'b', title: 'Beta', language: 'en-US', status: 'published' },
    { slug: 'c', title: 'Gamma', language: 'DE', status: 'draft' },
    { slug: 'd', title: 'Delta', status: 'draft' },
  ])
  return site
}

describe('counts and titles', () => {
  it('are right after every kind of write through the API', async () => {
    const site = await withPosts()
    expect(await totals(site, ['', '?status=draft', '?language=en', '?language=de&status=draft'])).toEqual([
      4, 2, 2, 1,
    ])
    await putAll(site, [
      { slug: 'a', title: 'Alpha', language: 'fr', status: 'published' },
      { slug: 'e', title: 'Epsilon', language: 'fr', status: 'draft' },
    ])
    await manage('PUT', `/sites/${site.id}/posts/c/publication`)
    await manage('DELETE', `/sites/${site.id}/posts/b`)
    expect(await differences(site)).toEqual([])
    expect(await totals(site, ['', '?status=draft', '?language=en', '?language=fr', '?search=PSI'])).toEqual([
      4, 2, 0, 2, 1,
    ])
  })

  it.each([
    "update posts set language = 'it' where site_id = $1",
    "update posts set status = 'draft', title = 'All the same' where site_id = $1",
    "update posts set quality_band = 'premium' where site_id = $1 and status = 'draft'",
    "update posts set id = gen_random_uuid(), status = 'draft', language = 'nl' where site_id = $1",
    "update posts set excerpt = 'x' where site_id = $1 and slug = 'a'",
    "update posts set slug = slug || '-long' where site_id = $1",
    "delete from posts where site_id = $1 and language = 'en'",
    'delete from posts where site_id = $1',
    `insert into posts (site_id, slug, title, content_html, language) values ($1, 'a', 'A', '', 'xx'), ($1, 'z', 'Z', '', 'xx')
      on conflict (site_id, slug) do update set language = 'yy'`,
    `with gone as (delete from posts where site_id = $1 and slug = 'a')
      insert into posts (site_id, slug, title, content_html) values ($1, 'new', 'New', '')`,
  ])('are right after %s', async (statement) => {
    const site = await withPosts()
    await runSql(statement, [site.id])
    expect(await differences(site)).toEqual([])
  })

  it('have the encoded length of a slug, also after a rename', async ({ site }) => {
    const slugs = ['plain-1.0_~', 'café-à-paris', '日本', 'x', 'Ünïcödé_७']
    await putAll(
      site,
      slugs.map((slug) => ({ slug })),
    )
    await runSql("update posts set slug = slug || 'é' where site_id = $1 and slug = 'x'", [site.id])
    const longest = Math.max(
      ...[...slugs.slice(0, 3), 'xé', 'Ünïcödé_७'].map((slug) => encodeURIComponent(slug).length),
    )
    const rows = await runSql(
      'select max(slug_bytes)::integer as bytes from post_counts where site_id = $1',
      [site.id],
    )
    expect(rows).toEqual([{ bytes: longest }])
  })

  it('are right for both sites when a post moves between them', async () => {
    const [from, to] = [await withPosts(), await makeSite()]
    await runSql("update posts set site_id = $2 where site_id = $1 and slug <> 'a'", [from.id, to.id])
    expect([await differences(from), await differences(to)]).toEqual([[], []])
    expect([await totals(from, ['']), await totals(to, [''])]).toEqual([[1], [3]])
  })

  it('list a language with few posts among many, page by page', async ({ site }) => {
    await runSql(
      `insert into posts (site_id, slug, title, content_html, language, status)
       select $1, 'p' || n, 'P ' || n, '', case when n % 20 = 0 then 'de-AT' when n % 10 = 0 then 'DE' else 'en' end,
         case when n % 3 = 0 then 'draft' else 'published' end
       from generate_series(1, 200) n`,
      [site.id],
    )
    const pages = await Promise.all(
      [1, 2, 3].map(async (page) => {
        const answer = await site.get(`/posts?language=de&pageSize=8&page=${page}`)
        return answer.json<{ items: { slug: string }[]; total: number }>()
      }),
    )
    const newestFirst = Array.from({ length: 20 }, (_, n) => `p${200 - 10 * n}`)
    expect(pages.flatMap(({ items }) => items.map(({ slug }) => slug))).toEqual(newestFirst)
    expect(pages.map(({ total }) => total)).toEqual([20, 20, 20])
    const { items } = await (await site.get('/posts?pageSize=1&page=50')).json<{
      items: { updatedAt: string }[]
    }>()
    const after = `updatedAfter=${items[0]!.updatedAt}`
    expect(
      await totals(site, [`?${after}`, `?${after}&language=de`, `?${after}&language=de&status=draft`]),
    ).toEqual([49, 5, 1])
  })
})
