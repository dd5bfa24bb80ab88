import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { curlLine } from '../../../functions/console/integrations/curl.ts'
import { describeOutcome } from '../../../functions/console/integrations/outcome.ts'
import { outcomes } from '../../../src/webhooks/log.ts'
import { deliveryErrors } from '../../../src/webhooks/outcome.ts'
import { decode, signIn, visit, wordsOf } from '../../support/console.ts'
import { testContext } from '../../support/context.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { makeSite, type Page, type TestSite } from '../../support/site.ts'
import { deliveries, received, setWebhook } from '../../support/webhook.ts'

type InFull = { request: { headers: Record<string, string>; body: string }; url: string }

/** A site with one `article.ready` that was sent. */
async function sentEvent(script = 'ok') {
  const { site, eventId } = await lostEvent(script)
  await hand([{ eventId }])
  const [delivery] = await deliveries(site)
  return { site, eventId, delivery: delivery!, ...(await visitor(site)) }
}

async function visitor(site: TestSite) {
  const cookie = await signIn()
  const at = (below: string) => `/console/sites/${site.id}/integrations${below}`
  return {
    open: (below = '') => visit(at(below), { cookie }),
    post: (below: string) => visit(at(below), { cookie, form: {} }),
    follow: async (below: string) => {
      const { location } = await visit(at(below), { cookie, form: {} })
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
        insert into webhook_events (site_id, event, payload, state)
        values (${site.id}, ${event}, '{}', 'delivered') returning id, site_id
      )
      insert into webhook_deliveries (event_id, site_id, url, status, error, attempted_at)
      select id, site_id, ${`https://n${i}.example.org/`}, ${status}, ${error}, now() - make_interval(secs => ${i})
      from e`)
  }
  return { site, ...(await visitor(site)) }
}

const OUTCOMES = [{ status: 200 }, { error: 'timeout' }, {}, { status: 500, error: 'http_status' }]
const shownIn = ({ text }: { text: string }) =>
  [...text.matchAll(/\/deliveries\/([0-9a-f-]{36})/g)].map(([, id]) => id)
const numbersOf = (items: { url: string }[]) => items.map(({ url }) => Number(/n(\d+)/.exec(url)![1]))

describe('recent deliveries', () => {
  it.each([
    ['outcome=delivered', [0]],
    ['outcome=failed', [1, 3]],
    ['outcome=under_way', [2]],
    ['outcome=timeout', [1]],
    ['outcome=http_status', [3]],
    ['event=article.ready', []],
    ['event=webhook.test&outcome=failed', [1, 3]],
  ])('are filtered by %s, on the page as in the API', async (query, expected) => {
    const { site, open } = await logged(OUTCOMES)
    const { items } = await site.manage<{ items: { id: string; url: string }[] }>(
      'GET',
      `/deliveries?${query}`,
    )
    expect(numbersOf(items)).toEqual(expected)
    const page = await open(`?${query}`)
    expect(shownIn(page)).toEqual(items.map(({ id }) => id))
    if (expected.length === 0) expect(wordsOf(page)).toContain('None found')
  })

  it('with an invalid filter are refused by the API, and the page shows all', async () => {
    const { site, open } = await logged([{}])
    const { status, body } = await site.tryManage('GET', '/deliveries?outcome=lost')
    expect([status, body?.error]).toEqual([400, expect.stringContaining('outcome must be delivered')])
    const event = await site.tryManage('GET', '/deliveries?event=none')
    expect(event.body?.error).toContain('event must be article.ready or webhook.test')
    expect(shownIn(await open('?outcome=lost&event=none&cursor=x'))).toHaveLength(1)
  })

  it('are shown a page at a time, and the filter stays', async () => {
    const { open } = await logged(Array.from({ length: 30 }, () => ({ status: 200 })))
    const first = await open('?outcome=delivered')
    const href = /href="[^"]*integrations(\?[^"#]*cursor=[^"#]*)#deliveries">\s*Older/.exec(first.text)![1]!
    expect(href).toContain('outcome=delivered')
    const second = await open(decode(href))
    expect([shownIn(first).length, shownIn(second).length]).toEqual([25, 5])
    expect(new Set([...shownIn(first), ...shownIn(second)]).size).toBe(30)
    expect(wordsOf(second)).toContain('Newest')
    expect(wordsOf(second)).not.toContain('Older')
  })
})

describe('a delivery', () => {
  it('shows what was sent, byte for byte, and the response', async () => {
    const { site, delivery, open } = await sentEvent()
    const page = await open(`/deliveries/${delivery.id}`)
    const [post] = await received(site)
    const text = decode(page.text)
    expect(text).toContain(`<code>${post!.body}</code>`)
    for (const name of ['X-Service-Signature', 'X-Service-Timestamp', 'webhook-signature', 'webhook-id'])
      expect(text).toContain(`${name}: ${post!.headers[name.toLowerCase()]}`)
    expect(wordsOf(page)).toMatch(/article\.ready draft .*Delivered\. The receiver answered 200.* thanks/)
  })

  it('can be repeated from a shell', async () => {
    const { site, delivery, open } = await sentEvent()
    const page = await open(`/deliveries/${delivery.id}`)
    const { request, url } = await site.manage<InFull>('GET', `/deliveries/${delivery.id}`)
    const headers = Object.entries(request.headers).sort(([a], [b]) => a.localeCompare(b, 'en'))
    expect(decode(page.text)).toContain(curlLine(url, headers, request.body))
  })

  it('is sent again, and links to its other attempts', async () => {
    const { site, delivery, follow, open } = await sentEvent('status/500')
    await setWebhook(site, 'ok')
    expect(wordsOf(await open(`/deliveries/${delivery.id}`))).toContain('The webhook has a new URL now')
    const page = await follow(`/deliveries/${delivery.id}/resends`)
    expect(wordsOf(page)).toMatch(/Delivered\. .* again by hand .* Other attempts .* Answered 500/)
    expect(page.text).toContain(`/deliveries/${delivery.id}"`)
    const [first, again] = await received(site)
    expect(again!.body).toBe(first!.body)
  })

  it('that is being sent is not sent again, and says why', async () => {
    const { site, eventId, delivery, follow } = await sentEvent()
    await testContext().db.execute(
      sql`update webhook_events set state = 'sending', claimed_at = now() where id = ${eventId}`,
    )
    expect(wordsOf(await follow(`/deliveries/${delivery.id}/resends`))).toContain('is being sent right now')
    expect(await received(site)).toHaveLength(1)
  })

  it('without a webhook cannot be sent again, and says why', async () => {
    const { site, delivery, follow, open } = await sentEvent()
    await site.manage('DELETE', '/webhook')
    expect((await open(`/deliveries/${delivery.id}`)).text).not.toContain('Send again')
    expect(wordsOf(await follow(`/deliveries/${delivery.id}/resends`))).toContain('No webhook is set')
  })

  it('that was never sent says so', async () => {
    const { site, eventId } = await lostEvent()
    await site.manage('DELETE', '/webhook')
    await hand([{ eventId }])
    const [delivery] = await deliveries(site)
    const page = await (await visitor(site)).open(`/deliveries/${delivery!.id}`)
    expect(wordsOf(page)).toMatch(
      /No webhook\. Nothing was sent: .* Set a webhook, then send this event again/,
    )
  })

  it('of another site or with an invalid id is not found', async () => {
    const [mine, other] = [await sentEvent(), await sentEvent()]
    for (const id of [other.delivery.id, crypto.randomUUID(), 'x']) {
      expect((await mine.open(`/deliveries/${id}`)).status).toBe(404)
      expect((await mine.post(`/deliveries/${id}/resends`)).status).toBe(404)
    }
    const { items } = await other.site.manage<Page>('GET', '/deliveries')
    expect(items).toHaveLength(1)
  })
})

describe('every failure', () => {
  it('has a name, an explanation and advice, and can be filtered by', () => {
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
