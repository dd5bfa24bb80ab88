import { expect, it } from 'vitest'
import {
  browse,
  cookieOf,
  decode,
  errorBeside,
  filledIn,
  signIn,
  trySignIn,
  visit,
  wordsOf,
} from '../../support/console.ts'
import { putAll, putGuide } from '../../support/content.ts'
import { call, makeSite, manage } from '../../support/site.ts'
import { addWebhook, deliveries, eventually } from '../../support/webhook.ts'

const ALL = '/console/audit-log'
const visitAll = async (query: string) => visit(ALL + query, { cookie: await signIn() })

/** The page of the first entry in a list. */
const entryIn = ({ text }: { text: string }) => decode(/<a class="row-link" href="([^"]*)"/.exec(text)![1]!)

it('shows who did what, where and from which address, for a site and for the workspace', async () => {
  const site = await makeSite()
  const { id: actorId, name } = await manage('POST', '/operators', {
    name: `ada-${crypto.randomUUID()}`,
    role: 'admin',
  })
  const { open, read } = await browse(site)
  const link = await manage('POST', `/operators/${actorId}/sign-in-links`, {})
  const headers = { 'CF-Connecting-IP': '203.0.113.5' }
  const signedIn = await visit(new URL(link.url!).pathname, { form: {}, headers })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
  await open(`/keys/${site.keyId}/revocation`, { cookie, form: {}, headers })
  const list = await open('/audit-log?action=key')
  expect(wordsOf(list)).toContain(`${name} revoked the key “ test ” Console`)
  expect(await read(entryIn(list))).toMatch(
    new RegExp(
      `${name} revoked the key “ test ” .* · Console from 203\\.0\\.113\\.5 All changes to this record All changes by ${name}`,
    ),
  )
  await manage('PATCH', `/operators/${actorId}`, { name: `renamed-${name}` })
  // By id, since the name may have changed.
  const page = await open(`${ALL}?${new URLSearchParams({ actorId, action: 'key.revoked' })}`)
  expect(wordsOf(page)).toContain(`${name} revoked the key “ test ”`)
  expect(wordsOf(page)).toContain(`By ${name} ×`)
  expect(page.text).toContain(`<input type="hidden" name="actorId" value="${actorId}"`)
  expect(page.text).toMatch(/<option value="key\.revoked" selected[^>]*>Revoked keys</)
})

it('has no labels for actions that do not exist', async () => {
  const { open, read } = await browse(await makeSite())
  expect(await read(`${ALL}?action=constructor.x`)).toContain('Wrote “constructor x”')
  expect((await open('/console/people?done=constructor')).text).not.toContain('class="notice')
})

it('shows a new resource in one line, and all its fields on the page of the entry', async () => {
  const { open, read } = await browse(await makeSite(), '/audit-log')
  const list = await open('?action=site')
  expect(wordsOf(list)).toMatch(/created the site Test (?!.*Domain:)/)
  expect(await read(entryIn(list).replace(/^[^?]*/, ''))).toContain('Domain site.example.com')
})

it('groups entries of one request in a row that opens to them, and pages keep the filter', async () => {
  const site = await makeSite()
  await putAll(
    site,
    Array.from({ length: 60 }, (_, i) => ({ slug: `p${i}` })),
  )
  const { at, open } = await browse(site)
  const linkIn = ({ text }: { text: string }, pattern: RegExp) => decode(pattern.exec(text)![1]!)
  const list = await open('/audit-log?action=post')
  expect(wordsOf(list)).toContain('OPERATOR_TOKEN created 60 posts')
  expect(list.text.match(/<tr /g)).toHaveLength(2)
  const first = await open(entryIn(list))
  expect(first.text).toMatch(/<h1.*OPERATOR_TOKEN.* created 60 posts.*<\/h1>/)
  expect(linkIn(first, /class="hint" href="([^"]*)"/)).toBe(at('/audit-log'))
  expect(first.text).toContain(`href="${at('/content/posts/p59')}"`)
  const next = linkIn(first, /href="([^"]*cursor=[^"]+)"/)
  expect(next).toContain('changesetId=')
  expect(wordsOf(await open(next)).match(/ Created “/g)).toHaveLength(10)
})

