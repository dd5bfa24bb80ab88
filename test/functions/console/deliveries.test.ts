import { describe, expect, it } from 'vitest'
import { curlCommand } from '../../../functions/console/integrations/curl.ts'
import { describeOutcome } from '../../../functions/console/integrations/outcome.ts'
import { markPostReady } from '../../../src/content/posts/readiness.ts'
import { eventKinds } from '../../../src/core/enums.ts'
import { oneOf } from '../../../src/core/zod.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { outcomes, selectDeliveries } from '../../../src/webhooks/log.ts'
import { deliveryErrors } from '../../../src/webhooks/outcome.ts'
import { startResend } from '../../../src/webhooks/resend.ts'
import { browse, decode, errorBeside, formIn, wordsOf } from '../../support/console.ts'
import { putGuide } from '../../support/content.ts'
import { lossyQueue, testContext } from '../../support/context.ts'
import { hand, lostEvent, lostEvents } from '../../support/outbox.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook, deliveries, received, setWebhook } from '../../support/webhook.ts'

/** The pages of the log; `list` takes a query. */
async function logOf(site: TestSite) {
  const pages = await browse(site, '/integrations')
  return { site, ...pages, list: (query = '') => pages.open(`/deliveries${query}`) }
}

/** A site with one sent `article.ready`. */
async function sentEvent(script = 'ok') {
  const { site, eventId } = await lostEvent(script)
  await hand([{ kind: 'event', eventId }])
  const [delivery] = await deliveries(site)
  return { eventId, delivery: delivery!, page: `/deliveries/${delivery!.id}`, ...(await logOf(site)) }
}

type Row = { event?: string; status?: number; error?: string }

/** A site with deliveries in its log, a second apart, newest first. */
async function logged(rows: Row[]) {
  const site = await makeSite()
  await setWebhook(site, 'ok')
  for (const [i, { event = 'webhook.test', status = null, error = null }] of rows.entries()) {
    const state = error ? 'failed' : status ? 'delivered' : 'sending'
    await runSql(
      `with e as (
         insert into webhook_events (site_id, endpoint_id, event, payload, created_at, state)
         values ($1, $1, $2, '{}', now() - make_interval(secs => $3), $4) returning id, site_id
       )
       insert into webhook_deliveries (event_id, site_id, url, status, error, attempted_at)
       select id, site_id, $5, $6, $7, now() - make_interval(secs => $3) from e`,
      [site.id, event, i, state, `https://n${i}.example.org/`, status, error],
    )
  }
  return logOf(site)
}

/** Sent events of posts with these titles, by slug. */
async function sentAbout(titles: Record<string, string>, script = 'ok') {
  const site = await makeSite()
  await setWebhook(site, script)
  for (const [slug, title] of Object.entries(titles)) {
    await site.put(slug, { title, trustScore: 91 })
    const ctx = testContext({ queue: lossyQueue })
    const { eventId } = await markPostReady(ctx, await getSiteScope(ctx, site.id), slug)
    await hand([{ kind: 'event', eventId }])
  }
  return logOf(site)
}

const OUTCOMES: Row[] = [
  { status: 200 },
  { error: 'timeout' },
  {},
  { status: 500, error: 'http_status' },
  { error: 'endpoint_removed' },
]
const shownIn = ({ text }: { text: string }) =>
  [...text.matchAll(/\/deliveries\/([0-9a-f-]{36})/g)].map(([, id]) => id)
const titlesIn = ({ text }: { text: string }) =>
  [...text.matchAll(/<tr role="row"><th scope="row"[^>]*><a[^>]*>([^<]+)<\/a>/g)]
    .map(([, title]) => title)
    .toSorted()

