import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { curlLine } from '../../../functions/console/integrations/curl.ts'
import { describeOutcome } from '../../../functions/console/integrations/outcome.ts'
import { markPostReady } from '../../../src/content/posts/readiness.ts'
import { eventKinds } from '../../../src/core/enums.ts'
import { oneOf } from '../../../src/core/zod.ts'
import { getSiteScope } from '../../../src/sites/sites.ts'
import { outcomes, selectDeliveries } from '../../../src/webhooks/log.ts'
import { deliveryErrors } from '../../../src/webhooks/outcome.ts'
import { startResend } from '../../../src/webhooks/resend.ts'
import { decode, errorBeside, filledIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { lossyQueue, testContext } from '../../support/context.ts'
import { hand, lostEvent, lostEvents } from '../../support/outbox.ts'
import { makeSite, post, type TestSite } from '../../support/site.ts'
import { callsOf, runSql } from '../../support/sql.ts'
import { addWebhook, deliveries, eventually, received, setWebhook } from '../../support/webhook.ts'

/** A site with one sent `article.ready`. */
async function sentEvent(script = 'ok') {
  const { site, eventId } = await lostEvent(script)
  await hand([{ kind: 'event', eventId }])
  const [delivery] = await deliveries(site)
  return { site, eventId, delivery: delivery!, ...(await visitor(site)) }
}

async function visitor(site: TestSite) {
  const cookie = await signIn()
  const at = (below: string) => `/console/sites/${site.id}/integrations${below}`
  const list = (query = '') => visit(at(`/deliveries${query}`), { cookie })
  return {
    list,
    open: (below = '') => (below.startsWith('/') ? visit(at(below), { cookie }) : list(below)),
    post: (below: string) => visit(at(below), { cookie, form: {} }),
    follow: async (below: string, form: Record<string, string> = {}) => {
      const { location } = await visit(at(below), { cookie, form })
      return visit(location!, { cookie })
    },
  }
}

/** A site with deliveries in its log, a second apart, newest first. */
async function logged(rows: { event?: string; status?: number; error?: string }[]) {
  const site = await makeSite()
  await setWebhook(site, 'ok')
  for (const [i, { event = 'webhook.test', status = null, error = null }] of rows.entries()) {
    await testContext().db.execute(sql`
      with e as (
        insert into webhook_events (site_id, endpoint_id, event, payload, created_at, state)
        values (${site.id}, ${site.id}, ${event}, '{}', now() - make_interval(secs => ${i}), ${error ? 'failed' : status ? 'delivered' : 'sending'}) returning id, site_id
      )
      insert into webhook_deliveries (event_id, site_id, url, status, error, attempted_at)
      select id, site_id, ${`https://n${i}.example.org/`}, ${status}, ${error}, now() - make_interval(secs => ${i})
      from e`)
  }
  return { site, ...(await visitor(site)) }
}

const OUTCOMES = [
  { status: 200 },
  { error: 'timeout' },
  {},
  { status: 500, error: 'http_status' },
  { error: 'endpoint_removed' },
]
const shownIn = ({ text }: { text: string }) =>
  [...text.matchAll(/\/deliveries\/([0-9a-f-]{36})/g)].map(([, id]) => id)
const numbersOf = (items: { url: string }[]) => items.map(({ url }) => Number(/n(\d+)/.exec(url)![1]))

describe('the list of deliveries', () => {
  it.each([
    ['outcome=delivered', [0]],
    ['outcome=failed', [1, 3, 4]],
    ['outcome=not_arrived', [1, 3, 4]],
    ['outcome=not_sent', [4]],
    ['outcome=under_way', [2]],
    ['event=article.ready', []],
    ['event=webhook.test&outcome=failed', [1, 3, 4]],
  ])('is filtered by %s, on the page as in the API', async (query, expected) => {
    const { site, open } = await logged(OUTCOMES)
    const { items } = await site.manage('GET', `/deliveries?${query}`)
    expect(numbersOf(items)).toEqual(expected)
    const page = await open(`?${query}`)
    expect(shownIn(page)).toEqual(items.map(({ id }) => id))
    if (expected.length === 0) expect(wordsOf(page)).toContain('No deliveries found')
  })

  it('counts the causes why events have not arrived, and each links to its events', async () => {
    const { open } = await logged([...OUTCOMES, { error: 'timeout' }, { status: 503, error: 'http_status' }])
    const page = await open('?event=webhook.test')
    expect(wordsOf(page)).toContain(
      'Not arrived: Timed out 2 · No webhook 1 · Answered 500 1 · Answered 503 1',
    )
    const links = [...page.text.matchAll(/<a href="([^"]*cause=[^"]*)"/g)].map(([, link]) => decode(link!))
    expect(links[2]).toMatch(/\?event=webhook.test&outcome=not_arrived&cause=500$/)
    const shown = await Promise.all(links.map((link) => open(link.slice(link.indexOf('?')))))
    expect(shown.map((each) => shownIn(each).length)).toEqual([2, 1, 1, 1])
    expect(wordsOf(shown[2]!)).toContain('Not arrived Answered 500')
  })

  it('has a row for each event and webhook, with its last attempt and the number of attempts', async () => {
    const { site, eventId, list } = await sentEvent('status/500')
    await setWebhook(site, 'ok')
    const { id } = await addWebhook(site, 'status/503/other')
    // Recent enough not to be pruned by a concurrent sweep.
    await runSql(`update webhook_events set created_at = now() - interval '10 days' where id = $1`, [eventId])
    const resent = await site.manage('POST', `/events/${eventId}/resends`)
    await visit(`/console/sites/${site.id}/integrations/webhooks/${id}/tests`, {
      cookie: await signIn(),
      form: {},
    })
    const page = await list()
    expect(wordsOf(page)).toMatch(/2 events .* Not arrived Answered 503 .* Arrived 200 in .* 2 attempts/)
    expect(shownIn(page)[1]).toBe(resent.id)
    const ofOne = await list(`?webhook=${id}`)
    expect(shownIn(ofOne)).toHaveLength(1)
    expect(ofOne.text).toContain(`name="webhookId" value="${id}"`)
    const integrations = await visit(`/console/sites/${site.id}/integrations`, { cookie: await signIn() })
    expect(decode(integrations.text)).toContain(
      `/integrations/deliveries?outcome=not_arrived&webhook=${id}">1 event</a>`,
    )
    expect(integrations.text.match(/Not arrived<\/dt>/g)).toHaveLength(1)
  })

  it('shows pending events, which have no page yet', async () => {
    const { site } = await lostEvent()
    const { list } = await visitor(site)
    const page = await list('?outcome=under_way')
    expect(wordsOf(page)).toMatch(/A title draft Under way waiting to be sent article.ready Not yet/)
    expect(shownIn(page)).toEqual([])
  })

  it('with an invalid filter is refused by the API, and with an error at the field by the page', async () => {
    const { site, open } = await logged([{}])
    const { status, body } = await site.tryManage('GET', '/deliveries?outcome=lost')
    expect([status, body?.error]).toEqual([400, expect.stringContaining('outcome must be delivered')])
    const event = await site.tryManage('GET', '/deliveries?event=none')
    expect(event.body?.error).toContain(`event must be ${oneOf(eventKinds)}`)
    const page = await open('?outcome=lost&since=x&cause=999')
    expect([page.status, shownIn(page)]).toEqual([400, []])
    expect(errorBeside('outcome', page)).toContain('Outcome must be delivered')
    expect(errorBeside('cause', page)).toBe('Cause must be a cause in the list.')
    expect(errorBeside('since', page)).toBe('From must be an RFC 3339 date-time with offset.')
  })

  it('is paged, and keeps the filter', async () => {
    const { open } = await logged(Array.from({ length: 30 }, () => ({ status: 200 })))
    const first = await open('?outcome=delivered')
    const href = /href="[^"]*integrations\/deliveries(\?[^"#]*cursor=[^"#]*)">\s*Older/.exec(first.text)![1]!
    expect(href).toContain('outcome=delivered')
    const second = await open(decode(href))
    expect([shownIn(first).length, shownIn(second).length]).toEqual([25, 5])
    expect(new Set([...shownIn(first), ...shownIn(second)]).size).toBe(30)
    expect(wordsOf(second)).toContain('Newest')
    expect(wordsOf(second)).not.toContain('Older')
  })
})

