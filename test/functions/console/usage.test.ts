import { describe, expect, it } from 'vitest'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { getUsage } from '../../../src/sites/usage.ts'
import { browse, wordsOf } from '../../support/console.ts'
import { makeKey } from '../../support/content.ts'
import { testContext } from '../../support/context.ts'
import { runFullSweep } from '../../support/outbox.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

const usageOf = async (site: TestSite, world: Record<string, string> = {}, below = '/usage') =>
  (await browse(site)).open(below, { world })

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const countDay = (site: TestSite, day: string, requests: number) =>
  runSql(
    `insert into daily_usage (site_id, day, requests) values ($1, $2, $3)
     on conflict (site_id, day) do update set requests = excluded.requests`,
    [site.id, day, requests],
  )

/** Attempts in the log. */
async function attempt(site: TestSite, outcome: { status?: number; error?: string; daysAgo?: number }) {
  const { status = null, error = null, daysAgo = 0 } = outcome
  await runSql(
    `with event as (
       insert into webhook_events (site_id, endpoint_id, event, payload, state) values ($1, $1, 'webhook.test', '{}', 'delivered')
       returning id
     )
     insert into webhook_deliveries (event_id, site_id, url, status, error, attempted_at)
     select id, $1, 'https://cms.example.org', $2, $3, now() - make_interval(days => $4) from event`,
    [site.id, status, error, daysAgo],
  )
}

/** The numbers of a chart's table, oldest day first. */
const chartOf = ({ text }: { text: string }, label = 'Requests per day') => {
  const table = new RegExp(`<caption>${label}</caption>[\\s\\S]*?</table>`).exec(text)?.[0] ?? ''
  return [...table.matchAll(/<td>([\d,]+)<\/td>/g)].map(([, count]) => Number(count!.replaceAll(',', '')))
}

