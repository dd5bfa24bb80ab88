import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { expect, it } from 'vitest'
import { migrateEmbedded } from '../../drizzle/migrate.ts'

const ROWS = [
  `insert into sites (id, name, domain) values ('00000000-0000-4000-8000-000000000001', 'A', 'a.example.com')`,
  `insert into posts (site_id, slug, title, content_html)
   values ('00000000-0000-4000-8000-000000000001', 'one', 'One', '<p>1</p>')`,
  `update posts set slug = 'two'`,
  `select * from post_titles where title_folded % 'one'`,
  'delete from posts',
  'delete from sites',
]

const DEFINITIONS = [
  'create table more (id int)',
  'create temporary table more (id int)',
  'create index more on posts (title)',
  'create function more() returns int language sql as $$ select 1 $$',
  'create schema more',
  'alter table posts add column more int',
  'alter table posts disable trigger user',
  'truncate posts',
  'drop table posts',
  'drop function lock_site',
  'delete from drizzle.__drizzle_migrations',
]

it('lets the Worker read and write rows, also in later tables, and nothing else', async () => {
  const database = await PGlite.create({ extensions: { pg_trgm } })
  await migrateEmbedded(database)
  await database.exec('create role hca_worker')
  await database.exec(readFileSync(join(import.meta.dirname, '../../drizzle/worker-role.sql'), 'utf8'))
  await database.exec('create table later (id int generated always as identity)')
  await database.exec('set role hca_worker')
  for (const statement of [...ROWS, 'insert into later default values']) await database.query(statement)
  for (const statement of DEFINITIONS) {
    await expect(database.query(statement), statement).rejects.toMatchObject({ code: '42501' })
  }
  await database.close()
}, 120_000)
