import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Context } from '../../src/context.ts'
import { type Stack, startStack } from '../../src/local/stack.ts'
import { create, scope } from '../../src/sites.ts'
import { createDatabase, query } from '../support/databases.ts'
import { randomFrom } from '../support/random.ts'
import { contextOver } from '../support/verbs.ts'
import { type Copy, faceOf, follower, walker } from './readers.ts'
import { write } from './writers.ts'

const WRITERS = 8
/** On the embedded stack, which has one connection for all, there is nothing to prove with more. */
const server = inject('server')
const WRITES = server ? 500 : 25
const SEEDS = Number(process.env.SYNC_SEEDS ?? 1)

let stack: Stack
let database: string | null = null
let drop = async () => {}
let ctx: Context

beforeAll(async () => {
  if (server) {
    const created = await createDatabase(server)
    database = created.url
    drop = created.drop
  }
  stack = await startStack(database ? { databaseUrl: database } : {})
  await stack.migrate()
  ctx = contextOver(stack)
})

afterAll(async () => {
  await stack.stop()
  await drop()
})

/** Writers and readers at once on a new site; how many posts each reader's copy has wrong in the end. */
async function run(seed: number) {
  const { id } = await create(ctx, { name: `Seed ${seed}`, domain: 'sync.example.com' })
  const site = await scope(ctx, id)
  const readers = [walker(ctx, site, 'walker', 50), walker(ctx, site, 'pageSize=1', 1), follower(ctx, site)]
  let writing = true
  const reading = readers.map(async (reader) => {
    while (writing) await reader.round()
    await reader.round()
  })
  const writers = Array.from({ length: WRITERS }, (_, i) =>
    write(ctx, site, database, randomFrom(seed * 1_000 + i), WRITES),
  )
  const failed = (await Promise.all(writers)).reduce((sum, each) => sum + each, 0)
  writing = false
  await Promise.all(reading)
  const truth = await table(id)
  const wrong = readers.map((reader) => differences(reader.copy, truth))
  const counts = readers.map(({ name, reads }, i) => `${name} ${reads} reads ${wrong[i]} wrong`)
  console.info(`seed ${seed}: ${WRITERS * WRITES} writes, ${failed} failed; ${counts.join('; ')}`)
  return { posts: truth.size, failed, wrong }
}

describe('no update is lost to a reader', () => {
  it.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
    `with ${WRITERS} writers of ${WRITES} writes each, seed %i`,
    async (seed) => {
      const { posts, failed, wrong } = await run(seed)
      expect(posts).toBeGreaterThan(100)
      expect(failed).toBe(0)
      expect(wrong).toEqual([0, 0, 0])
    },
    300_000,
  )

  it.runIf(server)(
    'but without the lock one is: the test can fail',
    async () => {
      const lock = await definition('lock_site')
      await query(
        database!,
        'create or replace function lock_site(site uuid) returns void language sql as $$ select $$',
      )
      await query(
        database!,
        'drop index posts_newest; create index posts_newest on posts (site_id, updated_at)',
      )
      try {
        const { wrong } = await run(99)
        expect(wrong.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0)
      } finally {
        await query(database!, lock)
      }
    },
    300_000,
  )
})

async function table(siteId: string): Promise<Copy> {
  const { rows } = await ctx.db.execute(
    `select slug, status, title, content_html as "contentHtml" from posts where site_id = '${siteId}'`,
  )
  return new Map(rows.map((row) => [String(row.slug), faceOf(row as Parameters<typeof faceOf>[0])]))
}

function differences(copy: Copy, truth: Copy): number {
  const slugs = new Set([...copy.keys(), ...truth.keys()])
  return [...slugs].filter((slug) => copy.get(slug) !== truth.get(slug)).length
}

async function definition(name: string): Promise<string> {
  const rows = await query(database!, `select pg_get_functiondef('${name}'::regproc) as text`)
  return rows[0].text
}