describe('finding deliveries', () => {
  /** Deliveries of posts with these titles, by slug. */
  async function sentAbout(titles: Record<string, string>, script = 'ok') {
    const site = await makeSite()
    await setWebhook(site, script)
    for (const [slug, title] of Object.entries(titles)) {
      await site.put(slug, { title, trustScore: 91 })
      const ctx = testContext({ queue: lossyQueue })
      const { eventId } = await markPostReady(ctx, await getSiteScope(ctx, site.id), slug)
      await hand([{ kind: 'event', eventId }])
    }
    return { site, ...(await visitor(site)) }
  }
  const slugsIn = ({ text }: { text: string }) =>
    [...text.matchAll(/<span class="below" dir="auto">([a-z0-9-]+)<\/span>/g)]
      .map(([, slug]) => slug)
      .toSorted()

  it('works by words of title and slug in any order and case, or by the start of an event id', async () => {
    const { site, open } = await sentAbout({ 'node-18': 'Node 18.0.0 Released', straße: 'ÜBER 100%' })
    const [delivery] = await deliveries(site)
    const find = async (search: string) => slugsIn(await open(`?${new URLSearchParams({ search })}`))
    for (const search of ['released NODE', '18.0.0  node', 'node-18'])
      expect(await find(search)).toEqual(['node-18'])
    const over = await open(`?${new URLSearchParams({ search: 'über 100%' })}`)
    expect(wordsOf(over)).toContain('1 event')
    expect(wordsOf(over)).toContain('ÜBER 100%')
    expect(await find('10_%')).toEqual([])
    const byEvent = await open(`?search=${delivery!.eventId.slice(0, 8)}`)
    expect(shownIn(byEvent)).toEqual([delivery!.id])
    for (const search of [delivery!.eventId, delivery!.eventId.slice(0, 16).toUpperCase()])
      expect(shownIn(await open(`?search=${search}`))).toEqual([delivery!.id])
    // Too short for the start of an id, and text that only looks like one.
    for (const search of [delivery!.eventId.slice(0, 3), 'abcdef-', `${delivery!.eventId}0`]) {
      const { status, text } = await open(`?search=${search}`)
      expect([status, shownIn({ text })]).toEqual([200, []])
    }
  })

  it('works like finding posts: with any separator between words, by the current and the former slug', async () => {
    const { site, open } = await sentAbout({ 'node-18-0-0': 'Open Source News' })
    await site.manage('PUT', '/posts/node-18-0-0/slug', { slug: 'latest' })
    for (const search of ['18.0.0', 'open-source', 'latest news'])
      expect(slugsIn(await open(`?${new URLSearchParams({ search })}`))).toEqual(['node-18-0-0'])
    expect(shownIn(await open('?search=18.0.0+unheard-of'))).toEqual([])
  })

  it('works for guides, which have a title and a link like posts', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    const guide = await site.manage(
      'PUT',
      '/guides/tides',
      post({ title: 'Über the tides', status: 'published' }),
    )
    const { rows } = await testContext().db.execute(sql`
      insert into webhook_events (site_id, endpoint_id, event, resource, resource_id, slug, payload)
      values (${site.id}, ${site.id}, 'guide.published', 'guide', ${guide.id}, 'tides', '{}') returning id`)
    await hand(rows.map(({ id }) => ({ kind: 'event', eventId: id })))
    const { open, list } = await visitor(site)
    const logged = { event: 'guide.published', postId: null, slug: 'tides' }
    const [delivery] = await deliveries(site)
    expect(delivery).toMatchObject({ ...logged, title: 'Über the tides', status: 200 })
    expect((await site.manage('GET', '/events')).items).toMatchObject([logged])
    for (const search of ['uber TIDES', 'tides', String(rows[0]!.id)])
      expect(shownIn(await list(`?${new URLSearchParams({ search })}`))).toEqual([delivery!.id])
    expect(wordsOf(await list())).toContain('Über the tides')
    const page = `/deliveries/${delivery!.id}`
    const shown = await open(page)
    expect(wordsOf(shown)).toContain('Guide Über the tides')
    expect(shown.text).toContain(`href="/console/sites/${site.id}/content/guides/tides"`)
    await site.manage('POST', `/events/${rows[0]!.id}/resends`)
    const log = await visit(`/console${site.path}/audit-log`, { cookie: await signIn() })
    expect(log.text).toContain(`href="/console/sites/${site.id}/content/guides/tides"`)
    await site.manage('DELETE', '/guides/tides')
    expect(wordsOf(await open(page))).toContain('Guide tides (deleted)')
  })

  it('names the site in every part of the query', async () => {
    const site = await makeSite()
    const filter = { search: 'abcdef', outcome: 'not_arrived', event: 'article.ready' } as const
    const { sql: text, params } = selectDeliveries(
      testContext(),
      site,
      { limit: 1, cursor: null },
      filter,
    ).toSQL()
    const tables = text.match(/(?:from|join) "(?:webhook_events|post_titles)"/g)
    // One more for the deliveries themselves.
    expect(params.filter((value) => value === site.id)).toHaveLength(tables!.length + 1)
    const ofEvent = text.match(
      /from "(?:posts|guides)" (\w) where \1\.site_id = (?:"webhook_events"|e)\.site_id/g,
    )
    expect(ofEvent).toHaveLength(text.match(/from "(?:posts|guides)"/g)!.length)
  })

  it('works by time, and in the API too', async () => {
    const { site, open } = await logged(OUTCOMES)
    const all = await deliveries(site)
    const [since, until] = [all[2]!.attemptedAt, all[0]!.attemptedAt]
    const query = new URLSearchParams({ since, until })
    const wanted = [all[1]!.id, all[2]!.id]
    expect(shownIn(await open(`?${query}`))).toEqual(wanted)
    const { items } = await site.manage('GET', `/deliveries?${query}`)
    expect(items.map(({ id }) => id)).toEqual(wanted)
  })

  it('lists what has not arrived since: the last attempt for each event, unless another was delivered', async () => {
    const { site, open } = await sentAbout({ lost: 'Lost', resent: 'Resent', twice: 'Twice' }, 'status/500')
    const [twice, resent] = await deliveries(site)
    await site.manage('POST', `/events/${twice!.eventId}/resends`)
    await setWebhook(site, 'ok')
    await site.manage('POST', `/events/${resent!.eventId}/resends`)
    const page = await open('?outcome=not_arrived')
    expect(slugsIn(page)).toEqual(['lost', 'twice'])
    expect(shownIn(page)).not.toContain(twice!.id)
    expect(slugsIn(await open(`?outcome=not_arrived&since=${new Date().toISOString()}`))).toEqual([])
  })

  it('counts the matches, and names a test', async () => {
    const { open } = await logged(Array.from({ length: 30 }, () => ({ status: 200 })))
    const words = wordsOf(await open())
    expect(words).toContain('30 events')
    expect(words).toContain('Test event')
  })

  it('takes at most three calls to Postgres', async () => {
    const { open } = await sentAbout({ a: 'A' })
    for (const query of ['', '?search=a&outcome=not_arrived'])
      expect(await callsOf(() => open(query))).toBeLessThanOrEqual(3)
  })

  it('links to its post, also after a rename, and says when the post is deleted', async () => {
    const { site, open } = await sentAbout({ a: 'The title' })
    const [delivery] = await deliveries(site)
    await site.manage('PUT', '/posts/a/slug', { slug: 'b' })
    expect((await open(`/deliveries/${delivery!.id}`)).text).toContain(`${site.id}/content/posts/b"`)
    await site.manage('DELETE', '/posts/b')
    expect(wordsOf(await open(`/deliveries/${delivery!.id}`))).toContain('Post a (deleted)')
  })
})

