import { describe, expect, it } from 'vitest'
import { browse, unsigned, wordsOf } from '../../support/console.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import {
  addWebhook,
  deliveries,
  eventually,
  finished,
  received,
  release,
  setWebhook,
} from '../../support/webhook.ts'

const open = async (site: TestSite, slug = 'one') => (await browse(site)).open(`/content/posts/${slug}`)
const read = async (site: TestSite) => wordsOf(await open(site))

/** The lines of the history, newest first, without their times. */
async function historyOf(site: TestSite): Promise<string[]> {
  const { text } = await open(site)
  const list = /<ol class="timeline">(.*?)<\/ol>/s.exec(text)![1]!
  return list
    .split(/<li class="(?!row)\w+">/)
    .slice(1)
    .map((line) => wordsOf({ text: line.replace(/<time.*?<\/time>/, '') }).replaceAll(/\d+ ms/g, 'N ms'))
}

const markReady = (site: TestSite, slug = 'one') => site.manage('PUT', `/posts/${slug}/readiness`)

/** A site with a draft that is marked ready, and a webhook if there is a script for it. */
async function withReady(script?: string) {
  const site = await makeSite()
  if (script) await setWebhook(site, script)
  await site.put('one', { trustScore: 90 })
  await markReady(site)
  return site
}

describe('the history of a post', () => {
  it('has who published and unpublished it, including a post created as published', async () => {
    const site = await makeSite()
    await site.put('one', { status: 'published', publishedAt: '2020-01-02T03:04:05Z' })
    expect(await historyOf(site)).toEqual(['Created by OPERATOR_TOKEN', 'Published'])
    await site.manage('DELETE', '/posts/one/publication')
    await runSql("update posts set title = 'By hand' where site_id = $1", [site.id])
    expect(await historyOf(site)).toEqual([
      'Updated: title by SQL or the service itself',
      'Unpublished by OPERATOR_TOKEN',
      'Created by OPERATOR_TOKEN',
      'First published',
    ])
  })

  it('names up to three fields of an edit, and counts more', async () => {
    const site = await makeSite()
    await site.put('one', {})
    const edit = { title: 'New', contentHtml: '<p>New</p>', language: 'de' }
    await site.put('one', edit)
    await site.put('one', {
      ...edit,
      title: 'Newer',
      contentHtml: '<p>Newer</p>',
      language: 'fr',
      trustScore: 90,
    })
    const [last, first] = await historyOf(site)
    expect(first).toMatch(/^Updated: title, content, language by /)
    expect(last).toMatch(/^Updated \d fields by /)
  })

  it('has no publication for a draft that was created with a publication date', async () => {
    const site = await makeSite()
    await site.put('one', { publishedAt: '2020-01-02T03:04:05Z' })
    expect(await historyOf(site)).toEqual(['Created by OPERATOR_TOKEN'])
    expect(await read(site)).toContain('Publish date 2 Jan 2020, 03:04 UTC')
    await site.manage('PUT', '/posts/one/publication')
    expect(await read(site)).toContain('Published 2 Jan 2020')
  })

  it('has its event and the outcome, with a button to resend it that returns here', async () => {
    const site = await withReady('status/500')
    const { id, eventId } = await finished(site)
    const { host } = new URL((await site.manage('GET', '/webhook')).url)
    const ready = `Marked ready by OPERATOR_TOKEN article.ready ${host}`
    expect(await historyOf(site)).toEqual([`${ready} HTTP 500 Resend`, 'Created by OPERATOR_TOKEN'])
    const { at, submit } = await browse(site)
    const resends = `/integrations/deliveries/${id}/resends`
    expect((await open(site)).text).toContain(
      `<form method="post" action="${at(resends)}"><button type="submit" name="post" value="one" data-busy="Sending…"`,
    )
    await setWebhook(site, 'ok')
    const resent = await submit(resends, { post: 'one' })
    expect(unsigned(resent.location)).toBe(`${at('/content/posts/one')}?done=resent#history`)
    expect(resent.words).toContain('Resent. The receiver responded with 200.')
    expect(resent.words).toContain('Ready. The article.ready event was delivered.')
    await site.manage('POST', `/events/${eventId}/resends`)
    expect((await historyOf(site))[0]).toBe(`${ready} 3 attempts, resent by OPERATOR_TOKEN Delivered Resend`)
  })

  it('has one row for an event, with the outcome at each webhook by name, also after one was removed', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    await site.manage('PATCH', `/webhooks/${site.id}`, { name: 'CMS' })
    const { id, url } = await addWebhook(site, 'status/503')
    await site.manage('PATCH', `/webhooks/${id}`, { name: 'Search' })
    await site.put('one', { trustScore: 90 })
    await markReady(site)
    await expect
      .poll(async () => (await deliveries(site)).filter(({ status }) => status !== null).length)
      .toBe(2)
    const [ready, ...others] = await historyOf(site)
    expect(others).toEqual(['Created by OPERATOR_TOKEN'])
    expect(ready).toContain('CMS Delivered Resend')
    expect(ready).toMatch(/article\.ready 1 of 2 failed /)
    expect((await open(site)).text).toContain('<details class="event"><summary>article.ready ')
    expect(ready).toContain('Search HTTP 503 Resend')
    expect(await read(site)).toContain('Ready, but the article.ready event failed at Search: HTTP 503.')
    await site.manage('DELETE', `/webhooks/${id}`)
    expect((await historyOf(site))[0]).toMatch(new RegExp(`${new URL(url).host} HTTP 503(?! Resend)`))
    const earlier =
      "update webhook_events set created_at = created_at - interval '1 minute' where site_id = $1"
    await runSql(earlier, [site.id])
    const rows = (await historyOf(site)).filter((row) => row.includes('article.ready'))
    expect(rows).toEqual([expect.stringMatching(/^article\.ready 1 of 2 failed /)])
  })

  it('says why an event cannot be resent, and returns to its own page, whatever the form says', async () => {
    const site = await withReady('ok')
    const { id } = await finished(site)
    const { at, submit } = await browse(site)
    const resend = (post: string) => submit(`/integrations/deliveries/${id}/resends`, { post })
    expect(unsigned((await resend('//evil.example/../..')).location)).toBe(
      `${at('/content/posts/%2F%2Fevil.example%2F..%2F..')}?done=resent#history`,
    )
    await site.manage('DELETE', '/webhook')
    expect((await historyOf(site))[0]).toMatch(/2 attempts, resent by OPERATOR_TOKEN Delivered$/)
    const refused = await resend('one')
    expect(unsigned(refused.location)).toBe(`${at('/content/posts/one')}?refused=unset#history`)
    expect(refused.words).toContain('The webhook has been removed, so nothing was sent')
  })

  it('has nothing from other posts and sites, and says when it is cut', async () => {
    const [site, other] = [await withReady('ok'), await withReady('ok')]
    await site.put('two', { trustScore: 90 })
    await markReady(site, 'two')
    await finished(other)
    await expect
      .poll(async () => (await deliveries(site)).filter(({ status }) => status === 200).length)
      .toBe(2)
    expect(await historyOf(site)).toHaveLength(2)
    expect(await read(site)).not.toContain('Shows the latest events')
    await runSql(
      `insert into webhook_events (site_id, endpoint_id, event, payload, resource, resource_id, state, created_at)
       select site_id, endpoint_id, event, '', resource, resource_id, 'failed', now() - n * interval '1 day'
       from webhook_events, generate_series(1, 21) n where site_id = $1 and slug = 'one'`,
      [site.id],
    )
    expect(await historyOf(site)).toHaveLength(10)
    expect(await read(site)).toMatch(/Shows the latest events\..* 11 older /)
  })
})

