import { sql } from 'drizzle-orm'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { putPosts } from '../../../src/content/posts/put.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { enqueueNextEvents } from '../../../src/webhooks/event.ts'
import wrangler from '../../../wrangler.toml?raw'
import { lossyQueue, testContext } from '../../support/context.ts'
import { heard, listening, outboxOf, rewind, runCron } from '../../support/outbox.ts'
import { post } from '../../support/site.ts'
import { addWebhook, received } from '../../support/webhook.ts'

type Settings = { queues: { consumers: { max_batch_size: number }[] } }

describe('bulk work', () => {
  it('with events=none sends only article.ready, and counts the rest', async () => {
    const site = await listening()
    await addWebhook(site, 'ok/two', ['post.published', 'post.deleted'])
    const put = (status: string) => ({ posts: ['a', 'b'].map((slug) => ({ ...post({ status }), slug })) })
    expect(await site.manage('PUT', '/posts?events=none', put('published'))).toMatchObject({
      eventsNotSent: 4,
    })
    expect(await site.manage('PUT', '/posts?events=none', put('published'))).toMatchObject({
      eventsNotSent: 0,
    })
    expect(await site.manage('PUT', '/posts', put('published'))).not.toHaveProperty('eventsNotSent')
    expect(await site.manage('DELETE', '/posts/a/publication?events=none')).toMatchObject({
      eventsNotSent: 1,
    })
    expect(await site.manage('PUT', '/posts/a?events=none', post({ status: 'published' }))).toMatchObject({
      outcome: 'updated',
      eventsNotSent: 2,
    })
    expect(await site.manage('DELETE', '/posts/a?events=none')).toEqual({ eventsNotSent: 2 })
    expect((await site.tryManage('PUT', '/posts?events=some', put('draft'))).status).toBe(400)
    await site.put('c', { qualityBand: 'standard' })
    await site.manage('PUT', '/posts/c/readiness')
    expect((await outboxOf(site)).map(({ event }) => event)).toEqual(['article.ready', 'article.ready'])
  })

  it('does not delay other sites, and is not delayed itself: the queue gets many events in batches', async () => {
    const site = await listening(['post.published'])
    const sent: { kind?: string }[] = []
    const queue = {
      ...lossyQueue,
      send: async (body: { kind?: string }) => {
        sent.push(body)
        return lossyQueue.send(body as never)
      },
      sendBatch: async (messages: Iterable<{ body: { kind?: string } }>) => {
        for (const { body } of messages) sent.push(body)
        return lossyQueue.sendBatch([])
      },
    }
    const ctx = testContext({ queue: queue as typeof lossyQueue })
    const posts = Array.from({ length: 50 }, (_, at) => ({
      ...post({ status: 'published' }),
      slug: `p-${at}`,
    }))
    await putPosts(ctx, await getSiteScope(ctx, site.id), posts as never)
    expect(sent).toEqual([{ kind: 'events', siteId: site.id }])
    const full = (parse(wrangler) as Settings).queues.consumers[0]!.max_batch_size
    const rounds: number[] = []
    while (sent.some((body) => body.kind === 'events')) {
      sent.splice(
        sent.findIndex((body) => body.kind === 'events'),
        1,
      )
      await enqueueNextEvents(ctx, site.id)
      const next = sent.findIndex((body) => body.kind === 'events')
      // Otherwise it would wait for its batch to fill.
      if (next !== -1) expect(sent.length - next).toBeGreaterThanOrEqual(full)
      rounds.push(sent.filter((body) => body.kind === 'event').length - rounds.reduce((a, b) => a + b, 0))
    }
    expect(rounds).toEqual([20, 20, 10])
    expect(new Set(sent.map((body) => JSON.stringify(body))).size).toBe(50)
  })

  it('is sent by the sweep if the queue has lost its message', async () => {
    const site = await listening(['post.published'])
    const ctx = testContext({ queue: lossyQueue })
    const posts = Array.from({ length: 25 }, (_, at) => ({
      ...post({ status: 'published' }),
      slug: `p-${at}`,
    }))
    await putPosts(ctx, await getSiteScope(ctx, site.id), posts as never)
    await enqueueNextEvents(ctx, site.id)
    const { rows } = await ctx.db.execute(sql`select id from webhook_events where site_id = ${site.id}`)
    for (const { id } of rows as { id: string }[]) {
      await rewind(id, 'created_at', '1 minute')
      await ctx.db.execute(
        sql`update webhook_events set claimed_at = claimed_at - interval '1 minute' where id = ${id}`,
      )
    }
    await runCron()
    await heard(site, 25)
    expect(await received(site)).toHaveLength(25)
  })
})