it('folds what one person repeats within a minute, and shows it one by one on its page', async () => {
  const site = await makeSite()
  for (const slug of ['a', 'b', 'c', 'd']) await putGuide(site, slug, { title: 'A guide', status: 'draft' })
  const { open } = await browse(site)
  const list = await open('/audit-log?action=guide')
  // A minute may end between them.
  const [, count] = /OPERATOR_TOKEN created ([234]) guides Management API/.exec(wordsOf(list))!
  const page = await open(entryIn(list))
  expect(wordsOf(page).match(/OPERATOR_TOKEN created the guide “ A guide ”/g)).toHaveLength(Number(count))
})

it('opens exactly the changes that a row has put together', async () => {
  const site = await makeSite()
  const name = `Not OPERATOR_TOKEN ${crypto.randomUUID()}`
  const { id } = await manage('POST', '/operators', { name, role: 'editor' })
  const { token: key } = await manage('POST', `/operators/${id}/tokens`, {})
  const body = { title: 'C', contentHtml: '<p>C</p>' }
  for (const slug of ['a', 'b']) await putGuide(site, slug)
  await call(`/manage/v1${site.path}/guides/c`, { method: 'PUT', key, body })
  for (const slug of ['d', 'e']) await putGuide(site, slug)
  const { open } = await browse(site)
  const { text } = await open('/audit-log?action=guide')
  for (const [, href, words] of text.matchAll(/class="row-link" href="([^"]*)" title="([^"]* \d guides)"/g)) {
    const opened = wordsOf(await open(decode(href!))).match(/ created the guide “/g)
    expect(`OPERATOR_TOKEN created ${opened!.length} guides`).toBe(words)
  }
})

it('links to the log of the site from what is folded in the log of the workspace', async () => {
  const site = await makeSite()
  for (const slug of ['a', 'b', 'c']) await putGuide(site, slug)
  const reader = { name: crypto.randomUUID(), role: 'viewer', sites: [site.id] }
  const { id } = await manage('POST', '/operators', reader)
  const { token } = await manage('POST', `/operators/${id}/tokens`, {})
  const { at, open } = await browse(site)
  const { text } = await open(`${ALL}?action=guide`, { cookie: cookieOf(await trySignIn(token)) })
  const [, href] = /class="row-link" href="([^"]*since=[^"]*)"/.exec(text)!
  expect(href).toMatch(new RegExp(`^${at('/audit-log')}\\?`))
})

it('says a change of one field once', async () => {
  const site = await makeSite()
  await manage('PATCH', site.path, { name: 'Garden' })
  const { open, read } = await browse(site)
  const words = await read(entryIn(await open('/audit-log?action=site.updated')))
  expect(words).toContain('renamed the site Test to Garden')
  expect(words).not.toContain('Test → Garden')
})

it('finds a deleted post by its title, and links to resources that still exist', async () => {
  const site = await makeSite()
  await site.put('gone', { title: 'A vanished title' })
  await site.put('there', { title: 'A lasting title' })
  await site.manage('PUT', '/posts/there/slug', { slug: 'elsewhere' })
  await site.manage('DELETE', '/posts/gone')
  const { at, open } = await browse(site)
  const { text } = await open(`/audit-log?${new URLSearchParams({ subject: 'title' })}`)
  expect(wordsOf({ text })).toMatch(/deleted the post “A vanished title” .* created “A vanished title”/)
  expect(text).not.toContain('/content/posts/gone')
  expect(text).toContain(`<a href="${at('/content/posts/elsewhere')}"><bdi>A lasting title`)
  expect((await open('/audit-log?action=key')).text).toContain(`href="${at('/api#keys')}"`)
})

it('filters by times in UTC, as the fields send them without a script, and explains an invalid time', async () => {
  const { open, read } = await browse(await makeSite(), '/audit-log')
  const found = await open('?since=2020-01-31T10:00&until=2999-01-01T00:00:30')
  expect(wordsOf(found)).toContain('created the site Test')
  expect([filledIn('since', found), filledIn('until', found)]).toEqual([
    '2020-01-31T10:00',
    '2999-01-01T00:00:30',
  ])
  expect(await read('?since=2999-01-01T00:00')).toContain('No entries match')
  const refused = await open('?since=x')
  expect([refused.status, errorBeside('since', refused), filledIn('since', refused)]).toEqual([
    400,
    'From must be a date and time.',
    'x',
  ])
  expect(wordsOf(refused)).not.toMatch(/Nothing (was|found)/)
})

it.each(['actorId', 'changesetId'])('says that a link with the %s “foo” is wrong', async (name) => {
  const { status, text } = await visitAll(`?${name}=foo`)
  expect(status).toBe(400)
  expect(wordsOf({ text })).toContain(`${name} must be a UUID.`)
  expect(text).not.toContain('one person')
})

