import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decode, errorBeside, filledIn, signIn, visit, wordsOf } from '../../support/console.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook, received } from '../../support/webhook.ts'

/** A delivery as its receiver got it, and a function that checks it on the page. */
async function delivered() {
  const { site, secret, eventId } = await lostEvent()
  await hand([{ kind: 'event', eventId }])
  const [post] = await received(site)
  const cookie = await signIn()
  const { 'x-service-timestamp': timestamp, 'x-service-signature': signature } = post!.headers
  const genuine = { timestamp: timestamp!, signature: signature!, body: post!.body, id: '' }
  return {
    site,
    secret,
    headers: post!.headers,
    genuine,
    check: (form: Partial<typeof genuine>) =>
      visit(`/console/sites/${site.id}/integrations/signature-check`, {
        cookie,
        form: { ...genuine, ...form },
      }),
  }
}

describe('a signature', () => {
  it('that is valid is recognized, with its delivery, and the secret is not shown', async () => {
    const { genuine, secret, check } = await delivered()
    const page = await check({})
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toMatch(
      /Genuine: .* Timestamp As signed .* Body As signed .* Signature Valid .* Delivery View the delivery/,
    )
    expect(page.text).toMatch(/\/integrations\/deliveries\/[0-9a-f-]{36}"/)
    expect(page.text).not.toContain(secret.slice(6, 20))
    expect(decode(page.text)).toContain(`\n${genuine.body}</textarea>`)
    expect(filledIn('signature', page)).toBe(genuine.signature)
  })

  it('is recognized in the format of Standard Webhooks too, with its id', async () => {
    const { headers, check } = await delivered()
    const signature = headers['webhook-signature']!
    expect(wordsOf(await check({ signature, id: headers['webhook-id']! }))).toContain('Genuine')
    const refused = await check({ signature })
    expect(refused.status).toBe(400)
    expect(errorBeside('id', refused)).toBe('Webhook ID is required with a webhook-signature.')
    expect(wordsOf(refused)).toContain('Nothing was checked.')
  })

  it('that is wrong is refused, and the page says which part is wrong', async () => {
    const { genuine, check } = await delivered()
    const { body, timestamp } = genuine
    const wrong: [Partial<typeof genuine>, RegExp][] = [
      [{ body: JSON.stringify(JSON.parse(body)) }, /Body Reserialised .* Signature Valid/],
      [{ body: `${body}\r\n` }, /Body Differs at the ends .* Signature Valid/],
      [{ body: '{}' }, /Body Differs .* Signature Valid/],
      [
        { timestamp: String(Number(timestamp) - 1) },
        /Timestamp Differs .* Body As signed .* Signature Valid/,
      ],
      [{ timestamp: 'today' }, /Timestamp Not a number/],
      [{ timestamp: `${timestamp}000` }, /Timestamp Milliseconds/],
      [{ signature: '0'.repeat(64) }, /Body As signed .* Signature Differs/],
      [{ signature: 'abc' }, /Signature Wrong length/],
      [{ signature: 'sha256=abc' }, /Signature Prefixed/],
    ]
    for (const [change, words] of wrong) {
      const page = await check(change)
      expect(page.status).toBe(200)
      expect(wordsOf(page)).toContain('The signature does not verify')
      expect(wordsOf(page)).toMatch(words)
    }
    // Bodies that are too deep for a parser are compared as text.
    for (const [open, close] of [
      ['{"a":'.repeat(5_000), '}'.repeat(5_000)],
      ['{"a":'.repeat(5_000), ''],
      ['['.repeat(20_000), ']'.repeat(20_000)],
      ['{"a":['.repeat(5_000), ']}'.repeat(5_000)],
    ] as const) {
      const page = await check({ body: `${open}${close && '1'}${close}` })
      expect(page.status).toBe(200)
      expect(wordsOf(page)).not.toContain('Genuine:')
    }
  })

  it('from before the last rotation is recognized, and so is an older one', async () => {
    const { site, check } = await delivered()
    await site.manage('POST', '/webhook/secret-rotations')
    expect(wordsOf(await check({}))).toMatch(/the new secret refuses it.* Signature Previous secret/)
    await site.manage('POST', '/webhook/secret-rotations')
    expect(wordsOf(await check({}))).toContain('Signature Old secret')
  })

  it('of another webhook of the site is refused, and both are named', async () => {
    const { site, genuine, headers, check } = await delivered()
    const { secret } = await addWebhook(site, 'ok/second')
    const signature = createHmac('sha256', secret)
      .update(`${genuine.timestamp}.${genuine.body}`)
      .digest('hex')
    for (const id of ['', headers['webhook-id']!]) {
      const words = wordsOf(await check({ signature, id }))
      expect(words).toContain("Signed with webhook 2's secret, but this delivery went to webhook 1.")
      expect(words).toContain('Give this receiver the secret of webhook 1.')
      expect(words).not.toContain('Genuine')
    }
    expect(wordsOf(await check({}))).toContain('Genuine: sent to webhook 1 and signed with its secret.')
    await site.manage('POST', `/webhook/secret-rotations`)
    expect(wordsOf(await check({}))).toContain("Signed with webhook 1's previous secret.")
    await site.manage('DELETE', '/webhook')
    expect(wordsOf(await check({}))).toContain('to a webhook that has since been removed.')
    expect(wordsOf(await check({ signature }))).toContain('went to a webhook that has been removed.')
  })

  it('of another site is not recognized', async () => {
    const [mine, other] = [await delivered(), await delivered()]
    const page = await mine.check({ ...other.genuine, timestamp: '1700000000' })
    expect(wordsOf(page)).toMatch(/Timestamp [\d,]+ days old .* Body Unknown .* Signature Does not match/)
    const wrong = { body: '{}', timestamp: '1700000000', signature: '0'.repeat(64) }
    const words = wordsOf(await mine.check({ ...wrong, id: other.headers['webhook-id']! }))
    expect(words).toMatch(/Body Unknown .* Signature Does not match/)
  })

  it('is found however many events were sent after it, and shows where its body differs', async () => {
    const { site, genuine, headers, check } = await delivered()
    const { timestamp } = genuine
    /** 1,001 later deliveries with these headers. */
    const sendMany = (event: string, sent: Record<string, string>) =>
      runSql(
        `with newer as (
           insert into webhook_events (site_id, endpoint_id, event, payload, state)
           select $1, $1, $2, '{}', 'delivered' from generate_series(1, 1001) returning id
         )
         insert into webhook_deliveries (event_id, site_id, url, status, request_headers)
         select id, $1, 'https://cms.example.org/', 200, $3 from newer`,
        [site.id, event, JSON.stringify(sent)],
      )
    const forged = { 'X-Service-Signature': '00', 'webhook-signature': 'v1,00' }
    await sendMany('webhook.test', { 'X-Service-Timestamp': timestamp, ...forged })
    expect(wordsOf(await check({}))).toContain('Delivery View the delivery')
    expect(wordsOf(await check({ signature: '0'.repeat(64) }))).toMatch(/Body As signed .* Signature Differs/)

    await sendMany('article.ready', { 'X-Service-Timestamp': '1' })
    const body = genuine.body.replace('"trustScore"', '"trustscore"')
    const byte = Buffer.byteLength(genuine.body.split('"trustScore"')[0]!) + 6
    const wrong = { body, timestamp: '1700000000', signature: '0'.repeat(64) }
    expect(wordsOf(await check(wrong))).not.toContain('First difference')
    const words = wordsOf(await check({ ...wrong, id: headers['webhook-id']! }))
    expect(words).toContain(`First difference at byte ${byte}, counted from 0. Sent `)
    expect(words).toMatch(/ Sent .*"trust Score\S* .* Pasted .*"trust score/)
    expect(words).toContain('Delivery View the closest delivery')
  })

  it('shows line breaks, spaces and the end of the body where they differ', async () => {
    const { genuine, check } = await delivered()
    const shownFor = async (body: string) =>
      /First difference.* Pasted (.*?) Signature/.exec(wordsOf(await check({ body })))![1]
    expect(await shownFor(`${genuine.body}\n`)).toMatch(/\\n$/)
    expect(await shownFor(`${genuine.body}\u200b`)).toMatch(/\\u\{200b\}$/)
    expect(decode((await check({ body: `${genuine.body}  ` })).text)).toContain(
      '<strong>\u00a0\u00a0</strong>',
    )
    expect(await shownFor(genuine.body.slice(0, -1))).toMatch(/\(the end\)$/)
    expect(wordsOf(await check({}))).not.toContain('First difference')
  })
})
