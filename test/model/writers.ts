/** The model's writers, the sweep and the queue's consumer: the verbs behind every API. */
import { and, eq, sql } from 'drizzle-orm'
import { renewSharedAuths, revokeKey } from '../../src/access/keys.ts'
import type { Context } from '../../src/context.ts'
import { posts, sites } from '../../src/db/schema.ts'
import type { SiteScope } from '../../src/db/site-scope.ts'
import { storeVersions } from '../../src/freshness/site-versions.ts'
import { writeSite } from '../../src/freshness/write-site.ts'
import { sweep as runSweep } from '../../src/jobs.ts'
import { deleteSite } from '../../src/sites/deletion.ts'
import { type Isolate, NOW, type Program } from './actor.ts'
import { KEY_ID, SITE } from './reader.ts'

/** The promise to callers: this content version is readable, and whether the key is revoked. */
export type Acknowledged = { content: number; revoked: boolean }
/** `acknowledged` is null when the write failed or takes effect later. */
export type Ended = { acknowledged: Acknowledged | null }

/** A minute after all writes, so that marks may be removed. */
const AFTER_ALL_WRITERS = new Date(NOW + 61_000)

export const writeContent = writer('content', async (ctx) => {
  const { results } = await writeSite(ctx, SITE, [retitle(ctx)])
  return { content: Number(results[0][0]!.title.slice(1)), revoked: false }
})

/** Writes another post, whose slug has another part: the readers' answers do not change. */
export const writeOther = writer('other content', async (ctx) => {
  await writeSite(ctx, SITE, [retitle(ctx, 'b')])
  return { content: 0, revoked: false }
})

export const revoke = writer('revoke', async (ctx) => {
  await revokeKey(ctx, { id: SITE } as SiteScope, KEY_ID)
  return { content: 0, revoked: true }
})

export const deletion = writer('deletion', async (ctx) => {
  await deleteSite(ctx, SITE, 'Model')
  return { content: 0, revoked: true }
})

export const sweep = job('sweep', (isolate) => runSweep(isolate.context(), new Date(NOW)))
export const lastSweep = job('last sweep', (isolate) => runSweep(isolate.context(), AFTER_ALL_WRITERS))
/** The part of the sweep of all sites that stores the keys' access for isolates. The sweep continues when it fails. */
export const renewal = job('renewal', (isolate) =>
  renewSharedAuths(isolate.context(), { now: new Date(NOW) }).catch(() => {}),
)
export const consumer = job('queue', (isolate) => storeVersions(isolate.context(), SITE))

/** A program that writes. Without a promise to its caller when it fails, or takes effect later. */
export function writer(name: string, write: (ctx: Context) => Promise<Acknowledged>): Program<Ended> {
  return {
    name,
    writes: true,
    async run(isolate) {
      let isLater = false
      const takesEffectLater = () => {
        isLater = true
      }
      const ctx = isolate.context({ takesEffectLater })
      const acknowledged = await write(ctx).catch(() => null)
      return { acknowledged: isLater ? null : acknowledged }
    },
  }
}

/** The title has the content version that it leads to. */
export function retitle(ctx: Context, slug = 'a') {
  const next = sql`'v' || (select content_version + 1 from ${sites} where id = ${SITE})`
  return ctx.db
    .update(posts)
    .set({ title: next })
    .where(and(eq(posts.siteId, SITE), eq(posts.slug, slug)))
    .returning({ title: posts.title })
}

function job(name: string, work: (isolate: Isolate) => Promise<unknown>): Program<Ended> {
  return { name, run: (isolate) => work(isolate).then(() => ({ acknowledged: null })) }
}