describe('requests', () => {
  it('of today are shown with the quota and the time to the reset, also after the quota was lowered', async () => {
    const site = await makeSite({ dailyQuota: 1_500 })
    for (let times = 0; times < 3; times++) await site.get('/posts')
    const page = await usageOf(site)
    expect(wordsOf(page)).toMatch(/3 of 1,500 requests Resets in (\d+ h )?\d+ min, at 00:00 UTC/)
    expect(page.text).toContain('<progress max="1500" value="3" aria-label="Requests used today">')
    await site.manage('PATCH', '', { dailyQuota: 2 })
    const ctx = testContext()
    const { today, days } = await getUsage(ctx, await getSiteScope(ctx, site.id), new Date())
    expect([today?.full, days.at(-1)?.requests]).toEqual([{ limit: 2, used: 3 }, 3])
  })

  it('are shown with the right severity, on the API page too', async () => {
    const site = await makeSite({ dailyQuota: 5 })
    const { open, read } = await browse(site)
    const warning = "80% of today's quota is used."
    const usedUp = "Today's quota is used up. The API returns 429 until 00:00 UTC, in "
    let made = 0
    for (const [requests, bar, words, onApiPage] of [
      [3, '', '3 of 5 requests Resets in', ''],
      [4, ' class="warning"', `4 of 5 requests 80% used ${warning} At 100%, the API returns 429`, warning],
      [6, ' class="danger"', `5 of 5 requests Used up ${usedUp}`, usedUp],
    ] as const) {
      for (; made < requests; made++) await site.get('/posts')
      const page = await open('/usage')
      expect(page.text).toContain(`value="${Math.min(made, 5)}" aria-label="Requests used today"${bar}>`)
      expect(wordsOf(page)).toContain(words)
      expect(await read('/api')).toContain(onApiPage)
      expect((await open('/api')).text.includes('class="notice')).toBe(requests > 3)
    }
  })

  it('that nearly use up the quota are shown with the key that made the most, and advice', async () => {
    const site = await makeSite({ dailyQuota: 10 })
    const build = await makeKey(site, { name: 'Site <build>', access: 'published' })
    const crawler = await makeKey(site, { name: 'Crawler', access: 'sitemap' })
    for (let times = 0; times < 2; times++) await site.get('/posts')
    for (let times = 0; times < 5; times++) await site.get('/posts', { key: build.key })
    for (let times = 0; times < 9; times++) await site.get('/sitemap.xml', { key: crawler.key })
    expect(wordsOf(await usageOf(site))).not.toContain('The key Site')
    await site.get('/posts', { key: build.key })
    const page = await usageOf(site)
    expect(wordsOf(page)).toContain('The key Site <build> made 6 of the requests. What to do')
    expect(page.text).toContain(`/docs/keys?site=${site.id}#when-one-key-uses-the-quota-up`)
  })

  it("of sitemap-only keys are shown with their own quota, and in the day's total", async () => {
    const site = await makeSite({ dailyQuota: 1_500 })
    await site.get('/posts')
    expect(wordsOf(await usageOf(site))).not.toContain('Sitemap-only')
    const { key } = await makeKey(site, { access: 'sitemap' })
    for (let times = 0; times < 2; times++) await site.get('/sitemap.xml', { key })
    const page = await usageOf(site)
    expect(wordsOf(page)).toContain('1 of 1,500 requests Sitemap-only keys')
    expect(wordsOf(page)).toContain('their own allowance: 2 of 150 requests. Resets in')
    expect(chartOf(page).at(-1)).toBe(3)
  })

  it('of 30 days are a bar chart, and a table for screen readers', async () => {
    const site = await makeSite()
    await countDay(site, dayBefore(30), 999)
    await countDay(site, dayBefore(29), 1_234)
    await countDay(site, dayBefore(2), 7)
    await site.get('/posts')
    const page = await usageOf(site)
    expect(chartOf(page)).toEqual([1_234, ...Array(26).fill(0), 7, 0, 1])
    expect(page.text.match(/class="chart-bar"/g)).toHaveLength(30)
    expect(page.text).toMatch(/<svg [^>]*aria-hidden="true"/)
    expect(wordsOf(page)).toContain('1,242 in the last 30 days.')
  })

  it('are unknown if the counter is unreachable, and the rest is shown', async () => {
    const site = await makeSite()
    await countDay(site, dayBefore(0), 5)
    const page = await usageOf(site, { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' })
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('The request counter is unreachable.')
    expect(page.text).not.toContain('aria-label="Requests used today"')
    expect(chartOf(page).at(-1)).toBe(5)
  })
})

describe('deliveries', () => {
  it('are counted by outcome', async () => {
    const site = await makeSite()
    for (let times = 0; times < 6; times++) await attempt(site, { status: 200 })
    await attempt(site, { status: 500, error: 'http_status' })
    for (let times = 0; times < 2; times++) await attempt(site, { error: 'timeout' })
    await attempt(site, {})
    await attempt(site, { error: 'dns', daysAgo: 31 })
    const page = await usageOf(site)
    expect(wordsOf(page)).toContain('66% delivered')
    expect(wordsOf(page)).toContain(
      'Deliveries by outcome Outcome Attempts Share Delivered 6 66% Timed out 2 22% ' +
        'HTTP 500 1 11% Sending 1',
    )
  })

  it('that arrived or failed are stacked bars by day, and a table for screen readers', async () => {
    const site = await makeSite()
    for (let times = 0; times < 3; times++) await attempt(site, { status: 200, daysAgo: 2 })
    await attempt(site, { error: 'timeout', daysAgo: 2 })
    await attempt(site, { status: 500, error: 'http_status' })
    await attempt(site, {})
    const page = await usageOf(site)
    expect(chartOf(page, 'Deliveries per day')).toEqual([...Array(27 * 2).fill(0), 3, 1, 0, 0, 0, 1])
    expect(page.text.match(/class="chart-bad"/g)).toHaveLength(2 + 1)
    expect(page.text).toMatch(/<title[^>]*>\d+ \w+: 3 delivered, 1 failed<\/title>/)
  })

  it('and requests have the right explanation when there are none', async () => {
    const site = await makeSite()
    await attempt(await makeSite(), { status: 200 })
    const nothing = 'Nothing sent in the last 30 days '
    const words = wordsOf(await usageOf(site))
    expect(words).toMatch(/No requests in the last 30 days .* Make your first request/)
    expect(words).toContain(
      `${nothing}No webhook is set up. A webhook notifies your CMS when a draft is marked ready. Add webhook`,
    )
    await site.manage('PUT', '/webhook', { url: 'https://cms.example.org/hooks' })
    expect(wordsOf(await usageOf(site))).toContain(
      `${nothing}The webhook is called when a draft is marked ready. Send a test event`,
    )
  })
})

describe('requests by key', () => {
  const csvOf = (site: TestSite, query = '') => usageOf(site, {}, `/usage.csv${query}`)

  const month = dayBefore(0).slice(0, 7)

  /** A site whose key `test` was used twice, a key with a hostile name once, and a preview link once. */
  async function used() {
    const site = await makeSite({ domain: 'keys.example.com' })
    const { key, id } = await makeKey(site, { name: '=1+"2", <b>' })
    for (let times = 0; times < 2; times++) await site.get('/posts')
    const ETag = (await site.get('/posts', { key })).headers.get('ETag')!
    // Neither counts, also in an isolate with empty caches.
    await site.get('/posts', { headers: { 'If-None-Match': ETag } })
    await site.get('/posts?page=2', { headers: { 'If-None-Match': '*' } })
    await runSql('insert into daily_usage (site_id, day, requests) values ($1, $2, 7)', [
      site.id,
      '2025-03-09',
    ])
    return { site, id, key }
  }

  it('are shown by month and by key, count a 304 no more than the quota does, are kept, and are available as CSV', async () => {
    const { site, id } = await used()
    const page = await usageOf(site)
    expect(wordsOf(page)).toMatch(/Month Requests \w+ \d{4} 3 March 2025 7 /)
    expect(wordsOf(page)).toMatch(/Key Requests Share test 2 66% =1\+"2", <b> 1 33%/)
    expect(page.text).toContain('<progress max="3" value="1" aria-label="=1+&quot;2&quot;, &lt;b&gt;"')
    const csv = await csvOf(site)
    expect(csv.text).toBe(
      `month,key,key_id,requests\r\n${month},test,${site.keyId},2\r\n${month},"'=1+""2"", <b>",${id},1\r\n2025-03,,,7\r\n`,
    )
    expect(csv.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(csv.headers.get('Content-Disposition')).toBe(
      `attachment; filename="usage-keys.example.com-${dayBefore(0)}.csv"`,
    )
    const days = await csvOf(site, '?month=2025-03')
    expect(days.text).toBe('day,key,key_id,requests\r\n2025-03-09,,,7\r\n')
    expect(days.headers.get('Content-Disposition')).toContain('usage-keys.example.com-2025-03.csv')
    expect((await csvOf(site, `?month=${month}`)).text).toContain(`${dayBefore(0)},test,${site.keyId},2`)
    const march = await usageOf(site, {}, '/usage?month=2025-03')
    expect(wordsOf(march)).toContain('Keys in March 2025')
    expect(wordsOf(march)).toContain('Other requests 7 100%')
    // A revoked key keeps its name. With the roll-up alone, and again with the counters, nothing is counted twice.
    await site.manage('PUT', `/keys/${id}/revocation`)
    for (const _ of [1, 2]) await runFullSweep()
    for (const world of [{ UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' }, {}] as Record<string, string>[])
      expect(wordsOf(await usageOf(site, world))).toMatch(/test 2 66% =1\+"2", <b> 1/)
  })

  it('exclude refused requests', async () => {
    const site = await makeSite({ dailyQuota: 2 })
    for (let times = 0; times < 4; times++) await site.get('/posts')
    expect((await csvOf(site)).text).toContain(`,test,${site.keyId},2\r\n`)
  })
})