describe('the page of a delivery', () => {
  it('links to the previous and next failure, and to its neighbours in the list', async () => {
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
        [...text.matchAll(/deliveries\/([0-9a-f-]{36})[^"]*">((?:Previous|Next)[a-z ]*)</g)].map(
          ([, id, name]) => [name, ids.indexOf(id!)],
        ),
      )
    const all = { Previous: 1, Next: 3, 'Previous failure': 0, 'Next failure': 4 }
    expect(linksOf(await open(`/deliveries/${ids[2]}`))).toEqual(all)
    const filtered = await list('?event=webhook.test')
    const [, link] = new RegExp(`href="[^"]*integrations(/deliveries/${ids[1]}[^"]*)"`).exec(filtered.text)!
    const inList = { Previous: 0, Next: 2, 'Previous failure': 0, 'Next failure': 2 }
    expect(linksOf(await open(decode(link!)))).toEqual(inList)
    expect(await callsOf(() => open(decode(link!)))).toBeLessThanOrEqual(3)
  })
})

describe('resending all failed events', () => {
  async function failed() {
    const { site } = await lostEvents('ok', 3)
    await runSql("update webhook_events set state = 'failed', finished_at = now() where site_id = $1", [
      site.id,
    ])
    await runSql(
      `insert into webhook_deliveries (event_id, site_id, url, error)
      select id, site_id, 'https://cms.example.org/', 'timeout' from webhook_events where site_id = $1`,
      [site.id],
    )
    return { site, ...(await visitor(site)) }
  }
  const formOf = ({ text }: { text: string }, action: string) =>
    new RegExp(`<form method="post" action="[^"]*(/resends[^"]*${action})"[^>]*>(.*?)</form>`, 's').exec(text)
  const fieldsOf = (form: string) =>
    Object.fromEntries(
      [...form.matchAll(/name="([a-zA-Z]+)" value="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
    )

  it('asks first, shows progress, can be stopped and continued, and reports the outcome', async () => {
    const { site, list, post, follow } = await failed()
    expect(wordsOf(await list())).toContain('Resend all failed events')
    const asked = await post('/resends')
    expect(wordsOf(asked)).toContain('Resend 3 events?')
    expect(wordsOf(asked)).toMatch(/127\.0\.0\.1\S* 3 \d+ \w+ 20\d\d, \S+ UTC \d+ \w+ 20\d\d, \S+ UTC/)
    expect(await site.manage('GET', '/resends')).toMatchObject({ items: [] })
    const decided = fieldsOf(formOf(asked, '')![2]!)
    expect(decided).toEqual({ failedUntil: expect.stringMatching(/Z$/) })
    // Nothing is sent: its message is late.
    const { resend } = await startResend(testContext({ queue: lossyQueue }), site, {})
    const running = await list()
    expect(wordsOf(running)).toContain(
      'Resending: 0 of 3 sent. 0 arrived, 0 failed again. You can leave this page',
    )
    expect(running.text).toContain('<progress max="3" value="0"')
    expect(wordsOf(running)).not.toContain('Resend all failed events')
    expect(wordsOf(await follow('/resends', decided))).toContain('A resend is already running.')
    const stopped = await follow(formOf(running, 'stop')![1]!)
    expect(wordsOf(stopped)).toContain('Resend stopped. 0 arrived, 0 failed again. 3 events not sent.')
    const rest = [
      ...stopped.text.matchAll(/<form method="post" action="[^"]*\/resends"[^>]*>(.*?)<\/form>/gs),
    ]
      .map(([, form]) => form!)
      .find((form) => form.includes('Resend the remaining 3'))
    expect(fieldsOf(rest!)).toEqual({ failedUntil: resend.failedUntil })
    await visit(`/console/sites/${site.id}/integrations/resends`, {
      cookie: await signIn(),
      form: fieldsOf(rest!),
    })
    const ended = await eventually(async () => {
      const words = wordsOf(await list())
      return words.includes('Resend finished. 3 arrived, 0 failed again.') ? words : null
    })
    expect(ended).not.toContain('Not arrived:')
    expect(await received(site)).toHaveLength(3)
    expect(wordsOf(await follow('/resends'))).toContain('No failed events are left to resend')
    const cookie = await signIn()
    const log = await visit(`/console/sites/${site.id}/audit-log`, { cookie })
    const [, act] = /<a href="([^"]*)">Started resending failed events, finished resending/.exec(log.text)!
    const entries = wordsOf(await visit(decode(act!), { cookie }))
    expect(entries).toMatch(
      /Finished resending failed events .*arrived: 3 .*Started resending failed events .*events: 3/,
    )
  })

  it('does not start without a webhook, or by a forged form', async () => {
    const { site, list, follow } = await failed()
    const post = (form: Record<string, string>) =>
      signIn().then((cookie) => visit(`/console/sites/${site.id}/integrations/resends`, { cookie, form }))
    expect((await post({ failedUntil: 'x' })).status).toBe(400)
    await site.manage('DELETE', '/webhook')
    expect(wordsOf(await list())).not.toContain('Resend all failed events')
    expect(wordsOf(await follow('/resends'))).toContain('The webhook has been removed')
  })

  it('offers events that may have arrived separately', async () => {
    const { site, follow, list } = await failed()
    await runSql("update webhook_deliveries set error = 'interrupted' where site_id = $1", [site.id])
    const page = wordsOf(await follow('/resends'))
    expect(page).toContain('No events were resent. ')
    expect(page).toContain(
      '3 other events were left out because the service stopped while sending them, so they may have arrived',
    )
    expect((await list()).text).toMatch(
      /name="includeInterrupted" value="on"[^>]*>\s*<button[^>]*>\s*Resend interrupted events/,
    )
  })
})

