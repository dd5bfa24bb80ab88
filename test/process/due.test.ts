import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishDuePosts } from '../../src/content/posts/due.ts'
import type { Stack } from '../../src/local/stack.ts'
import { createSite } from '../../src/sites/sites.ts'
import { startOwnStack } from '../support/own-stack.ts'
import { contextOver } from '../support/verbs.ts'

const MAX_RUNS = 20

let stack: Stack

beforeAll(async () => {
  stack = await startOwnStack()
})

afterAll(() => stack?.stop())

it('drafts whose publication always fails do not keep others from being published', async () => {
  const ctx = contextOver(stack)
  const site = await createSite(ctx, { name: 'S', domain: 's.example.com' })
  const add = (slugs: string, scheduler: string, ago: string) =>
    ctx.db.execute(sql`
      insert into posts (site_id, slug, title, content_html, publish_at, scheduled_by)
      select ${site.id}, ${slugs} || n, 'T', '<p>Words.</p>', now() - ${ago}::interval,
        jsonb_build_object('id', ${scheduler}::text, 'name', 'Person ' || n)
      from generate_series(1, 20) n`)
  await add('fails', 'not an id', '2 hours')
  await ctx.db.execute(sql`
    insert into posts (site_id, slug, title, content_html, publish_at)
    values (${site.id}, 'a', 'T', '<p>Words.</p>', now() - interval '1 hour')`)
  let published = 0
  for (let runs = 0; runs < MAX_RUNS && published === 0; runs++) {
    await expect(publishDuePosts(ctx, { siteIds: null })).rejects.toThrow()
    const { rows } = await ctx.db.execute(
      sql`select count(*)::int as posts from posts where status = 'published'`,
    )
    published = (rows[0] as { posts: number }).posts
  }
  expect(published).toBe(1)
})
