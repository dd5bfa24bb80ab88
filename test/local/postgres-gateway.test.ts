import { randomUUID } from 'node:crypto'
import { type NeonQueryFunction, neon, neonConfig, types } from '@neondatabase/serverless'
import { drizzle } from 'drizzle-orm/neon-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedPostgres } from '../../src/local/embedded-postgres.ts'
import type { Gateway } from '../../src/local/gateway.ts'
import { startPostgresGateway } from '../../src/local/postgres-gateway.ts'
import type { PostgresBackEnd } from '../../src/local/postgres-session.ts'
import { openServerPostgres } from '../../src/local/server-postgres.ts'

const MAX_BYTES = 10 * 1024 * 1024
const url = 'postgresql://someone:right@db.example.com/content'
const table = `gateway_${randomUUID().replaceAll('-', '')}`

let backEnd: PostgresBackEnd
let gateway: Gateway
let sql: NeonQueryFunction<false, false>

const server = process.env.DATABASE_URL
const BACK_ENDS = {
  embedded: async () => openEmbeddedPostgres(),
  ...(server && { server: async () => openServerPostgres(server) }),
}

describe.each(Object.entries(BACK_ENDS))('on the %s Postgres', (_, open) => {
  beforeAll(async () => {
    backEnd = await open()
    gateway = await startPostgresGateway(backEnd, url)
    neonConfig.fetchEndpoint = () => `${gateway.url}/sql`
    sql = neon(url)
    await sql.query(`create table ${table} (id int primary key, body jsonb, tags text[])`)
  })

  afterAll(async () => {
    await sql.query(`drop table ${table}`)
    await gateway.close()
    await backEnd.close()
  })

  describe('a query of the driver', () => {
    it('returns every type as the driver parses it', async () => {
      // Drizzle replaces the driver's time parser in all files of this thread.
      const getTypeParser = (type: number) =>
        type === types.builtins.TIMESTAMPTZ ? (time: string) => new Date(time) : types.getTypeParser(type)
      const rows = await sql.query(
        `select 1 as int, true as bool, $1::text as text, null as nothing, '2026-01-02T03:04:05.678Z'::timestamptz as time,
        $2::jsonb as json, array['p', 'q"'] as list, 12345678901234567890::numeric as numeric`,
        ['x', { a: [1] }],
        { types: { getTypeParser } },
      )
      expect(rows).toEqual([
        {
          int: 1,
          bool: true,
          text: 'x',
          nothing: null,
          time: new Date('2026-01-02T03:04:05.678Z'),
          json: { a: [1] },
          list: ['p', 'q"'],
          numeric: '12345678901234567890',
        },
      ])
    })

    it('returns command, row count and fields', async () => {
      const created = await sql.query(`create table if not exists ${table} (id int)`, [], {
        fullResults: true,
      })
      expect(created).toMatchObject({ command: 'CREATE', rowCount: null, rows: [] })
      const inserted = await sql.query(`insert into ${table} (id) values (1), (2) returning id`, [], {
        fullResults: true,
      })
      expect(inserted).toMatchObject({
        command: 'INSERT',
        rowCount: 2,
        fields: [{ name: 'id', dataTypeID: 23 }],
      })
      const updated = await sql.query(`update ${table} set tags = $1 where id = 1`, [['a', 'b']], {
        fullResults: true,
      })
      expect(updated).toMatchObject({ command: 'UPDATE', rowCount: 1 })
    })

    it('works through drizzle', async () => {
      const { rows } = await drizzle(sql).execute('select count(*) as n from generate_series(1, 3)')
      expect(rows).toEqual([{ n: '3' }])
    })

    it('leaves no session behind', async () => {
      await sql`set timezone to 'Asia/Tokyo'`
      expect(await sql`select current_setting('timezone') as zone`).not.toEqual([{ zone: 'Asia/Tokyo' }])
      await sql`select set_config('timezone', 'Asia/Tokyo', false)`
      expect(await sql`select current_setting('timezone') as zone`).not.toEqual([{ zone: 'Asia/Tokyo' }])
      await sql`do $$ begin set timezone to 'Asia/Tokyo'; end $$`
      expect(await sql`select current_setting('timezone') as zone`).not.toEqual([{ zone: 'Asia/Tokyo' }])
      await sql`create temporary table own_table ()`
      await expect(sql`select from own_table`).rejects.toMatchObject({ code: '42P01' })
      await sql`select pg_advisory_lock(42)`
      const locks = "select from pg_locks where locktype = 'advisory' and objid = 42"
      await expect.poll(() => sql.query(locks)).toEqual([])
      await sql`begin`
      await sql.query(`insert into ${table} (id) values (5)`)
      await sql`rollback`
      expect(await sql.query(`select id from ${table} where id = 5`)).toEqual([{ id: 5 }])
    })
  })

  describe('a batch', () => {
    it('is atomic', async () => {
      const batch = sql.transaction([
        sql.query(`insert into ${table} (id) values (10)`),
        sql.query(`insert into ${table} (id) values (11), (11)`),
      ])
      await expect(batch).rejects.toMatchObject({ code: '23505' })
      expect(await sql.query(`select id from ${table} where id = 10`)).toEqual([])
    })

    it('runs in the requested isolation level and mode', async () => {
      const queries = [
        sql`select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as ro`,
      ]
      const options = { isolationLevel: 'Serializable', readOnly: true, deferrable: true } as const
      expect(await sql.transaction(queries, options)).toEqual([[{ level: 'serializable', ro: 'on' }]])
      const write = sql.transaction([sql.query(`insert into ${table} (id) values (12)`)], { readOnly: true })
      await expect(write).rejects.toMatchObject({ code: '25006' })
    })

    it('is rolled back when its answer would be too large', async () => {
      const half = sql`select repeat('x', 6000000)`
      const batch = sql.transaction([
        sql.query(`insert into ${table} (id) values (13)`),
        half,
        sql`select repeat('y', 6000000)`,
      ])
      await expect(batch).rejects.toThrow(`response is too large (max is ${MAX_BYTES} bytes)`)
      expect(await sql.query(`select id from ${table} where id = 13`)).toEqual([])
    })

    it('returns the modes it ran in, and refuses an unknown one', async () => {
      const query = { queries: [{ query: 'select 1' }] }
      const response = await post(query, {
        'neon-batch-isolation-level': 'RepeatableRead',
        'neon-batch-read-only': 'true',
      })
      expect(response.headers.get('neon-batch-isolation-level')).toBe('RepeatableRead')
      expect(response.headers.get('neon-batch-read-only')).toBe('true')
      for (const level of ['Chaos', 'constructor']) {
        const refused = await post(query, { 'neon-batch-isolation-level': level })
        expect([refused.status, (await json(refused)).message]).toEqual([400, 'invalid isolation level'])
      }
    })
  })

  describe("400 with Postgres's fields", () => {
    it('has code, detail, constraint and table of a violation', async () => {
      await sql.query(`insert into ${table} (id) values (20)`)
      await expect(sql.query(`insert into ${table} (id) values (20)`)).rejects.toMatchObject({
        name: 'NeonDbError',
        code: '23505',
        severity: 'ERROR',
        detail: 'Key (id)=(20) already exists.',
        constraint: `${table}_pkey`,
        table,
        schema: 'public',
      })
    })

    it('has the position of a syntax error', async () => {
      await expect(sql.query('selec 1')).rejects.toMatchObject({ code: '42601', position: '1' })
    })

    it('refuses several statements in one query', async () => {
      await expect(sql.query('select 1; select 2')).rejects.toMatchObject({
        code: '42601',
        message: 'cannot insert multiple commands into a prepared statement',
      })
    })

    it('refuses COPY, which would wait for data', async () => {
      for (const copy of ['copy (select 1) to stdout', ` COPY ${table} from stdin`]) {
        await expect(sql.query(copy)).rejects.toMatchObject({ code: '0A000' })
      }
      expect(await sql`select ${'copy'} as copy`).toEqual([{ copy: 'copy' }])
    })

    it('refuses a wrong password, a missing one and no connection string', async () => {
      await expect(neon(url.replace('right', 'wrong'))`select 1`).rejects.toMatchObject({
        code: '28P01',
        message: "password authentication failed for user 'someone'",
      })
      const large = await post({ query: 'x'.repeat(11 * 1024 * 1024) }, { 'neon-connection-string': 'wrong' })
      expect((await json(large)).message).toMatch(/^invalid connection string/)
      for (const user of ['%', '%E0%A4', 'someone%00']) {
        const other = url.replace('someone', user)
        const refused = await post({ query: 'select 1' }, { 'neon-connection-string': other })
        expect([user, refused.status, (await json(refused)).code]).toEqual([user, 400, '28P01'])
      }
      const without = await post(
        { query: 'select 1' },
        { 'neon-connection-string': url.replace(':right', '') },
      )
      expect([without.status, (await json(without)).message]).toEqual([
        400,
        'missing authentication credentials: required password',
      ])
      const none = await fetch(`${gateway.url}/sql`, { method: 'POST', body: '{"query":"select 1"}' })
      expect(none.status).toBe(400)
    })

    it('refuses a body that is not a query', async () => {
      for (const body of [
        '{',
        '[]',
        '{"params":[]}',
        '{"query":"select 1","params":{}}',
        '{"queries":[1]}',
      ]) {
        const response = await fetch(`${gateway.url}/sql`, {
          method: 'POST',
          body,
          headers: { 'neon-connection-string': url },
        })
        expect([body, response.status, (await json(response)).message]).toEqual([
          body,
          400,
          expect.stringContaining('could not parse the HTTP request body'),
        ])
      }
    })
  })

  describe('limits', () => {
    it('413 for a request above 10 MiB, but not just below', async () => {
      const large = sql`select length(${'x'.repeat(MAX_BYTES)}::text) as n`
      await expect(large).rejects.toThrow(`request is too large (max is ${MAX_BYTES} bytes)`)
      expect(await sql`select length(${'x'.repeat(MAX_BYTES - 200)}::text) as n`).toEqual([
        { n: MAX_BYTES - 200 },
      ])
    })

    it('507 for a response above 10 MiB, but not just below', async () => {
      await expect(sql`select repeat('x', ${MAX_BYTES}::int)`).rejects.toThrow('HTTP status 507')
      const [row] = await sql`select repeat('x', ${MAX_BYTES - 500}::int) as text`
      expect(row?.text).toHaveLength(MAX_BYTES - 500)
    })
  })

  describe('the protocol', () => {
    it('accepts parameters that are JSON numbers, booleans, objects and arrays', async () => {
      const response = await post({
        query: 'select $1::int + $2::int as a, $3::bool as b, $4::jsonb as c, $5::text[] as d, $6::text as e',
        params: [1, '2', true, { q: 1 }, ['a"b', null, 'c'], null],
      })
      expect((await json(response)).rows).toEqual([['3', 't', '{"q": 1}', '{"a\\"b",NULL,c}', null]])
      expect(response.headers.get('neon-request-id')).toMatch(/^[\da-f-]{36}$/)
    })

    it('returns rows as objects unless arrays are requested', async () => {
      const response = await post({ query: 'select 1 as a', arrayMode: false })
      expect(await json(response)).toMatchObject({ rowAsArray: false, rows: [{ a: '1' }] })
    })

    it('answers OPTIONS and POST /sql only', async () => {
      const options = await fetch(`${gateway.url}/sql`, { method: 'OPTIONS' })
      expect([options.status, options.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
      for (const [method, path] of [
        ['GET', '/sql'],
        ['POST', '/'],
        ['POST', '/sql/x'],
      ] as const) {
        const response = await fetch(gateway.url + path, { method })
        expect([response.status, await response.json()]).toEqual([400, 'query is not supported'])
      }
    })

    it('counts requests, queries and errors, and resets them on DELETE', async () => {
      await fetch(`${gateway.url}/stats`, { method: 'DELETE' })
      await sql.transaction([sql`select 1`, sql`select 2`])
      await sql`selec`.catch(() => {})
      const stats = await fetch(`${gateway.url}/stats`)
      expect(await stats.json()).toEqual({ requests: 2, queries: 3, errors: 1 })
    })

    it('adds the configured latency to each call', async () => {
      const slow = await startPostgresGateway(backEnd, url, { latencyMs: 120 })
      const began = performance.now()
      await fetch(`${slow.url}/sql`, {
        method: 'POST',
        body: '{"query":"select 1"}',
        headers: { 'neon-connection-string': url },
      })
      expect(performance.now() - began).toBeGreaterThan(115)
      await slow.close()
    })
  })

  describe('a server that is down', () => {
    it("is reported with Neon's error, and the gateway keeps running", async () => {
      const away = openServerPostgres('postgres://nobody@127.0.0.1:1/none')
      const before = await startPostgresGateway(away, url)
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const response = await fetch(`${before.url}/sql`, {
          method: 'POST',
          body: '{"query":"select 1"}',
          headers: { 'neon-connection-string': url },
        })
        expect([response.status, (await json(response)).message]).toEqual([
          500,
          "Couldn't connect to compute node",
        ])
      }
      await before.close()
      await away.close()
    })
  })
})

function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/sql`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: {
      'neon-connection-string': url,
      'neon-raw-text-output': 'true',
      'neon-array-mode': 'true',
      ...headers,
    },
  })
}

async function json(response: Response): Promise<Record<string, unknown>> {
  return (await response.json()) as Record<string, unknown>
}