describe('a failed delivery whose event arrived later', () => {
  it('says so in the list, in the API and on its page, which links to the attempt that arrived', async () => {
    const { site, delivery, eventId, open } = await sentEvent('status/500')
    expect(wordsOf(await open())).not.toContain('Arrived later')
    await setWebhook(site, 'ok')
    const arrived = await site.manage('POST', `/events/${eventId}/resends`)
    expect(wordsOf(await open())).toMatch(/Arrived 200 in .* 2 attempts/)
    const page = await open(`/deliveries/${delivery.id}`)
    expect(wordsOf(page)).toContain('Arrived later. The event was resent and delivered.')
    expect(page.text).toContain(`/deliveries/${arrived.id}">View the successful attempt`)
    await setWebhook(site, 'status/500')
    await site.manage('POST', `/events/${eventId}/resends`)
    const flags = (await deliveries(site)).map(({ arrivedLater }) => arrivedLater)
    expect(flags).toEqual([false, false, true])
  })

  it('links to the first attempt that arrived, also if its page does not list it', async () => {
    const { site, delivery, eventId, open } = await sentEvent('status/500')
    await setWebhook(site, 'ok')
    const arrived = await site.manage('POST', `/events/${eventId}/resends`)
    await testContext().db.execute(sql`
      insert into webhook_deliveries (event_id, site_id, url, status, attempted_at)
      select ${eventId}, ${site.id}, 'https://cms.example.org/', 200, now() + make_interval(secs => n)
      from generate_series(1, 25) n`)
    const page = await open(`/deliveries/${delivery.id}`)
    expect(page.text).toContain(`/deliveries/${arrived.id}">View the successful attempt`)
    expect((await open(`/deliveries/${arrived.id}`)).text).not.toContain('View the successful attempt')
  })
})

