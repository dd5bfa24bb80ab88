/** Another database gets the newest dump, and another Redis is empty. */
import { randomUUID } from 'node:crypto'
import { expect, inject, it, onTestFinished } from 'vitest'
import { startStack } from '../../../src/local/stack.ts'
import { startCountingReceiver } from '../../support/counting-receiver.ts'
import { query } from '../../support/databases.ts'
import { emptyDatabase, RESTORE_STEPS } from '../../support/restore-steps.ts'
import { startService, type WorkerService } from '../../support/service.ts'

it('cached content is served meanwhile, and the restored service continues elsewhere', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  const receiver = await startCountingReceiver((_, response) => response.writeHead(204).end())
  onTestFinished(receiver.close)
  const site = await service.makeSite()
  await service.manage('PUT', `${site.path}/webhook`, { url: receiver.url, events: ['post.published'] })
  await put(service, site.path, 'a')
  await expect.poll(() => receiver.posts.size).toBe(1)
  const list = ({ origin }: WorkerService) =>
    fetch(`${origin}/api/v1${site.path}/posts`, { headers: { Authorization: `Bearer ${site.key}` } })
  const before = await (await list(service)).text()

  const { database, run } = await emptyDatabase()
  expect(run(`DATABASE_URL="${service.database}" docs/examples/deploy/backup.sh "$BACKUP"`)).toMatchObject({
    status: 0,
  })
  const server = inject('server')!
  const name = new URL(service.database!).pathname.slice(1)
  await query(server, `alter database ${name} allow_connections false`)
  await query(server, `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)

  // 1. Cached content, and 500 for everything else.
  expect(await (await list(service)).text()).toBe(before)
  expect((await service.ask('GET', '/sites')).status).toBe(500)
  expect(await service.health()).toMatchObject({ status: 503, postgres: 'failing' })

  // 2. to 5.
  for (const step of RESTORE_STEPS) expect(run(step), step).toMatchObject({ status: 0 })
  const stack = await startStack({ databaseUrl: database.workerUrl, redisUrl: process.env.REDIS_URL! })
  onTestFinished(stack.stop)
  const moved = await service.startAnother({
    on: stack,
    // By default, another host has another prefix.
    vars: { REDIS_PREFIX: `${service.vars.REDIS_PREFIX}:${randomUUID()}` },
    secrets: {
      DATABASE_URL: stack.databaseUrl,
      UPSTASH_REDIS_REST_URL: stack.redisUrl,
      UPSTASH_REDIS_REST_TOKEN: stack.redisToken,
    },
  })
  await moved.admin('sweep')
  await moved.cron()
  expect(await moved.health()).toMatchObject({ status: 200 })
  expect(JSON.parse(await (await list(moved)).text())).toMatchObject({ items: JSON.parse(before).items })
  await put(moved, site.path, 'b')
  await expect.poll(() => receiver.posts.size).toBe(2)
  expect([...receiver.posts.values()]).toEqual([1, 1])

  await query(server, `alter database ${name} allow_connections true`)
})

const put = (worker: WorkerService, path: string, slug: string) =>
  worker.manage('PUT', `${path}/posts/${slug}`, {
    title: slug,
    contentHtml: '<p>Words.</p>',
    status: 'published',
  })
