import { describe, expect, it } from 'vitest'
import { browse, unsigned, wordsOf } from '../../support/console.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { deliveries, eventually, finished, received, release, setWebhook } from '../../support/webhook.ts'

const pathOf = (site: TestSite, slug: string) => `/console/sites/${site.id}/content/posts/${slug}`

const open = async (site: TestSite, slug: string) => (await browse(site)).open(`/content/posts/${slug}`)

/** The lines of the history, newest first, without their times. */
async function storyOf(site: TestSite, slug: string): Promise<string[]> {
  const { text } = await open(site, slug)
  const list = /<ol class="timeline">(.*?)<\/ol>/s.exec(text)![1]!
  return list
    .split('</li>')
    .slice(0, -1)
    .map((line) => wordsOf({ text: line.replace(/<time.*?<\/time>/, '') }).replace(/\d+ ms/, 'N ms'))
}

async function markReady(site: TestSite, slug = 'one') {
  await site.put(slug, { trustScore: 90 })
  await site.manage('PUT', `/posts/${slug}/readiness`)
}

describe('the history of a post', () => {
  it('has who published and unpublished it, including a post created as published', async () => {
    const site = await makeSite()
    await site.put('one', { status: 'published', publishedAt: '2020-01-02T03:04:05Z' })
    expect(await storyOf(site, 'one')).toEqual(['Created by OPERATOR_TOKEN', 'Published'])
    await site.manage('DELETE', '/posts/one/publication')
    await runSql("update posts set title = 'By hand' where site_id = $1", [site.id])
    expect(await storyOf(site, 'one')).toEqual([
      'Updated by SQL or the service itself',
      'Unpublished by OPERATOR_TOKEN',
      'Created by OPERATOR_TOKEN',
      'First published',
    ])
  })

  it('has no publication for a draft that was created with a publication date', async () => {
    const site = await makeSite()
    await site.put('one', { publishedAt: '2020-01-02T03:04:05Z' })
    expect(await storyOf(site, 'one')).toEqual(['Created by OPERATOR_TOKEN'])
    expect(wordsOf(await open(site, 'one'))).toContain('Publication date 2 Jan 2020')
    await site.manage('PUT', '/posts/one/publication')
    expect(wordsOf(await open(site, 'one'))).toContain('Published 2 Jan 2020')
  })

  it('has its event and each attempt, with a button to resend it that returns here', async () => {
    const site = await makeSite()
    await setWebhook(site, 'status/500')
    await markReady(site)
    const { id } = await finished(site)
    expect(await storyOf(site, 'one')).toEqual([
      'Attempt: Answered 500, N ms Resend',
      'Event article.ready',
      'Marked ready by OPERATOR_TOKEN',
      'Created by OPERATOR_TOKEN',
    ])
    const { text } = await open(site, 'one')
    const resends = `/console/sites/${site.id}/integrations/deliveries/${id}/resends`
    expect(text).toContain(
      `<form method="post" action="${resends}"><button type="submit" name="post" value="one" data-busy="Sending…"`,
    )
    await setWebhook(site, 'ok')
    const resent = await (await browse(site)).submit(resends, { post: 'one' })
    expect(unsigned(resent.location)).toBe(`${pathOf(site, 'one')}?done=resent#history`)
    const { eventId } = (await deliveries(site)).find((each) => each.id === id)!
    await site.manage('POST', `/events/${eventId}/resends`)
    const page = wordsOf(await open(site, resent.location!.split('/posts/')[1]!))
    expect(page).toContain('Resent. The receiver responded with 200.')
    expect(page).toContain('Ready. The article.ready event has arrived.')
    expect(await storyOf(site, 'one')).toEqual([
      'Resent by OPERATOR_TOKEN: Arrived, N ms Resend',
      'Resent by OPERATOR_TOKEN: Arrived, N ms',
      'Attempt: Answered 500, N ms',
      'Event article.ready',
      'Marked ready by OPERATOR_TOKEN',
      'Created by OPERATOR_TOKEN',
    ])
  })

  it('says why an event cannot be resent, and returns to its own page, whatever the form says', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await markReady(site)
    const { id } = await finished(site)
    const { submit } = await browse(site)
    const resend = (post: string) => submit(`/integrations/deliveries/${id}/resends`, { post })
    expect(unsigned((await resend('//evil.example/../..')).location)).toBe(
      `${pathOf(site, '%2F%2Fevil.example%2F..%2F..')}?done=resent#history`,
    )
    await site.manage('DELETE', '/webhook')
    expect(await storyOf(site, 'one')).toContain('Attempt: Arrived, N ms')
    const refused = await resend('one')
    expect(unsigned(refused.location)).toBe(`${pathOf(site, 'one')}?refused=unset#history`)
    expect(refused.words).toContain('The webhook has been removed, so nothing was sent')
  })

  it('has nothing from other posts and sites, and says when it is cut', async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    for (const each of [site, other]) await setWebhook(each, 'ok')
    await markReady(site)
    await markReady(site, 'two')
    await markReady(other)
    await finished(other)
    await eventually(async () => {
      const sent = await deliveries(site)
      return sent.filter(({ status }) => status === 200).length === 2 ? sent : null
    })
    expect(await storyOf(site, 'one')).toHaveLength(4)
    expect(wordsOf(await open(site, 'one'))).not.toContain('Shows the latest events')
    await runSql(
      `insert into webhook_deliveries (event_id, site_id, url, status, attempted_at)
       select id, site_id, '', 200, now() - n * interval '1 minute' from webhook_events, generate_series(1, 21) n
       where site_id = $1 and slug = 'one'`,
      [site.id],
    )
    expect(await storyOf(site, 'one')).toHaveLength(23)
    expect(wordsOf(await open(site, 'one'))).toContain(
      'Shows the latest events, and the latest attempts for each.',
    )
  })
})

