/** The tests on the PostgreSQL and Redis that the environment names, in a database and a key space of their own. */
import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { provideStack } from './stack.ts'

export default async function setup(project: TestProject) {
  const { DATABASE_URL, REDIS_URL } = process.env
  if (!DATABASE_URL || !REDIS_URL) throw new Error('test:services needs DATABASE_URL and REDIS_URL')
  const name = `hca_test_${randomBytes(6).toString('hex')}`
  await administer(DATABASE_URL, `create database ${name}`)
  const url = new URL(DATABASE_URL)
  url.pathname = `/${name}`
  const takeDown = await provideStack(project, {
    databaseUrl: url.href,
    redisUrl: REDIS_URL,
    redisPrefix: name,
  })
  return async () => {
    await takeDown()
    await administer(DATABASE_URL, `drop database ${name} with (force)`)
    await removeKeys(REDIS_URL, `${name}:*`)
  }
}

async function administer(url: string, statement: string) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function removeKeys(url: string, pattern: string) {
  const redis = new Redis(url)
  for await (const keys of redis.scanStream({ match: pattern, count: 1_000 })) {
    if (keys.length > 0) await redis.unlink(...keys)
  }
  await redis.quit()
}