describe('the page of a ready draft says about article.ready that', () => {
  const noticeOf = async (site: TestSite) =>
    /(Ready\. The article|Ready, but|Marked ready, but).*?(?= Content )/.exec(await read(site))?.[0]

  it('it is being sent, and later that it has arrived', async () => {
    const site = await withReady('held')
    await eventually(async () => ((await received(site)).length > 0 ? true : null))
    expect(await noticeOf(site)).toBe('Ready. The article.ready event is being sent.')
    expect(await historyOf(site)).toContainEqual(expect.stringMatching(/^Marked ready .* Sending$/))
    await release(site)
    const { id } = await finished(site)
    expect(await noticeOf(site)).toBe('Ready. The article.ready event was delivered. View delivery')
    expect((await open(site)).text).toContain(`/integrations/deliveries/${id}">View delivery</a>`)
  })

  it('it has not arrived, and why', async () => {
    const site = await withReady('status/500')
    await finished(site)
    expect(await noticeOf(site)).toBe(
      'Ready, but the article.ready event failed: HTTP 500. View delivery and next steps',
    )
  })

  it('no webhook was set, or nothing once the event may have expired', async () => {
    const site = await withReady()
    expect(await noticeOf(site)).toBe(
      'Marked ready, but no webhook was set up at the time, so no event was sent. To send one, edit the draft and mark it ready again. Add webhook',
    )
    await setWebhook(site, 'ok')
    expect(await noticeOf(site)).not.toContain('Add webhook')
    await runSql(`update posts set ready_at = now() - interval '91 days' where site_id = $1`, [site.id])
    expect(await noticeOf(site)).toBeUndefined()
  })

  it('it was sent for this readiness only, and only while the post is a ready draft', async () => {
    const site = await withReady('ok')
    await finished(site)
    await site.put('one', { trustScore: 91 })
    expect(await noticeOf(site)).toBeUndefined()
    await site.manage('DELETE', '/webhook')
    await markReady(site)
    expect(await noticeOf(site)).toContain('no webhook was set')
    await site.manage('PUT', '/posts/one/publication')
    expect(await noticeOf(site)).toBeUndefined()
  })
})