describe('the page of a ready draft says about article.ready that', () => {
  const noticeOf = async (site: TestSite) =>
    /(Ready\. The article|Ready, but|Marked ready, but).*?(?= Content )/.exec(
      wordsOf(await open(site, 'one')),
    )?.[0]

  it('it is being sent, and later that it has arrived', async () => {
    const site = await makeSite()
    await setWebhook(site, 'held')
    await markReady(site)
    await eventually(async () => ((await received(site)).length > 0 ? true : null))
    expect(await noticeOf(site)).toBe('Ready. The article.ready event is being sent.')
    expect(await storyOf(site, 'one')).toContain('Event article.ready, being sent')
    await release(site)
    const { id } = await finished(site)
    expect(await noticeOf(site)).toBe('Ready. The article.ready event has arrived. View delivery')
    expect((await open(site, 'one')).text).toContain(`/integrations/deliveries/${id}">View delivery</a>`)
  })

  it('it has not arrived, and why', async () => {
    const site = await makeSite()
    await setWebhook(site, 'status/500')
    await markReady(site)
    await finished(site)
    expect(await noticeOf(site)).toBe(
      'Ready, but the article.ready event has not arrived: Answered 500. View delivery and next steps',
    )
  })

  it('no webhook was set', async () => {
    const site = await makeSite()
    await markReady(site)
    expect(await noticeOf(site)).toBe(
      'Marked ready, but no webhook was set up at the time, so no event was sent. Set up a webhook',
    )
    await setWebhook(site, 'ok')
    expect(await noticeOf(site)).not.toContain('Set up a webhook')
  })

  it('it was sent for this readiness only, and only while the post is a ready draft', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await markReady(site)
    await finished(site)
    await site.put('one', { trustScore: 91 })
    expect(await noticeOf(site)).toBeUndefined()
    await site.manage('DELETE', '/webhook')
    await site.manage('PUT', '/posts/one/readiness')
    expect(await noticeOf(site)).toContain('no webhook was set')
    await site.manage('PUT', '/posts/one/publication')
    expect(await noticeOf(site)).toBeUndefined()
  })

  it('nothing is known once the event may have expired', async () => {
    const site = await makeSite()
    await markReady(site)
    await runSql(`update posts set ready_at = now() - interval '91 days' where site_id = $1`, [site.id])
    expect(await noticeOf(site)).toBeUndefined()
  })
})