describe('a response', () => {
  it('that is cut says so, and one that fits does not', async () => {
    const cut = await sentEvent('endless')
    const page = await cut.open(`/deliveries/${cut.delivery.id}`)
    expect(wordsOf(page)).toContain('Response (first 1,024 bytes)')
    const whole = await sentEvent()
    expect(wordsOf(await whole.open(`/deliveries/${whole.delivery.id}`))).not.toContain('Response (first')
    const answers = await Promise.all(
      [cut, whole].map(({ site, delivery }) => site.manage('GET', `/deliveries/${delivery.id}`)),
    )
    expect(answers.map(({ answerTruncated }) => answerTruncated)).toEqual([true, false])
  })

  it('that arrived too slowly is not shown as complete or empty', async () => {
    const wordsFor = async (script: string) => {
      const { delivery, open } = await sentEvent(script)
      return wordsOf(await open(`/deliveries/${delivery.id}`))
    }
    expect(await wordsFor('begun')).toMatch(/Response \(first 1,024 bytes\) .*first words/)
    expect(await wordsFor('silent')).toContain('No body arrived within half a second.')
    expect(await wordsFor('status/204')).toContain('The response had no body.')
  })

  it('that redirects shows its target, and the usual headers', async () => {
    const { site, delivery, open } = await sentEvent('redirect/308')
    const words = wordsOf(await open(`/deliveries/${delivery.id}`))
    expect(words).toContain(
      `Change the webhook URL to the target of the redirect: ${delivery.url.replace(/redirect.*/, 'elsewhere')}`,
    )
    expect(words).toContain('location: ../elsewhere')
    const { answerHeaders } = await site.manage('GET', `/deliveries/${delivery.id}`)
    expect(answerHeaders).toMatchObject({ location: '../elsewhere' })
  })
})

