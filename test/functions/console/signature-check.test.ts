/** The page of the signature check. `test/src/webhooks/webhook-diagnosis.test.ts` has each mistake that it finds. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { browse, decode, errorBeside, filledIn, wordsOf } from '../../support/console.ts'
import { hand, lostEvent } from '../../support/outbox.ts'
import { runSql } from '../../support/sql.ts'
import { addWebhook, deliveries, received } from '../../support/webhook.ts'

/** A delivery as its receiver got it, and a function that checks it on the page. */
async function delivered() {
  const { site, secret, eventId } = await lostEvent()
  await hand([{ kind: 'event', eventId }])
  const [post] = await received(site)
  const { 'x-service-timestamp': timestamp, 'x-service-signature': signature } = post!.headers
  const genuine = { timestamp: timestamp!, signature: signature!, body: post!.body, id: '' }
  const { open, submit } = await browse(site, '/integrations')
  const check = (form: Partial<typeof genuine> = {}) => submit('/signature-check', { ...genuine, ...form })
  return { site, secret, headers: post!.headers, genuine, open, check }
}

describe('a signature', () => {
  it('that is valid is recognized, with its delivery, and the secret is not shown', async () => {
    const { genuine, secret, check } = await delivered()
    const page = await check()
    expect(page.status).toBe(200)
    expect(page.words).toMatch(
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
    expect((await check({ signature, id: headers['webhook-id']! })).words).toContain('Genuine: ')
    const refused = await check({ signature })
    expect(refused.status).toBe(400)
    expect(errorBeside('id', refused)).toBe('Event ID is required with a webhook-signature.')
  })

  it('that is wrong is refused, and the page says which part is wrong', async () => {
    const { genuine, check } = await delivered()
    const { body, timestamp } = genuine
    const tooDeepForAParser = `${'{"a":['.repeat(5_000)}1${']}'.repeat(5_000)}`
    const wrong: [Partial<typeof genuine>, RegExp][] = [
      [{ body: JSON.stringify(JSON.parse(body)) }, /Body Reserialised .* Signature Valid/],
      [{ body: tooDeepForAParser }, /Body Differs .* Signature Valid/],
      [{ timestamp: String(Number(timestamp) - 1) }, /Timestamp Differs .* Body As signed/],
      [{ signature: '0'.repeat(64) }, /Body As signed .* Signature Differs/],
    ]
    for (const [change, words] of wrong) {
      const page = await check(change)
      expect(page.status).toBe(200)
      expect(page.words).toContain('The signature does not verify')
      expect(page.words).toMatch(words)
    }
  })

  it('from before the last rotation is recognized, and so is an older one', async () => {
    const { site, check } = await delivered()
    await site.manage('POST', '/webhook/secret-rotations')
    expect((await check()).words).toMatch(/the new secret refuses it.* Signature Previous secret/)
    await site.manage('POST', '/webhook/secret-rotations')
    expect((await check()).words).toContain('Signature Old secret')
  })

  it('of another webhook of the site is refused, and both are named', async () => {
    const { site, genuine, check } = await delivered()
    const { secret, id } = await addWebhook(site, 'ok/second')
    for (const [webhook, name] of Object.entries({ [site.id]: 'CMS', [id]: 'Search' }))
      await site.manage('PATCH', `/webhooks/${webhook}`, { name })
    const signature = createHmac('sha256', secret)
      .update(`${genuine.timestamp}.${genuine.body}`)
      .digest('hex')
    const { words } = await check({ signature })
    expect(words).toContain("Signed with Search's secret, but this delivery went to CMS.")
    expect(words).toContain('Give this receiver the secret of CMS.')
    expect((await check()).words).toContain('Genuine: sent to CMS and signed with its secret.')
    await site.manage('DELETE', '/webhook')
    expect((await check()).words).toContain('to a webhook that has since been removed.')
    expect((await check({ signature })).words).toContain('went to a webhook that has been removed.')
  })

  it('of another site is not recognized', async () => {
    const [mine, other] = [await delivered(), await delivered()]
    const foreign = { ...other.genuine, timestamp: '1700000000', id: other.headers['webhook-id']! }
    expect((await mine.check(foreign)).words).toMatch(/Timestamp [\d,]+ days old .* Signature Does not match/)
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
    expect((await check()).words).toContain('Delivery View the delivery')
    expect((await check({ signature: '0'.repeat(64) })).words).toMatch(/Body As signed .* Signature Differs/)

    await sendMany('article.ready', { 'X-Service-Timestamp': '1' })
    const body = genuine.body.replace('"trustScore"', '"trustscore"')
    const byte = Buffer.byteLength(genuine.body.split('"trustScore"')[0]!) + 6
    const wrong = { body, timestamp: '1700000000', signature: '0'.repeat(64) }
    expect((await check(wrong)).words).not.toContain('First difference')
    const { words } = await check({ ...wrong, id: headers['webhook-id']! })
    expect(words).toContain(`First difference at byte ${byte}, counted from 0. Sent `)
    expect(words).toMatch(/ Sent .*"trust Score\S* .* Pasted .*"trust score/)
    expect(words).toContain('Delivery View the closest delivery')
  })

  it('shows line breaks, spaces and the end of the body where they differ', async () => {
    const { genuine, check } = await delivered()
    const shownFor = async (body: string) =>
      /First difference.* Pasted (.*?) Signature/.exec((await check({ body })).words)![1]
    expect(await shownFor(`${genuine.body}\n`)).toMatch(/\\n$/)
    expect(await shownFor(`${genuine.body}\u200b`)).toMatch(/\\u\{200b\}$/)
    expect(decode((await check({ body: `${genuine.body}  ` })).text)).toContain(
      '<strong>\u00a0\u00a0</strong>',
    )
    expect(await shownFor(genuine.body.slice(0, -1))).toMatch(/\(the end\)$/)
    expect((await check()).words).not.toContain('First difference')
  })
})

it('the form that was opened from a delivery has the request that was sent', async () => {
  const { site, genuine, open } = await delivered()
  const [delivery] = await deliveries(site)
  const page = await open(`/deliveries/${delivery!.id}`)
  const form = await open(decode(/href="([^"]*\/signature-check\?delivery=[^"]+)"/.exec(page.text)![1]!))
  expect(decode(form.text)).toContain(genuine.body)
  for (const name of ['timestamp', 'signature'] as const) expect(filledIn(name, form)).toBe(genuine[name])
  expect(wordsOf(form)).not.toContain('Genuine: ')
})
