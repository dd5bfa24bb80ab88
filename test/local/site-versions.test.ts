import type { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { slugVersionIn } from '../../src/db/content-version.ts'
import { openDatabase } from '../support/embedded-database.ts'

const [ONE, OTHER] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']

let database: PGlite

beforeAll(async () => {
  database = await openDatabase('migrated')
  await database.exec(
    `insert into sites (id, name, domain) values ('${ONE}', 'One', 'one.example'), ('${OTHER}', 'Other', 'other.example')`,
  )
})

afterAll(() => database.close())

/** Posts, guides, a redirect and a training row of one site. */
const FILL = `
  insert into posts (site_id, slug, title, content_html, status, published_at)
    select '${ONE}', slug, slug, '', 'published', now() from unnest(array['a', 'b', 'c']) slug;
  insert into guides (site_id, slug, title, content_html, status, published_at)
    select '${ONE}', slug, slug, '', 'published', now() from unnest(array['g', 'h']) slug;
  update posts set slug = 'a2' where slug = 'a';
  insert into training_rows (site_id, prompt, completion) values ('${ONE}', 'Why?', 'Because.');`

const EMPTY = 'truncate posts, guides, redirects, training_rows, tombstones cascade'

async function versions(): Promise<number[]> {
  const { rows } = await database.query<{ version: string }>(
    'select content_version as version from sites order by id',
  )
  return rows.map(({ version }) => Number(version))
}

const SLUGS = ['b', 'c', 'd', 'g', 'h']

const slugVersions = async () => {
  const { rows } = await database.query<{ versions: string }>(
    `select slug_versions as versions from sites where id = '${ONE}'`,
  )
  return Promise.all(SLUGS.map((slug) => slugVersionIn(rows[0]!.versions, slug)))
}

describe('SQL by hand raises the content version of a site', () => {
  it.each([
    `update posts set site_id = '${OTHER}' where slug = 'b'`,
    `update guides set site_id = '${OTHER}' where slug = 'h'`,
    `insert into redirects (site_id, resource, slug, resource_id) select site_id, 'post', 'older', id from posts where slug = 'b'`,
    `update redirects set slug = 'oldest'`,
    `update redirects set site_id = '${OTHER}'`,
    `update training_rows set site_id = '${OTHER}'`,
    'delete from redirects',
    'truncate redirects',
    'truncate guides',
    'truncate training_rows',
    'truncate posts cascade',
  ])('%s', async (statement) => {
    await database.exec(`${EMPTY}; ${FILL}`)
    const [before] = await versions()
    await database.exec(statement)
    expect((await versions())[0]).toBeGreaterThan(before!)
  })

  it.each<[statement: string, slugs: string[]]>([
    [`insert into posts (site_id, slug, title, content_html) values ('${ONE}', 'd', 'd', '')`, ['d']],
    [`update posts set content_html = 'new' where slug in ('b', 'c')`, ['b', 'c']],
    [`update posts set content_html = '' where slug = 'b'`, []],
    [`update posts set slug = 'd' where slug = 'b'`, ['b', 'd']],
    [`delete from posts where slug = 'c'`, ['c']],
    [`update guides set status = 'draft' where slug = 'g'`, ['g']],
    [`delete from guides where slug = 'h'`, ['h']],
    [`update posts set site_id = '${OTHER}' where slug = 'b'`, ['b']],
    ['delete from redirects', []],
    ['delete from training_rows', []],
    [`update sites set plan = 'scale'`, []],
    [`update sites set post_path = '/other/{slug}'`, SLUGS],
    ['truncate posts cascade', SLUGS],
    ['truncate guides', SLUGS],
  ])('and those of the slugs that it changes: %s', async (statement, slugs) => {
    await database.exec(`${EMPTY}; ${FILL}`)
    const before = await slugVersions()
    await database.exec(statement)
    const after = await slugVersions()
    expect(SLUGS.filter((_, at) => after[at]! > before[at]!)).toEqual(
      SLUGS.filter((slug) => slugs.includes(slug)),
    )
  })

  it('and the version of access of both sites when a key moves', async () => {
    const authVersions = async () => {
      const { rows } = await database.query<{ version: string }>(
        'select auth_version as version from sites order by id',
      )
      return rows.map(({ version }) => Number(version))
    }
    await database.exec(
      `insert into api_keys (site_id, name, key_hash, prefix, last_four) values ('${ONE}', 'K', 'hash', 'k', 'abcd')`,
    )
    const before = await authVersions()
    await database.exec(`update api_keys set site_id = '${OTHER}'`)
    const after = await authVersions()
    expect(after.map((version, site) => version > before[site]!)).toEqual([true, true])
  })

  it('and a slug has the same version in SQL and in JavaScript', async () => {
    const each = Array.from({ length: 32 }, (_, part) => part.toString(16).padStart(11, 'f')).join('')
    const slugs = Array.from({ length: 500 }, (_, n) => `${n}-köln-東京-\u{1f600}`)
    const { rows } = await database.query<{ version: string }>(
      'select slug_version($1, slug) as version from unnest($2::text[]) with ordinality s (slug, n) order by n',
      [each, slugs],
    )
    const here = await Promise.all(slugs.map((slug) => slugVersionIn(each, slug)))
    expect(rows.map(({ version }) => Number(version))).toEqual(here)
    expect(new Set(here).size).toBe(32)
  })

  it('and an article that left is in the feed', async () => {
    await database.exec(`${EMPTY}; ${FILL}`)
    await database.exec(`update posts set site_id = '${OTHER}' where slug = 'b'`)
    await database.exec(`update guides set site_id = '${OTHER}' where slug = 'h'`)
    const { rows } = await database.query(
      `select resource, slug, status, operator_only from tombstones where site_id = '${ONE}' and slug in ('b', 'h') order by slug`,
    )
    expect(rows).toEqual([
      { resource: 'post', slug: 'b', status: 'published', operator_only: false },
      { resource: 'guide', slug: 'h', status: 'published', operator_only: false },
    ])
  })
})
