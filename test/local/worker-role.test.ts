import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { expect, it } from 'vitest'
import { migrateEmbedded } from '../../drizzle/migrate.ts'

const GRANTS = readFileSync(join(import.meta.dirname, '../../drizzle/worker-role.sql'), 'utf8')

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

const OPERATOR = '00000000-0000-4000-8000-000000000002'
/** Each leaves an entry, which its trigger or function writes as the owner. */
const LOGGED = [
  `insert into operators (id, name, role) values ('${OPERATOR}', 'Ada', 'admin')`,
  `insert into operator_tokens (operator_id, token_hash, last_four, expires_at)
   values ('${OPERATOR}', 'a', 'aaaa', now() + interval '1 day')`,
  "insert into console_sessions (id_hash, expires_at) values ('a', now() + interval '1 day')",
  'delete from console_sessions',
  "select log_refusal('operator.refused', 'PUT /')",
  'delete from operators',
]
const FORGERIES = [
  "insert into audit_log (action, actor) values ('post.deleted', 'Ada')",
  "insert into audit_log (at, action) values (now() - interval '401 days', 'post.deleted')",
  "update audit_log set actor = 'Eve'",
  'delete from audit_log',
  'truncate audit_log',
  'alter table audit_log disable trigger user',
]

it.each(['before', 'after'])(
  'the Worker’s role cannot write audit log entries itself, when granted %s the migrations',
  async (order) => {
    const database = await PGlite.create({ extensions: { pg_trgm } })
    const grant = async () => {
      await database.exec('create role hca_worker')
      await database.exec(GRANTS)
    }
    if (order === 'before') await grant()
    await migrateEmbedded(database)
    if (order === 'after') await grant()
    await database.exec('set role hca_worker')
    for (const statement of [...ROWS, ...LOGGED]) await database.query(statement)
    const { rows } = await database.query<{ action: string }>('select action from audit_log order by id')
    expect(rows.map(({ action }) => action)).toEqual([
      'site.created',
      'post.created',
      'post.renamed',
      'post.deleted',
      'site.deleted',
      'operator.created',
      'token.created',
      'operator.signed_in',
      'operator.signed_out',
      'operator.refused',
      'operator.deleted',
      'token.deleted',
    ])
    for (const statement of FORGERIES)
      await expect(database.query(statement), statement).rejects.toThrow(
        /written by triggers alone|append-only|permission denied|must be owner/,
      )
    expect((await database.query('select from audit_log')).rows).toHaveLength(rows.length)
    await database.close()
  },
  120_000,
)

it('the Worker’s role can read and write rows, also in later tables, and nothing else', async () => {
  const database = await PGlite.create({ extensions: { pg_trgm } })
  await migrateEmbedded(database)
  await database.exec('create role hca_worker')
  await database.exec(GRANTS)
  await database.exec('create table later (id int generated always as identity)')
  await database.exec('set role hca_worker')
  for (const statement of [...ROWS, 'insert into later default values']) await database.query(statement)
  for (const statement of DEFINITIONS) {
    await expect(database.query(statement), statement).rejects.toMatchObject({ code: '42501' })
  }
  await database.close()
})
