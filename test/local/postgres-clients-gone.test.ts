import { randomInt, randomUUID } from 'node:crypto'
import { type NeonQueryFunction, neon, neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedPostgres } from '../../src/local/embedded-postgres.ts'
import type { Gateway } from '../../src/local/gateway.ts'
import { startPostgresGateway } from '../../src/local/postgres-gateway.ts'
import type { PostgresBackEnd } from '../../src/local/postgres-session.ts'
import { openServerPostgres } from '../../src/local/server-postgres.ts'

const server = process.env.DATABASE_URL
const url = 'postgresql://someone:right@db.example.com/content'
const table = `given_up_${randomUUID().replaceAll('-', '')}`

let backEnd: PostgresBackEnd
let gateway: Gateway
let sql: NeonQueryFunction<false, false>

beforeAll(async () => {
  backEnd = server ? openServerPostgres(server) : await openEmbeddedPostgres()
  gateway = await startPostgresGateway(backEnd, url)
  neonConfig.fetchEndpoint = () => `${gateway.url}/sql`
  sql = neon(url)
  await sql.query(`create table ${table} (id int primary key)`)
})

afterAll(async () => {
  await sql.query(`drop table ${table}`)
  await gateway.close()
  await backEnd.close()
})

describe('a client that disconnects', () => {
  it('has its batch rolled back, however far it got', async () => {
    const batch = await begin([insert(1), ...naps(200)])
    batch.giveUp()
    // Waits for the batch to end, and fails if it was committed.
    await sql.query(insert(1))
  })

  it('loses its place in the queue', async () => {
    const lock = server ? await holdLock() : null
    const others = []
    for (let i = 0; i < (lock ? 20 : 1); i += 1) others.push(await begin(lock ? [lock.wait] : naps(200)))
    const behind = await begin([insert(2)])
    behind.giveUp()
    // Once the gateway has accepted a later one, it knows that the client is gone.
    others.push(await begin(['select 1']))
    await lock?.release()
    await Promise.all(others.map(({ answer }) => answer))
    await sql.query(insert(2))
  })

  it.runIf(server)('has its statement cancelled when that waits for a lock', async () => {
    const lock = await holdLock()
    const statements = [
      await begin(`with l as (${lock.wait}) insert into ${table} select 3 from l`),
      await begin([insert(4), lock.wait]),
    ]
    await expect.poll(lock.waiting).toBe(2)
    for (const { giveUp } of statements) giveUp()
    await expect.poll(lock.waiting).toBe(0)
    await lock.release()
    expect(await sql.query(`select id from ${table} where id in (3, 4)`)).toEqual([])
  })
})

describe('writers that wait for a lock', () => {
  it.runIf(server)('do not delay readers', async () => {
    const lock = await holdLock()
    const writers = []
    for (let i = 0; i < 25; i += 1) writers.push(await begin([lock.wait]))
    await expect.poll(lock.waiting).toBe(20)
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    expect(await sql.transaction([sql`select 2 as two`], { readOnly: true })).toEqual([[{ two: 2 }]])
    for (const { giveUp } of writers) giveUp()
    await sql.query(insert(5))
    await lock.release()
  })
})

const insert = (id: number) => `insert into ${table} values (${id})`
const naps = (count: number) => Array<string>(count).fill('select pg_sleep(0.01)')

/** Sends a statement or a batch; resolves when the gateway has accepted it. */
async function begin(sent: string | string[]) {
  const client = new AbortController()
  const statements = [sent].flat().map((query) => ({ query }))
  const before = await requests()
  const answer = fetch(`${gateway.url}/sql`, {
    method: 'POST',
    headers: { 'neon-connection-string': url },
    body: JSON.stringify(Array.isArray(sent) ? { queries: statements } : statements[0]),
    signal: client.signal,
  }).then(
    (response) => response.text(),
    () => null,
  )
  await expect.poll(requests).toBeGreaterThan(before)
  return { answer, giveUp: () => client.abort() }
}

async function requests(): Promise<number> {
  return ((await (await fetch(`${gateway.url}/stats`)).json()) as { requests: number }).requests
}

async function holdLock() {
  const key = randomInt(2 ** 31)
  const holder = new pg.Client(server!)
  await holder.connect()
  await holder.query(`select pg_advisory_lock(${key})`)
  return {
    wait: `select pg_advisory_xact_lock(${key})`,
    waiting: async () => {
      const { rows } = await holder.query(
        `select count(*)::int as n from pg_locks where locktype = 'advisory' and objid = ${key} and not granted`,
      )
      return rows[0].n
    },
    release: () => holder.end(),
  }
}
