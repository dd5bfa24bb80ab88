/** The tests on the PostgreSQL and Redis from the environment, in a database and a key space of their own. */
import type { TestProject } from 'vitest/node'
import { migrateServer } from '../../drizzle/migrate.ts'
import { createDatabase } from './databases.ts'
import { removeKeys } from './redis-keys.ts'
import { provideStack } from './stack.ts'

export default async function setup(project: TestProject) {
  const { DATABASE_URL, REDIS_URL } = process.env
  if (!DATABASE_URL || !REDIS_URL) throw new Error('needs DATABASE_URL and REDIS_URL')
  const template = await createDatabase(DATABASE_URL)
  await migrateServer(template.url)
  const database = await createDatabase(DATABASE_URL, template.name)
  const redisPrefix = database.name
  const takeDown = await provideStack(project, {
    databaseUrl: database.workerUrl,
    ownerUrl: database.url,
    redisUrl: REDIS_URL,
    redisPrefix,
    template: template.name,
  })
  return async () => {
    try {
      await takeDown()
    } finally {
      await database.drop()
      await template.drop()
      await removeKeys(REDIS_URL, `${redisPrefix}:*`)
    }
  }
}
