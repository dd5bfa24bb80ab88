/** Writers that do to one site all that changes a post, each over its own connection, in an order that a seed decides. */
import pg from 'pg'
import type { Context } from '../../src/context.ts'
import { put } from '../../src/posts/put.ts'
import { markReady, setStatus } from '../../src/posts/states.ts'
import type { SiteScope } from '../../src/sites.ts'

const SLUGS = 300
const BULK = 50
const LONGEST_TRANSACTION_MS = 20

export type Random = () => number

const slugOf = (random: Random) => `post-${Math.floor(random() * SLUGS)}`
const article = (random: Random, slug: string) => ({
  slug,
  title: `Title ${random()}`,
  contentHtml: `<p>${random()}</p>`,
  trustScore: Math.floor(random() * 100),
})

/** Makes `writes` writes; a refusal of the product's own (no such post, not a draft) is a write like others. */
export async function write(
  ctx: Context,
  site: SiteScope,
  server: string | null,
  random: Random,
  writes: number,
) {
  const client = server ? new pg.Client(server) : null
  await client?.connect()
  let failed = 0
  for (let i = 0; i < writes; i++) {
    try {
      await oneOf(ctx, site, client, random)
    } catch (error) {
      if ((error as Error).name !== 'AppError') failed++
    }
  }
  await client?.end()
  return failed
}

async function oneOf(ctx: Context, site: SiteScope, client: pg.Client | null, random: Random) {
  const slug = slugOf(random)
  const kind = random()
  if (kind < 0.02) {
    const slugs = new Set(Array.from({ length: BULK }, () => slugOf(random)))
    return put(
      ctx,
      site,
      Array.from(slugs, (each) => article(random, each)),
    )
  }
  if (kind < 0.4) return put(ctx, site, [article(random, slug)])
  if (kind < 0.55) return setStatus(ctx, site, slug, 'published')
  if (kind < 0.7) return setStatus(ctx, site, slug, 'draft')
  if (kind < 0.8) return markReady(ctx, site, slug)
  if (client) return longTransaction(client, site, slug, random)
  return put(ctx, site, [article(random, slug)])
}

/**
 * Hand-written SQL that commits late, or not at all; mostly with the site's lock first, as it should be. Without it
 * the database may end it in favour of another writer, which is one more transaction that is rolled back.
 */
async function longTransaction(client: pg.Client, site: SiteScope, slug: string, random: Random) {
  await client.query('begin')
  try {
    if (random() < 0.95) await client.query('select lock_site($1)', [site.id])
    const change = 'update posts set title = $3 where site_id = $1 and slug = $2'
    await client.query(change, [site.id, slug, `By hand ${random()}`])
    await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_TRANSACTION_MS))
    await client.query(random() < 0.3 ? 'rollback' : 'commit')
  } catch (error) {
    await client.query('rollback')
    if ((error as { code?: string }).code !== '40P01') throw error
  }
}
