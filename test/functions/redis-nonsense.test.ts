import { describe, expect, it, vi } from 'vitest'
import { countersOfActiveSites, countersOfToday } from '../../src/access/counters.ts'
import { rateOf, UNCOUNTED } from '../support/content.ts'
import { bindings, testContext } from '../support/context.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { siteScope } from '../support/scope.ts'
import { call, makeSite } from '../support/site.ts'

/** Replies that Upstash's client accepts, but that do not fit the command. */
const NONSENSE = ['x', '', {}, true, null, [], [7], [null, null], ['7', '5'], [{}, {}], ['a', 'a/one/two']]

/** Redis answers each command with `result`. */
function redisThatSays(result: unknown) {
  interceptFetch(async (fetch, input, init) => {
    if (!String(input).startsWith(String(bindings.UPSTASH_REDIS_REST_URL))) return fetch(input, init)
    const isPipeline = String(input).endsWith('/pipeline')
    const commands = JSON.parse(String(init?.body)) as unknown[]
    return Response.json(isPipeline ? commands.map(() => ({ result })) : { result })
  })
}

describe('with a Redis that replies', () => {
  it('nonsense, requests are served without rate headers', async () => {
    const site = await makeSite({ dailyQuota: 50 })
    await site.put('a')
    const etag = (await site.get('/posts')).headers.get('ETag')!
    for (const reply of NONSENSE) {
      redisThatSays(reply)
      const asked = [
        [200, await site.get('/posts')],
        [200, await site.get('/posts/a')],
        [200, await site.get('/sitemap.xml')],
        [404, await site.get('/posts/missing')],
        [304, await site.get('/posts', { headers: { 'If-None-Match': etag } })],
      ] as const
      for (const [status, response] of asked) {
        expect(response.status, JSON.stringify(reply)).toBe(status)
        expect(rateOf(response)).toEqual(UNCOUNTED)
      }
      const ctx = testContext()
      const scope = siteScope({ id: site.id, dailyQuota: 50 })
      for (const counters of [
        await countersOfToday(ctx, scope, new Date()),
        await countersOfActiveSites(ctx, new Date()),
      ]) {
        expect(JSON.stringify(counters)).not.toContain('"used":null')
      }
      vi.restoreAllMocks()
    }
  })

  it('"x", wrong operator tokens are counted by the isolate', async () => {
    redisThatSays('x')
    const headers = { 'CF-Connecting-IP': crypto.randomUUID() }
    const statuses = []
    for (let attempt = 1; attempt <= 6; attempt++) {
      statuses.push((await call('/manage/v1/sites', { key: 'wrong', headers })).status)
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  })
})
