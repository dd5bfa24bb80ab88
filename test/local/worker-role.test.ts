/** The grants of the Worker's role, and the audit log that this role cannot forge. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import type { SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrateEmbedded } from '../../drizzle/migrate.ts'
import type { Context } from '../../src/context.ts'
import { pruneAuditLog } from '../../src/people/audit-log.ts'
import { openDatabase } from '../support/embedded-database.ts'

const GRANTS = readFileSync(join(import.meta.dirname, '../../drizzle/worker-role.sql'), 'utf8')
const OPERATOR = '00000000-0000-4000-8000-000000000002'

const ROWS = [
  `insert into sites (id, name, domain) values ('00000000-0000-4000-8000-000000000001', 'A', 'a.example.com')`,
  `insert into posts (site_id, slug, title, content_html)
   values ('00000000-0000-4000-8000-000000000001', 'one', 'One', '<p>1</p>')`,
  `update posts set slug = 'two'`,
  `select * from post_titles where title_folded % 'one'`,
  'delete from posts',
  'delete from sites',
]
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
  "update audit_log set actor = 'Eve' where set_config('audit.erasing', coalesce(actor_id, resource_id)::text, true) <> ''",
  'delete from audit_log',
  'truncate audit_log',
  'alter table audit_log disable trigger user',
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

describe.each(['before', 'after'])('the Worker’s role, granted %s the migrations,', (order) => {
  let database: PGlite

  beforeAll(async () => {
    database = await openDatabase(order === 'before' ? 'empty' : 'migrated')
    await database.exec(`create role hca_worker; ${GRANTS}`)
    if (order === 'before') await migrateEmbedded(database)
    await database.exec('create table later (id int generated always as identity)')
    await database.exec('set role hca_worker')
  })

  afterAll(() => database.close())

  const actions = async () => {
    const { rows } = await database.query<{ action: string }>('select action from audit_log order by id')
    return rows.map(({ action }) => action)
  }
  const asOwner = (statements: string) =>
    database.exec(`reset role; alter table audit_log disable trigger user; ${statements};
      alter table audit_log enable trigger user; set role hca_worker`)

  it('can read and write rows, also in later tables, each write with its entry', async () => {
    for (const statement of [...ROWS, ...LOGGED, 'insert into later default values'])
      await database.query(statement)
    expect(await actions()).toEqual([
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
  })

  it('can do nothing else', async () => {
    for (const statement of DEFINITIONS)
      await expect(database.query(statement), statement).rejects.toMatchObject({ code: '42501' })
  })

  it('cannot write entries itself', async () => {
    const before = await actions()
    for (const statement of FORGERIES)
      await expect(database.query(statement), statement).rejects.toThrow(
        /written by triggers alone|append-only|permission denied|must be owner/,
      )
    await expect(database.query("select log_refusal('key.created', 'by eve')")).rejects.toThrow('No kind')
    expect(await actions()).toEqual(before)
  })

  it('can delete an entry when it is 30 days old, and not before', async () => {
    await asOwner(`truncate audit_log; insert into audit_log (at, action)
      select now() - days * interval '1 day', 'test.' || days from unnest(array[29, 31]) days`)
    const own = drizzle({ client: database })
    const db = { execute: async (query: SQL) => ({ rowCount: (await own.execute(query)).affectedRows }) }
    const prune = (RETENTION_AUDIT_DAYS: number) =>
      pruneAuditLog({ db, config: { RETENTION_AUDIT_DAYS } } as unknown as Context)
    await expect(prune(28)).rejects.toThrow()
    await prune(30)
    expect(await actions()).toEqual(['test.29'])
  })

  it.runIf(order === 'after')(
    'can log at most 60 wrong tokens a minute and 300 an hour, from any number of addresses, and others beside them',
    async () => {
      await asOwner('truncate audit_log')
      const refuse = (addresses: number, actorId = '') =>
        database.query(`select set_config('audit.actor_id', '${actorId}', true),
        set_config('audit.address', gen_random_uuid()::text, true), log_refusal('operator.sign_in_failed', null)
        from generate_series(1, ${addresses})`)
      const minutesPass = (minutes: number) =>
        asOwner(`update audit_log set at = at - interval '${minutes} minutes 1 second'`)
      await refuse(61)
      expect(await actions()).toHaveLength(60)
      await refuse(2, OPERATOR)
      expect(await actions()).toHaveLength(62)
      for (let minute = 1; minute <= 4; minute++) {
        await minutesPass(1)
        await refuse(60)
      }
      await minutesPass(1)
      await refuse(1)
      expect(await actions()).toHaveLength(302)
      await minutesPass(60)
      await refuse(1)
      expect(await actions()).toHaveLength(303)
    },
  )
})
