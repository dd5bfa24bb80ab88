import { describe, expect, vi } from 'vitest'
import { createCaches } from '../../src/caches.ts'
import { connectRedis } from '../../src/core/redis.ts'
import { withSeqlock } from '../../src/freshness/site-versions.ts'
import { testContext } from '../support/context.ts'
import { it } from '../support/site.ts'

/** A writer without Redis, in an isolate of its own, and the messages that it sends. */
function writerWithoutRedis() {
  const sent: { siteId: string; delaySeconds: number | undefined }[] = []
  const config = { ...testContext().config, UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }
  let isQueueAway = false
  const later: number[] = []
  const ctx = testContext({
    redis: connectRedis(config, 1_000),
    caches: createCaches(),
    takesEffectLater: (ms) => void later.push(ms),
    queue: {
      send: async (message: unknown, options?: { delaySeconds?: number }) => {
        if (isQueueAway) throw new Error('away')
        sent.push({ siteId: (message as { siteId: string }).siteId, delaySeconds: options?.delaySeconds })
      },
    } as never,
  })
  const write = (siteId: string) =>
    withSeqlock(ctx, siteId, async () => ({ result: null, versions: undefined }))
  const setQueueAway = (away: boolean) => {
    isQueueAway = away
  }
  return { sent, later, write, setQueueAway }
}

describe('during an outage of Redis', () => {
  it('all writes of a site send one message, and each site sends its own', async () => {
    const { sent, later, write } = writerWithoutRedis()
    vi.useFakeTimers({ toFake: ['Date'] })
    await Promise.all(Array.from({ length: 10 }, () => write('one')))
    for (let i = 0; i < 3; i++) await write('one')
    await write('other')
    expect(sent).toEqual([
      { siteId: 'one', delaySeconds: 10 },
      { siteId: 'other', delaySeconds: 10 },
    ])
    expect(later).toEqual(Array.from({ length: 14 }, () => 60_000))
  })

  it('a write after the message was delivered sends the next one', async () => {
    const { sent, write } = writerWithoutRedis()
    vi.useFakeTimers({ toFake: ['Date'] })
    await write('one')
    vi.setSystemTime(Date.now() + 9_999)
    await write('one')
    expect(sent).toHaveLength(1)
    vi.setSystemTime(Date.now() + 2)
    await write('one')
    expect(sent).toHaveLength(2)
  })

  it('the next write tries the queue again if it is down, too', async () => {
    const { sent, later, write, setQueueAway } = writerWithoutRedis()
    setQueueAway(true)
    await write('one')
    expect(later[0]).toBeGreaterThan(60_000)
    setQueueAway(false)
    await write('one')
    expect(sent).toHaveLength(1)
  })

  it('the log has the names of commands, never their keys and values', async ({ site }) => {
    await site.put('a')
    const lines: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
    const { fetch } = globalThis
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) =>
      String(init?.body).includes(':versions:')
        ? Response.json({ error: 'ERR max requests limit exceeded' }, { status: 400 })
        : fetch(input, init),
    )
    await site.put('a', { title: 'Second' })
    await site.get('/posts')
    const failures = lines.filter((line) => line.includes('max requests limit exceeded'))
    expect(failures.length).toBeGreaterThan(0)
    for (const line of failures) {
      expect(line).not.toContain(':versions:')
      expect(line).not.toContain('redis.call')
      expect(line).toMatch(/command was: \w+"/)
    }
  })
})
