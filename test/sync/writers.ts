/** Writers that change posts of one site in every way, over HTTP and by SQL, in an order that depends on a seed. */
import pg from 'pg'
import type { Service, WorkerService } from '../support/service.ts'

const SLUGS = 160
const BULK = 20
const CHANGES = ['publish', 'unpublish', 'ready']
const LANGUAGES = ['de', 'en', 'fr']

export type Random = () => number

export type Access = {
  /** A request to the management API below the site, by any Worker; its status. */
  manage: (method: string, below: string, body?: unknown) => Promise<number>
  /** Changes many posts at once in the console, by any Worker; the status of its answer. */
  select: (change: string, slugs: string[]) => Promise<number>
  sql: (statement: string) => Promise<unknown>
  siteId: string
  /** For slow transactions; null on the embedded stack, which has only one connection. */
  client: pg.Client | null
  longestTransactionMs: number
}

/** Calls a site through any of the workers, chosen by `random`, and by SQL. */
export async function openAccess(
  service: Service,
  workers: WorkerService[],
  site: { id: string; path: string },
  random: Random,
  longestTransactionMs: number,
): Promise<Access> {
  const anyWorker = () => workers[Math.floor(random() * workers.length)]!
  const client = service.database ? new pg.Client(service.database) : null
  await client?.connect()
  return {
    siteId: site.id,
    sql: service.sql,
    client,
    longestTransactionMs,
    manage: async (method, below, body) => {
      const response = await anyWorker().ask(method, site.path + below, body)
      await response.body?.cancel()
      return response.status
    },
    select: (change, slugs) => {
      const form = [['change', change], ...slugs.map((slug) => ['slug', slug])]
      return anyWorker().post(`/console${site.path}/content/selection`, new URLSearchParams(form))
    },
  }
}

const slugOf = (random: Random) => `post-${Math.floor(random() * SLUGS)}`
const article = (random: Random, slug: string) => ({
  slug,
  title: `${random() < 0.5 ? 'Chain' : 'Title'} ${random()}`,
  contentHtml: `<p>${random()}</p>`,
  trustScore: Math.floor(random() * 100),
  language: LANGUAGES[Math.floor(random() * LANGUAGES.length)],
})

export async function fill({ manage }: Access, random: Random): Promise<void> {
  const posts = Array.from({ length: SLUGS }, (_, i) => article(random, `post-${i}`))
  for (let at = 0; at < SLUGS; at += 80) await manage('PUT', '/posts', { posts: posts.slice(at, at + 80) })
}

/**
 * Makes `writes` writes; an expected refusal (no such post, not a draft) counts as one.
 * @returns the number of failures
 */
export async function write(access: Access, random: Random, writes: number): Promise<number> {
  let failed = 0
  for (let i = 0; i < writes; i++) {
    const status = await oneOf(access, random)
    if (status >= 500) failed++
  }
  return failed
}

async function oneOf(access: Access, random: Random): Promise<number> {
  const { manage, select, siteId } = access
  const slug = slugOf(random)
  const kind = random()
  if (kind < 0.06) {
    const slugs = [...new Set(Array.from({ length: BULK }, () => slugOf(random)))]
    if (kind < 0.04) return select(CHANGES[Math.floor(random() * CHANGES.length)]!, slugs)
    return manage('PUT', '/posts', { posts: slugs.map((each) => article(random, each)) })
  }
  if (kind < 0.35) return manage('PUT', `/posts/${slug}`, article(random, slug))
  if (kind < 0.5) return manage('PUT', `/posts/${slug}/publication`)
  if (kind < 0.62) return manage('DELETE', `/posts/${slug}/publication`)
  if (kind < 0.7) return manage('PUT', `/posts/${slug}/readiness`)
  if (kind < 0.8) return manage('DELETE', `/posts/${slug}`)
  const here = `where site_id = '${siteId}' and slug = '${slug}'`
  if (kind < 0.85) return byHand(access, random, `update posts set slug = '${slug}-${random()}' ${here}`)
  if (kind < 0.88) return byHand(access, random, `delete from posts ${here}`)
  return byHand(access, random, `update posts set title = 'By hand ${random()}' ${here}`)
}

/**
 * Hand-written SQL in a transaction that commits late, or not at all, and mostly takes the site's lock first, as it should.
 * Without it the database may abort it in favour of another writer, which is one more rollback.
 */
async function byHand(access: Access, random: Random, statement: string): Promise<number> {
  const { client, siteId, sql, longestTransactionMs } = access
  if (!client) {
    await sql(statement)
    return 200
  }
  await client.query('begin')
  try {
    if (random() < 0.95) await client.query('select lock_site($1)', [siteId])
    await client.query(statement)
    await new Promise((resolve) => setTimeout(resolve, random() * longestTransactionMs))
    await client.query(random() < 0.3 ? 'rollback' : 'commit')
  } catch (error) {
    await client.query('rollback')
    return (error as { code?: string }).code === '40P01' ? 200 : 500
  }
  return 200
}
