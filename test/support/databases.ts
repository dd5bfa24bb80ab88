/** Databases on the PostgreSQL server under test. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** Makes an empty database beside the one of `server`. */
export async function createDatabase(server: string): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `hca_test_${randomBytes(6).toString('hex')}`
  await query(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: async () => void (await query(server, `drop database ${name} with (force)`)) }
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, statement: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