describe('the list of deliveries', () => {
  it('is filtered by outcome, event and time, on the page as in the API', async () => {
    const { site, list } = await logged(OUTCOMES)
    const all = await deliveries(site)
    const times = new URLSearchParams({ since: all[2]!.attemptedAt, until: all[0]!.attemptedAt })
    for (const [query, expected] of [
      ['outcome=delivered', [0]],
      ['outcome=failed', [1, 3, 4]],
      ['outcome=not_arrived', [1, 3, 4]],
      ['outcome=not_sent', [4]],
      ['outcome=under_way', [2]],
      ['event=article.ready', []],
      ['event=webhook.test&outcome=failed', [1, 3, 4]],
      [String(times), [1, 2]],
    ] as const) {
      const ids = expected.map((at) => all[at]!.id)
      const { items } = await site.manage('GET', `/deliveries?${query}`)
      expect([query, items.map(({ id }) => id)]).toEqual([query, ids])
      expect([query, shownIn(await list(`?${query}`))]).toEqual([query, ids])
    }
    expect(wordsOf(await list('?event=article.ready'))).toContain('No deliveries match')
    expect(wordsOf(await list())).toMatch(/Test event .*5 events of the last 90 days/)
  })

  it('counts the causes why events have not arrived, and each links to its events', async () => {
    const { list } = await logged([...OUTCOMES, { error: 'timeout' }, { status: 503, error: 'http_status' }])
    const page = await list('?event=webhook.test')
    expect(wordsOf(page)).toContain(
      'Last 90 days, failed: Timed out 2 · No webhook 1 · HTTP 500 1 · HTTP 503 1',
    )
    // The share counts all webhooks and events, so it would contradict a filtered list.
    expect(wordsOf(page)).not.toContain('in 24 h')
    const everything = await list()
    expect(wordsOf(everything)).toContain('16% delivered in 24 h')
    expect(everything.text).toContain('Deliveries per hour: 1 delivered and 5 failed')
    const links = [...page.text.matchAll(/<a href="([^"]*cause=[^"]*)"/g)].map(([, link]) => decode(link!))
    expect(links[2]).toMatch(/\?event=webhook.test&outcome=not_arrived&cause=500$/)
    const shown = await Promise.all(links.map((link) => list(link.slice(link.indexOf('?')))))
    expect(shown.map((each) => shownIn(each).length)).toEqual([2, 1, 1, 1])
    expect(wordsOf(shown[2]!)).toContain('Failed HTTP 500')
  })

  it('has a row for each event and webhook, with its last attempt, in the order of the events', async () => {
    const { site, eventId, list, open, submit } = await sentEvent('status/500')
    await setWebhook(site, 'ok')
    const { id } = await addWebhook(site, 'status/503/other')
    // Recent enough not to be pruned by a concurrent sweep.
    await runSql(`update webhook_events set created_at = now() - interval '10 days' where id = $1`, [eventId])
    const resent = await site.manage('POST', `/events/${eventId}/resends`)
    await submit(`/webhooks/${id}/tests`)
    const page = await list()
    expect(wordsOf(page)).toMatch(
      /Failed HTTP 503 .* Delivered 200 in .* resent .* UTC .* UTC 2 events of the last/,
    )
    // The list is sorted by the event, so a row shows its time.
    const times = [...page.text.matchAll(/<time datetime="([^"]+)"[^>]*>[^<]*<\/time><\/td>/g)].map(
      ([, at]) => at!,
    )
    expect(times).toEqual(times.toSorted().toReversed())
    expect(shownIn(page)[1]).toBe(resent.id)
    const ofOne = await list(`?webhook=${id}`)
    expect(shownIn(ofOne)).toHaveLength(1)
    expect(ofOne.text).toContain(`name="webhookId" value="${id}"`)
    expect(decode((await open()).text)).toContain(
      `/integrations/deliveries?outcome=not_arrived&webhook=${id}">0%</a>`,
    )
  })

  it('has a row with the title for each webhook of an event', async () => {
    const { site, list } = await sentAbout({ roses: 'Roses', tulips: 'Tulips' })
    const { id } = await addWebhook(site, 'ok/other')
    // As in one write of several posts.
    await runSql('update webhook_events set created_at = now() where site_id = $1', [site.id])
    await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload, state, created_at)
       select site_id, $2, event, resource, resource_id, slug, payload, 'pending', created_at
       from webhook_events where site_id = $1`,
      [site.id, id],
    )
    const page = await list()
    expect(page.text.match(/<tr role="row">/g)).toHaveLength(5)
    for (const title of ['Roses', 'Tulips'])
      expect(page.text.match(new RegExp(`<th [^>]*><(?:a|bdi)[^>]*>${title}<`, 'g'))).toHaveLength(2)
    expect(shownIn(page)).toHaveLength(2)
  })

  it('shows pending events, which have no page yet', async () => {
    const { list } = await logOf((await lostEvent()).site)
    const page = await list('?outcome=under_way')
    expect(wordsOf(page)).toMatch(/A title article.ready Sending waiting to be sent \d+ \w+ 20/)
    expect(shownIn(page)).toEqual([])
  })

  it('with an invalid filter has an error at its field, and ignores unknown options', async () => {
    const { site, list } = await logged([{}])
    const event = await site.tryManage('GET', '/deliveries?event=none')
    expect(event.body?.error).toContain(`event must be ${oneOf(eventKinds)}`)
    const all = await list('?outcome=pending&cause=none&event=none&webhook=x')
    expect([all.status, shownIn(all).length]).toEqual([200, 1])
    const page = await list('?outcome=lost&since=x')
    expect([page.status, shownIn(page)]).toEqual([400, []])
    expect(errorBeside('since', page)).toBe('From must be a date and time.')
  })

  it('is counted and paged, and keeps the filter', async () => {
    const { list, open } = await logged(Array.from({ length: 55 }, () => ({ status: 200 })))
    const first = await list('?outcome=delivered')
    expect(wordsOf(first)).toContain('55 events')
    const href = /href="([^"]*integrations\/deliveries\?[^"#]*cursor=[^"#]*)">\s*Next page/.exec(
      first.text,
    )![1]!
    expect(href).toContain('outcome=delivered')
    const second = await open(decode(href))
    expect([shownIn(first).length, shownIn(second).length]).toEqual([50, 5])
    expect(new Set([...shownIn(first), ...shownIn(second)]).size).toBe(55)
    expect(wordsOf(second)).toContain('First page')
    expect(wordsOf(second)).not.toContain('Next page')
  })

  it('has only what has not arrived since: the last attempt for each event, unless another was delivered', async () => {
    const { site, list } = await sentAbout({ lost: 'Lost', resent: 'Resent', twice: 'Twice' }, 'status/500')
    const [twice, resent] = await deliveries(site)
    await site.manage('POST', `/events/${twice!.eventId}/resends`)
    await setWebhook(site, 'ok')
    await site.manage('POST', `/events/${resent!.eventId}/resends`)
    const page = await list('?outcome=not_arrived')
    expect(titlesIn(page)).toEqual(['Lost', 'Twice'])
    expect(shownIn(page)).not.toContain(twice!.id)
    expect(titlesIn(await list(`?outcome=not_arrived&since=${new Date().toISOString()}`))).toEqual([])
  })
})

describe('finding deliveries', () => {
  it('works like finding posts, by the current and the former slug, or by the start of an event id', async () => {
    const { site, list } = await sentAbout({ 'node-18-0-0': 'Open Source News', straße: 'ÜBER 100%' })
    const [other, delivery] = await deliveries(site)
    await site.manage('PUT', '/posts/node-18-0-0/slug', { slug: 'latest' })
    const found = async (search: string) => shownIn(await list(`?${new URLSearchParams({ search })}`))
    for (const search of ['news OPEN', '18.0.0', 'open-source  news', 'latest news'])
      expect([search, await found(search)]).toEqual([search, [delivery!.id]])
    expect(await found('über 100%')).toEqual([other!.id])
    const { eventId } = delivery!
    for (const search of [eventId, eventId.slice(0, 8), eventId.slice(0, 16).toUpperCase()])
      expect([search, await found(search)]).toEqual([search, [delivery!.id]])
    // Too short for the start of an id, and text that only looks like one.
    for (const search of ['10_%', '18.0.0 unheard-of', eventId.slice(0, 3), 'abcdef-', `${eventId}0`])
      expect([search, await found(search)]).toEqual([search, []])
  })

  it('works for guides, which have a title and a link like posts', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    const guide = await putGuide(site, 'tides', { title: 'Über the tides' })
    const rows = await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
       values ($1, $1, 'guide.published', 'guide', $2, 'tides', '{}') returning id`,
      [site.id, guide.id],
    )
    await hand([{ kind: 'event', eventId: rows[0]!.id }])
    const { list, open, at } = await logOf(site)
    const event = { event: 'guide.published', postId: null, slug: 'tides' }
    const [delivery] = await deliveries(site)
    expect(delivery).toMatchObject({ ...event, title: 'Über the tides', status: 200 })
    expect((await site.manage('GET', '/events')).items).toMatchObject([event])
    for (const search of ['uber TIDES', 'tides'])
      expect(shownIn(await list(`?${new URLSearchParams({ search })}`))).toEqual([delivery!.id])
    const page = await open(`/deliveries/${delivery!.id}`)
    expect(wordsOf(page)).toContain('Guide Über the tides')
    expect(page.text).toContain(`href="${at().replace('integrations', 'content/guides/tides')}"`)
    await site.manage('DELETE', '/guides/tides')
    expect(wordsOf(await open(`/deliveries/${delivery!.id}`))).toContain('Guide tides (deleted)')
  })

  it('names the site in every part of the query', async () => {
    const site = await makeSite()
    const filter = { search: 'abcdef', outcome: 'not_arrived', event: 'article.ready' } as const
    const query = selectDeliveries(testContext(), site, { limit: 1, cursor: null }, filter)
    const { sql: text, params } = query.toSQL()
    const tables = text.match(/(?:from|join) "(?:webhook_events|post_titles)"/g)
    // One more for the deliveries themselves.
    expect(params.filter((value) => value === site.id)).toHaveLength(tables!.length + 1)
    const ofEvent = text.match(
      /from "(?:posts|guides)" (\w) where \1\.site_id = (?:"webhook_events"|e)\.site_id/g,
    )
    expect(ofEvent).toHaveLength(text.match(/from "(?:posts|guides)"/g)!.length)
  })
})

