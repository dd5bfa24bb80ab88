import { expect, it } from 'vitest'
import { browse, decode, errorBeside, filledIn, visit, wordsOf } from '../../support/console.ts'
import { putAll } from '../../support/content.ts'
import { makeSite, manage } from '../../support/site.ts'

const ALL = '/console/audit-log'

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
  expect(await read('/audit-log?action=key')).toMatch(
    new RegExp(`Revoked key test ${name} Console 203.0.113.5`),
  )
  await manage('PATCH', `/operators/${actorId}`, { name: `renamed-${name}` })
  // By id, since the name may have changed.
  const page = await open(`${ALL}?${new URLSearchParams({ actorId, action: 'key.revoked' })}`)
  expect(wordsOf(page)).toContain('Revoked key test')
  expect(wordsOf(page)).toContain(`Showing only changes by ${name}.`)
  expect(page.text).toContain(`<input type="hidden" name="actorId" value="${actorId}"`)
  expect(page.text).toMatch(/<option value="key\.revoked" selected[^>]*>Revoked key</)
})

it('has no labels for actions that do not exist', async () => {
  const { open, read } = await browse(await makeSite())
  expect(await read(`${ALL}?action=constructor.x`)).toContain('X constructor')
  expect((await open('/console/people?done=constructor')).text).not.toContain('class="notice')
})

it('shows a new resource in one line, and all its fields on the page of the entry', async () => {
  const { open, read } = await browse(await makeSite(), '/audit-log')
  const list = await open('?action=site')
  expect(wordsOf(list)).toMatch(/Created site (?!.*Domain:)/)
  const [, page] = /href="([^"]*changesetId=[^"]*)"/.exec(list.text)!
  expect(await read(decode(page!).replace(/^[^?]*/, ''))).toContain('Domain: site.example.com')
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
  expect(wordsOf(list)).toContain('Created 60 posts')
  expect(list.text.match(/<tr /g)).toHaveLength(2)
  const first = await open(linkIn(list, /href="([^"]*)">Created 60 posts/))
  expect(wordsOf(first)).toContain('Showing a single change: Created 60 posts')
  expect(first.text).toContain(`href="${at('/content/posts/p59')}"`)
  const next = linkIn(first, /href="([^"]*cursor=[^"]+)"/)
  expect(next).toContain('changesetId=')
  expect(wordsOf(await open(next)).match(/Created post/g)).toHaveLength(10)
})

it('finds a deleted post by its title, and links to resources that still exist', async () => {
  const site = await makeSite()
  await site.put('gone', { title: 'A vanished title' })
  await site.put('there', { title: 'A lasting title' })
  await site.manage('PUT', '/posts/there/slug', { slug: 'elsewhere' })
  await site.manage('DELETE', '/posts/gone')
  const { at, open } = await browse(site)
  const { text } = await open(`/audit-log?${new URLSearchParams({ subject: 'title' })}`)
  expect(wordsOf({ text })).toMatch(
    /Deleted post gone A vanished title .* Created post gone A vanished title/,
  )
  expect(text).not.toContain('/content/posts/gone')
  expect(text).toContain(`<a href="${at('/content/posts/elsewhere')}"><code class="slug" dir="auto">there`)
  expect((await open('/audit-log?action=key')).text).toContain(`href="${at('/api#keys')}"`)
})

it('has shortcuts for common days, in UTC without a script', async () => {
  const { open } = await browse(await makeSite())
  const { text } = await open(`${ALL}?action=post`)
  const [, query] = /href="\/console\/audit-log\?([^"]*)" data-day="-1"/.exec(text)!
  const { since, until, action } = Object.fromEntries(new URLSearchParams(decode(query!)))
  expect(action).toBe('post')
  expect([since, until].map((at) => at!.slice(10))).toEqual(['T00:00:00.000Z', 'T00:00:00.000Z'])
  expect(Date.parse(until!) - Date.parse(since!)).toBe(86_400_000)
  const day = await open(`${ALL}?since=${since}&until=${until}`)
  expect(day.text).toMatch(/data-day="-1" aria-current="true"/)
})

it('filters by times in UTC, as the fields send them without a script, and explains an invalid time', async () => {
  const { open, read } = await browse(await makeSite(), '/audit-log')
  const found = await open('?since=2020-01-31T10:00&until=2999-01-01T00:00:30')
  expect(wordsOf(found)).toContain('Created site')
  expect([filledIn('since', found), filledIn('until', found)]).toEqual([
    '2020-01-31T10:00',
    '2999-01-01T00:00:30',
  ])
  expect(await read('?since=2999-01-01T00:00')).toContain('Nothing found')
  const refused = await open('?since=x')
  expect([refused.status, errorBeside('since', refused), filledIn('since', refused)]).toEqual([
    400,
    'From must be an RFC 3339 date-time with offset.',
    'x',
  ])
  expect(wordsOf(refused)).not.toMatch(/Nothing (was|found)/)
})
