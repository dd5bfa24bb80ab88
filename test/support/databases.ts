/** Databases on the PostgreSQL server under test. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

const GRANTS = readFileSync(join(import.meta.dirname, '../../drizzle/worker-role.sql'), 'utf8')

type TestDatabase = {
  name: string
  /** A connection as its owner. */
  url: string
  /** A connection with the role of drizzle/worker-role.sql. */
  workerUrl: string
  drop: () => Promise<void>
}

/** Creates a database on `server`: an empty one, or a copy of `template`. */
export async function createDatabase(server: string, template?: TestDatabase['name']): Promise<TestDatabase> {
  const name = `hca_test_${randomBytes(6).toString('hex')}`
  await query(server, `create database ${name} ${template ? `template ${template}` : ''}`)
  // Tests kill Workers and cut connections, never the server: commits need not wait for the disk.
  await query(server, `alter database ${name} set synchronous_commit = off`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const workerUrl = new URL(url)
  workerUrl.username = `${name}_worker`
  workerUrl.password = randomBytes(12).toString('hex')
  await query(url.href, `create role ${workerUrl.username} login password '${workerUrl.password}'`)
  await query(url.href, GRANTS.replaceAll('hca_worker', workerUrl.username))
  const drop = async () => {
    await query(server, `drop database ${name} with (force)`)
    await query(server, `drop role ${workerUrl.username}`)
  }
  return { name, url: url.href, workerUrl: workerUrl.href, drop }
}

export async function query(url: string, statement: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