describe('resending all failed events', () => {
  async function failed(error = 'timeout') {
    const { site } = await lostEvents('ok', 3)
    await runSql("update webhook_events set state = 'failed', finished_at = now() where site_id = $1", [
      site.id,
    ])
    await runSql(
      `insert into webhook_deliveries (event_id, site_id, url, error)
      select id, site_id, 'https://cms.example.org/', $2 from webhook_events where site_id = $1`,
      [site.id, error],
    )
    return logOf(site)
  }
  it('asks first, shows progress, can be stopped and continued, and reports the outcome', async () => {
    const { site, list, submit } = await failed()
    expect(wordsOf(await list())).toContain('Resend failed')
    const asked = await submit('/resends')
    expect(asked.words).toMatch(
      /Resend failed events .* Events Last failed 127\.0\.0\.1\S* 3 \d+ \w+ 20\d\d, \S+ UTC/,
    )
    expect(await site.manage('GET', '/resends')).toMatchObject({ items: [] })
    const decided = formIn(asked, 'Resend 3 events')
    expect(decided.fields).toEqual({ failedUntil: expect.stringMatching(/Z$/), confirmed: 'yes' })
    // Nothing is sent: its message is late.
    const { resend } = await startResend(testContext({ queue: lossyQueue }), site, {})
    const running = await list()
    expect(wordsOf(running)).toContain(
      'Resending: 0 of 3 sent. 0 delivered, 0 failed again. You can leave this page',
    )
    expect(running.text).toContain('<progress max="3" value="0"')
    expect(wordsOf(running)).not.toContain('Resend failed')
    expect((await submit('/resends', decided.fields)).words).toContain('A resend is already running.')
    const stopped = await submit(formIn(running, '/stop').action)
    expect(stopped.words).toMatch(
      /Resend stopped .* UTC ?: 0 delivered, 0 failed again\. 3 events not sent\./,
    )
    const rest = formIn(stopped.page, 'Resend the remaining 3')
    expect(rest.fields).toEqual({ failedUntil: resend.failedUntil, confirmed: 'yes' })
    // A filter hides the failures, but not the way to resend them.
    expect(formIn(await list('?search=none'), 'Resend the remaining 3').fields).toEqual(rest.fields)
    await submit('/resends', rest.fields)
    await expect
      .poll(async () => wordsOf(await list()))
      .toMatch(/Resend finished .* UTC ?: 3 delivered, 0 failed again\./)
    expect(wordsOf(await list())).not.toContain('Failed:')
    expect((await submit('/resends')).words).toContain('No failed events are left to resend')
  })

  it('does not start without a webhook, or by a forged form', async () => {
    const { site, list, submit } = await failed()
    expect((await submit('/resends', { failedUntil: 'x' })).status).toBe(400)
    await site.manage('DELETE', '/webhook')
    expect(wordsOf(await list())).not.toContain('Resend failed')
    expect((await submit('/resends')).words).toContain('The webhook has been removed')
  })

  it('offers events that may have arrived separately', async () => {
    const { list, submit } = await failed('interrupted')
    const { words } = await submit('/resends')
    expect(words).toContain('No events were resent ')
    expect(words).toContain(
      'Left out: 3 events that may have been delivered, because the service stopped while sending.',
    )
    expect((await list()).text).toMatch(
      /name="includeInterrupted" value="on"[^>]*>(?:<input[^>]*>)*<button[^>]*>\s*Resend interrupted events/,
    )
  })

  it('is limited to the webhook and time of the filter, and shows the number first', async () => {
    const { site, list, submit } = await failed()
    const other = await addWebhook(site, 'ok/other')
    await site.manage('PATCH', `/webhooks/${other.id}`, { name: 'Search' })
    const [early, late, ofFirst] = await runSql('select id from webhook_events where site_id = $1', [site.id])
    const move = (id: unknown, endpoint: string, at: string) =>
      runSql('update webhook_events set endpoint_id = $2, created_at = $3, finished_at = $3 where id = $1', [
        id,
        endpoint,
        at,
      ])
    const [before, during] = [4, 2].map((hours) => new Date(Date.now() - hours * 3_600_000).toISOString())
    await move(early!.id, other.id, before!)
    await move(late!.id, other.id, during!)
    await move(ofFirst!.id, site.id, during!)
    const filter = { webhook: other.id, since: new Date(Date.now() - 3 * 3_600_000).toISOString() }
    const { fields } = formIn(await list(`?${new URLSearchParams(filter)}`), '/resends')
    expect(fields).toEqual({ webhookId: other.id, failedSince: filter.since })
    const asked = await submit('/resends', fields)
    expect(asked.words).toMatch(/Webhook All .* Search Failed since .* Search 1 .* Resend 1 event/)
    // The same page counts another range.
    const both = await submit('/resends', { webhookId: other.id, failedSince: '' })
    expect(both.words).toContain('Resend 2 events')
    const none = await submit('/resends', { webhookId: other.id, failedSince: new Date().toISOString() })
    expect(none.words).toContain('No failed events match.')
    expect(await site.manage('GET', '/resends')).toMatchObject({ items: [] })
    await submit('/resends', formIn(asked, 'Resend 1 event').fields)
    await expect.poll(async () => wordsOf(await list())).toMatch(/Resend finished .* UTC ?: 1 delivered/)
    const left = await runSql("select id from webhook_events where site_id = $1 and state = 'failed'", [
      site.id,
    ])
    expect(left.map(({ id }) => id).toSorted()).toEqual([early!.id, ofFirst!.id].toSorted())
    expect((await received(site)).map(({ path }) => path.split('/').at(-1))).toEqual(['other'])
  })
})

