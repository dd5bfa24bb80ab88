/** Invalid answers of the API. */
import { expect, it } from 'vitest'
import type { Stage } from './stage.ts'

export function failures(on: Stage): void {
  it.each([
    ['401', { status: 401, body: '{"error":"Missing or invalid API key"}' }, 0],
    [
      '429',
      { status: 429, headers: { 'Retry-After': '7200' }, body: '{"error":"Daily request quota exceeded"}' },
      7_200,
    ],
    ['429 until a date', { status: 429, headers: {} }, 7_200],
    ['500', { status: 500, body: '{"error":"Internal error"}' }, 60],
    ['502 from another server', { status: 502, body: '<h1>Bad gateway</h1>' }, 60],
    ['200 that is not a page', { status: 200, body: '{"items":"all"}' }, 60],
    ['200 that is truncated', { status: 200, body: '{"items":[' }, 60],
    [
      '200 that is too large',
      { status: 200, body: `{"items":[],"cursor":"x","hasMore":false,"more":"${'x'.repeat(11 * 2 ** 20)}"}` },
      60,
    ],
    ['redirect', { status: 302, headers: { Location: 'http://127.0.0.1:9/' } }, 0],
    ['no answer', 'hang', 60],
  ] as const)('keeps its position after %s, and retries in time', async (name, instead, wait) => {
    const { site } = await on.connected()
    await on.putReady(site, 'before')
    await on.quay.follow()
    const { cursor } = await on.quay.state()
    await on.putReady(site, 'after')
    const inTwoHours = {
      status: 429,
      headers: { 'Retry-After': new Date(Date.now() + 7_200_000).toUTCString() },
    }
    on.quay.answer(() => (name === '429 until a date' ? inTwoHours : instead))
    const { problem } = await on.quay.follow()
    expect(problem).not.toBe('')
    const state = await on.quay.state()
    expect(state.cursor).toBe(cursor)
    expect(Number(state.not_before) - Date.now() / 1_000).toBeGreaterThan(wait - 30)
    expect(Number(state.not_before) - Date.now() / 1_000).toBeLessThanOrEqual(wait + 1)
    expect(await on.why('content API cannot be read')).toHaveLength(1)
    // The cron respects it.
    on.quay.answer(() => undefined)
    if (wait > 0) {
      await on.quay.run('HeadlessContent\\follow_feed_by_cron();')
      expect(await on.quay.post('after')).toBeUndefined()
    }
    expect((await on.quay.follow()).counts).toEqual({ made: 1 })
    expect(await on.why('content API answers again')).toHaveLength(1)
  })
}