it('names what is deleted by now: a site, a post, a person, and the post of a preview link', async () => {
  const [site, token] = [await makeSite({ name: 'Garden' }), crypto.randomUUID()]
  const { id } = await manage('POST', '/operators', { name: token, role: 'editor', sites: [site.id] })
  await manage('POST', `/operators/${id}/tokens`, {})
  await site.put('roses', { title: 'How to prune roses' })
  const link = await site.manage('POST', '/posts/roses/preview-links', {})
  await site.manage('PUT', `/posts/roses/preview-links/${link.id}/revocation`)
  await site.manage('PUT', '/posts/roses/publication', {})
  await site.manage('DELETE', '/posts/roses')
  await manage('DELETE', `/operators/${id}`)
  await manage('DELETE', `${site.path}?confirm=Garden`)
  const { read } = await browse(await makeSite())
  const ofSite = await read(`${ALL}?subject=${site.id}`)
  expect(ofSite).toMatch(/started deleting the site Garden in a change with 3 entries Garden/)
  const posts = await read(`${ALL}?subject=roses`)
  for (const sentence of [
    'published “How to prune roses” Garden',
    'deleted the post “How to prune roses” Garden',
  ])
    expect(posts).toContain(`OPERATOR_TOKEN ${sentence}`)
  expect(await read(`${ALL}?subject=${link.id}`)).toContain('revoked a preview link to “How to prune roses”')
  const ofPerson = await read(`${ALL}?subject=${id}`)
  expect(ofPerson).toContain(`gave ${token} a token`)
  const [, page] = /href="([^"]*changesetId=[^"]*)"/.exec(
    (await visitAll(`?subject=${id}&action=operator.created`)).text,
  )!
  expect(await read(decode(page!))).toContain(`added ${token} as an editor of 1 site: Garden`)
})

it('names no site and no person out of reach to a person who is limited to sites', async () => {
  const [own, other] = [
    await makeSite({ name: 'Own' }),
    await makeSite({ name: `hidden-${crypto.randomUUID()}` }),
  ]
  const [self, friend] = [crypto.randomUUID(), crypto.randomUUID()]
  const { id } = await manage('POST', '/operators', { name: self, role: 'admin' })
  const { token } = await manage('POST', `/operators/${id}/tokens`, {})
  // As an admin, they limit and invite another, and are limited themselves afterwards.
  const asThem = (method: string, path: string, body: object) =>
    call(`/manage/v1${path}`, { method, key: token, body })
  const { id: friendId } = await manage('POST', '/operators', { name: friend, role: 'editor' })
  await asThem('PATCH', `/operators/${friendId}`, { sites: [own.id, other.id] })
  await asThem('POST', `/operators/${friendId}/tokens`, {})
  await manage('PATCH', `/operators/${id}`, { role: 'editor', sites: [own.id] })
  await asThem('PATCH', `/operators/${friendId}`, { sites: null })
  const cookie = cookieOf(await trySignIn(token))
  await visit(`/console/sites/${other.id}/keys/${other.keyId}/revocation`, { cookie, form: {} })
  const page = await visit(`${ALL}?actorId=${id}`, { cookie })
  expect(wordsOf(page)).toContain(`${self} limited ${friend} to 2 sites: Own, 1 more`)
  expect(wordsOf(page)).toContain(`${self} gave a person a token`)
  expect(page.text).not.toContain('hidden-')
  expect(page.text).not.toContain(`/console/people/${friendId}`)
})

it('names the webhook of a test event that was resent, and of a resend, by its name or host', async () => {
  const site = await makeSite()
  const { id, url } = await addWebhook(site, 'status/500', ['post.published'])
  const { submit, read } = await browse(site)
  await submit(`/integrations/webhooks/${id}/tests`)
  const [event] = await deliveries(site)
  await site.manage('POST', `/events/${event!.eventId}/resends`)
  expect(await read('/audit-log?action=event')).toContain(`resent a test event to “${new URL(url).host}”`)
  await site.manage('PATCH', `/webhooks/${id}`, { name: 'CMS' })
  await site.put('live', { status: 'published' })
  await eventually(async () =>
    (await deliveries(site)).find(({ event, status }) => event === 'post.published' && status),
  )
  await site.manage('POST', '/resends', { webhookId: id, failedSince: '2026-01-01T00:00:00Z' })
  expect(await read('/audit-log?action=event')).toContain('started resending 1 failed event to “CMS”')
})