describe('a delivery', () => {
  it('shows the exact bytes of the request, also for a shell, and the response', async () => {
    const { site, delivery, page, open } = await sentEvent()
    const { text } = await open(page)
    const [post] = await received(site)
    const shown = decode(text)
    expect(shown).toContain(`<code>${post!.body}</code>`)
    for (const name of ['X-Service-Signature', 'X-Service-Timestamp', 'webhook-signature', 'webhook-id'])
      expect(shown).toContain(`${name}: ${post!.headers[name.toLowerCase()]}`)
    expect(wordsOf({ text })).toMatch(
      /A title article\.ready .*Delivered in \d+ ms\. The receiver responded with 200.* thanks/,
    )
    const { request, url } = await site.manage('GET', `/deliveries/${delivery.id}`)
    const headers = Object.entries(request!.headers).sort(([a], [b]) => a.localeCompare(b, 'en'))
    expect(shown).toContain(curlCommand(url, headers, request!.body))
  })

  it('links to its post, also after a rename, and says when the post is deleted', async () => {
    const { site, page, open } = await sentEvent()
    await site.manage('PUT', '/posts/draft/slug', { slug: 'b' })
    expect((await open(page)).text).toContain(`${site.id}/content/posts/b"`)
    await site.manage('DELETE', '/posts/b')
    expect(wordsOf(await open(page))).toContain('Post draft (deleted)')
  })

  it('links to its neighbours in the list, such as that of failures', async () => {
    const { site, open, list } = await logged([
      { error: 'timeout' },
      { status: 200 },
      { error: 'tls' },
      { event: 'article.ready', status: 200 },
      { event: 'article.ready', error: 'dns' },
    ])
    const ids = (await deliveries(site)).map(({ id }) => id)
    const linksOf = ({ text }: { text: string }) =>
      Object.fromEntries(
        [...text.matchAll(/deliveries\/([0-9a-f-]{36})[^"]*" title="(Previous|Next)"/g)].map(
          ([, id, name]) => [name, ids.indexOf(id!)],
        ),
      )
    expect(linksOf(await open(`/deliveries/${ids[2]}`))).toEqual({ Previous: 1, Next: 3 })
    const failures = await list('?outcome=not_arrived')
    const [, link] = new RegExp(`href="[^"]*integrations(/deliveries/${ids[2]}[^"]*)"`).exec(failures.text)!
    expect(linksOf(await open(decode(link!)))).toEqual({ Previous: 0, Next: 4 })
  })

  it('can be resent, and both attempts say and link to what became of the event', async () => {
    const { site, eventId, delivery, page, list, open, submit } = await sentEvent('status/500')
    await setWebhook(site, 'ok')
    expect(wordsOf(await open(page))).toContain('The webhook has a new URL')
    const resent = await submit(`${page}/resends`)
    expect(resent.words).toMatch(/Delivered in \d+ ms\. .* resent manually .* Other attempts .* HTTP 500/)
    expect(resent.page.text).toContain(`${page}"`)
    expect(wordsOf(await list())).toMatch(/Delivered 200 in .* resent/)
    expect(wordsOf(await open(page))).toContain('Delivered later. The event was resent.')
    const [successful] = await deliveries(site)
    // More attempts than the page lists.
    await runSql(
      `insert into webhook_deliveries (event_id, site_id, url, status, attempted_at)
       select $1, $2, 'https://cms.example.org/', 200, now() + make_interval(secs => n) from generate_series(1, 25) n`,
      [eventId, site.id],
    )
    const link = `/deliveries/${successful!.id}">View the successful attempt`
    expect((await open(`/deliveries/${delivery.id}`)).text).toContain(link)
    expect((await open(`/deliveries/${successful!.id}`)).text).not.toContain('View the successful attempt')
  })

  it('that cannot be resent says why', async () => {
    const { site, eventId, page, open, submit } = await sentEvent()
    const setState = (state: string) =>
      runSql('update webhook_events set state = $2, claimed_at = now() where id = $1', [eventId, state])
    await setState('sending')
    expect((await submit(`${page}/resends`)).words).toContain('is being sent right now')
    await setState('delivered')
    // Readers may not see the event yet.
    const unseen = await submit(
      `${page}/resends`,
      {},
      { world: { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' } },
    )
    expect(unseen.location).toContain('?refused=unseen')
    expect(unseen.words).toContain('Part of the service is unavailable')
    await site.manage('DELETE', '/webhook')
    expect((await open(page)).text).not.toContain('Resend')
    expect((await submit(`${page}/resends`)).words).toContain('The webhook has been removed')
    expect(await received(site)).toHaveLength(1)
  })

  it('that was never sent says so', async () => {
    const { site, eventId } = await lostEvent()
    await site.manage('DELETE', '/webhook')
    await hand([{ kind: 'event', eventId }])
    const [delivery] = await deliveries(site)
    expect(await (await logOf(site)).read(`/deliveries/${delivery!.id}`)).toMatch(
      /No webhook\. Nothing was sent because .* Add a webhook, then resend this event/,
    )
  })
})

describe('a response', () => {
  it.each([
    ['that is cut', 'endless', /Response \(first 1,024 bytes\)/],
    ['that arrives too late', 'silent', /No body arrived within half a second\./],
    ['that is empty', 'status/204', /The response had no body\./],
  ])('%s is not shown as a complete one', async (_, script, words) => {
    const { page, open } = await sentEvent(script)
    expect(wordsOf(await open(page))).toMatch(words)
  })

  it('that redirects shows its target, and the usual headers', async () => {
    const { delivery, page, open } = await sentEvent('redirect/308')
    const words = wordsOf(await open(page))
    expect(words).toContain(
      `Change the webhook URL to the target of the redirect: ${delivery.url.replace(/redirect.*/, 'elsewhere')}`,
    )
    expect(words).toContain('location: ../elsewhere')
  })
})

describe('the advice', () => {
  it.each([
    [401, 'refused the signature'],
    [404, 'There is nothing at this path'],
    [405, 'does not accept POST'],
    [429, 'limits the request rate'],
    [418, 'See the response below'],
    [503, 'Usually a proxy responds like this'],
  ])('for a status of %i', (status, words) => {
    const { name, advice } = describeOutcome({ status, error: 'http_status' })
    expect([name, advice]).toEqual([`HTTP ${status}`, expect.stringContaining(words)])
  })

  it.each([
    ['https://b.example/hook', 'https://b.example/hook'],
    ['/hook/', 'https://a.example/hook/'],
    [`https://b.example/${'x'.repeat(181)}…`, `https://b.example/${'x'.repeat(181)}…`],
  ])('for a redirect shows the location %s as the URL %s', (location, target) => {
    expect(adviceFor({ location })).toBe(`Change the webhook URL to the target of the redirect: ${target}`)
  })

  it('for a redirect works without a location', () => {
    for (const none of [null, {}, { location: '' }] as (Record<string, string> | null)[])
      expect(adviceFor(none)).toMatch(/^Change the webhook URL .* is missing\.$/)
  })

  const adviceFor = (answerHeaders: Record<string, string> | null) =>
    describeOutcome({ status: 308, error: 'redirect', url: 'https://a.example/in/hook', answerHeaders })
      .advice

  it('exists for every failure, with a name and an explanation, and each can be used as a filter', () => {
    for (const error of deliveryErrors) {
      const { name, happened, advice } = describeOutcome({ error, status: 418 })
      expect([error, name, happened.length > 10, advice.length > 10]).toEqual([
        error,
        expect.any(String),
        true,
        true,
      ])
      expect(outcomes).toContain(error)
    }
  })
})