describe('the signature check', () => {
  it('opened from a delivery has the request that was sent, which is valid, and names the first differing byte', async () => {
    const { site, delivery, open } = await sentEvent()
    const link = /href="[^"]*integrations(\/signature-check\?delivery=[^"]+)"/.exec(
      (await open(`/deliveries/${delivery.id}`)).text,
    )![1]!
    const form = await open(link)
    const [post] = await received(site)
    const fields = Object.fromEntries(
      ['timestamp', 'signature', 'id'].map((name) => [name, filledIn(name, form)!]),
    )
    expect(fields.signature).toBe(post!.headers['x-service-signature'])
    expect(decode(form.text)).toContain(post!.body)
    const check = async (body: string) =>
      wordsOf(
        await visit(`/console/sites/${site.id}/integrations/signature-check`, {
          cookie: await signIn(),
          form: { ...fields, body },
        }),
      )
    expect(await check(post!.body)).toContain('Byte for byte.')
    const changed = post!.body.replace('"siteId"', '"siteID"')
    const byte = post!.body.indexOf('"siteId"') + 6
    expect(await check(changed)).toContain(`First difference at byte ${byte}, counted from 0`)
  })
})

describe('a delivery', () => {
  it('shows the exact bytes of the request, and the response', async () => {
    const { site, delivery, open } = await sentEvent()
    const page = await open(`/deliveries/${delivery.id}`)
    const [post] = await received(site)
    const text = decode(page.text)
    expect(text).toContain(`<code>${post!.body}</code>`)
    for (const name of ['X-Service-Signature', 'X-Service-Timestamp', 'webhook-signature', 'webhook-id'])
      expect(text).toContain(`${name}: ${post!.headers[name.toLowerCase()]}`)
    expect(wordsOf(page)).toMatch(
      /A title article\.ready .*Arrived\. The receiver responded with 200.* thanks/,
    )
  })

  it('can be repeated from a shell', async () => {
    const { site, delivery, open } = await sentEvent()
    const page = await open(`/deliveries/${delivery.id}`)
    const { request, url } = await site.manage('GET', `/deliveries/${delivery.id}`)
    const headers = Object.entries(request!.headers).sort(([a], [b]) => a.localeCompare(b, 'en'))
    expect(decode(page.text)).toContain(curlLine(url, headers, request!.body))
  })

  it('can be resent, and links to its other attempts', async () => {
    const { site, delivery, follow, open } = await sentEvent('status/500')
    await setWebhook(site, 'ok')
    expect(wordsOf(await open(`/deliveries/${delivery.id}`))).toContain('The webhook has a new URL')
    const page = await follow(`/deliveries/${delivery.id}/resends`)
    expect(wordsOf(page)).toMatch(/Arrived\. .* resent manually .* Other attempts .* Answered 500/)
    expect(page.text).toContain(`/deliveries/${delivery.id}"`)
    const [first, again] = await received(site)
    expect(again!.body).toBe(first!.body)
  })

  it('that is being sent cannot be resent, and says why', async () => {
    const { site, eventId, delivery, follow } = await sentEvent()
    await testContext().db.execute(
      sql`update webhook_events set state = 'sending', claimed_at = now() where id = ${eventId}`,
    )
    expect(wordsOf(await follow(`/deliveries/${delivery.id}/resends`))).toContain('is being sent right now')
    expect(await received(site)).toHaveLength(1)
  })

  it('that readers may not see yet cannot be resent, and says why', async () => {
    const { site, delivery } = await sentEvent()
    const { location } = await visit(
      `/console/sites/${site.id}/integrations/deliveries/${delivery.id}/resends`,
      { cookie: await signIn(), form: {}, world: { UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:1' } },
    )
    expect(location).toContain('?refused=unseen')
    const page = await visit(location!, { cookie: await signIn() })
    expect(wordsOf(page)).toContain('Part of the service is unavailable')
    expect(await received(site)).toHaveLength(1)
  })

  it('without a webhook cannot be resent, and says why', async () => {
    const { site, delivery, follow, open } = await sentEvent()
    await site.manage('DELETE', '/webhook')
    expect((await open(`/deliveries/${delivery.id}`)).text).not.toContain('Resend')
    expect(wordsOf(await follow(`/deliveries/${delivery.id}/resends`))).toContain(
      'The webhook has been removed',
    )
  })

  it('that was never sent says so', async () => {
    const { site, eventId } = await lostEvent()
    await site.manage('DELETE', '/webhook')
    await hand([{ kind: 'event', eventId }])
    const [delivery] = await deliveries(site)
    const page = await (await visitor(site)).open(`/deliveries/${delivery!.id}`)
    expect(wordsOf(page)).toMatch(
      /No webhook\. Nothing was sent because .* Set up a webhook, then resend this event/,
    )
  })

  it('of another site or with an invalid id is not found', async () => {
    const [mine, other] = [await sentEvent(), await sentEvent()]
    for (const id of [other.delivery.id, crypto.randomUUID(), 'x']) {
      expect((await mine.open(`/deliveries/${id}`)).status).toBe(404)
      expect((await mine.post(`/deliveries/${id}/resends`)).status).toBe(404)
    }
    const { items } = await other.site.manage('GET', '/deliveries')
    expect(items).toHaveLength(1)
  })
})

describe('the advice for a redirect', () => {
  type Headers = Record<string, string>
  const adviceOf = (answerHeaders: Headers | null) =>
    describeOutcome({ status: 308, error: 'redirect', url: 'https://a.example/in/hook', answerHeaders })
      .advice

  it.each([
    ['https://b.example/hook', 'https://b.example/hook'],
    ['/hook/', 'https://a.example/hook/'],
    ['//b.example/', 'https://b.example/'],
    ['https://', 'https://'],
    [`https://b.example/${'x'.repeat(181)}…`, `https://b.example/${'x'.repeat(181)}…`],
  ])('shows the location %s as the URL %s', (location, target) => {
    expect(adviceOf({ location })).toBe(`Change the webhook URL to the target of the redirect: ${target}`)
  })

  it('works without a location', () => {
    for (const none of [null, {}, { location: '' }] as (Headers | null)[])
      expect(adviceOf(none)).toMatch(/^Change the webhook URL .* is missing\.$/)
  })
})

describe('every failure', () => {
  it('has a name, an explanation and advice, and can be used as a filter', () => {
    for (const error of deliveryErrors) {
      const { name, happened, advice } = describeOutcome({
        error,
        status: error === 'http_status' ? 418 : null,
      })
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
