import { describe, expect } from 'vitest'
import { stopAtMinute } from '../../support/clock.ts'
import { cookieOf, trySignIn, visit } from '../../support/console.ts'
import {
  call,
  it,
  makeSite,
  manage,
  operatorToken,
  post,
  type TestSite,
  tryManage,
} from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'
import { eventually, setWebhook } from '../../support/webhook.ts'

const logOf = async (site: Pick<TestSite, 'path'>, query: Record<string, string> = {}) =>
  (await manage('GET', `${site.path}/audit-log?${new URLSearchParams(query)}`)).items
const newest = async (site: Pick<TestSite, 'path'>) => (await logOf(site, { limit: '1' }))[0]

async function makeOperator(role = 'admin') {
  const name = `ada-${crypto.randomUUID()}`
  const { id } = await manage('POST', '/operators', { name, role })
  return {
    id,
    name,
    token: await manage('POST', `/operators/${id}/tokens`, {}),
  }
}

/** Entries from an address, newest first. Some are written after the answer. */
async function logFrom(actor: string, address: string, count: number) {
  const query = new URLSearchParams({ action: 'operator', actor, limit: '500' })
  return eventually(async () => {
    const { items } = await manage('GET', `/audit-log?${query}`)
    const found = items.filter((entry) => entry.address === address)
    return found.length >= count ? found : null
  })
}

describe('an entry of the audit log', () => {
  it('has the actor, action, time, source, interface and changes', async ({ site }) => {
    const { id } = await site.put('a', { language: 'en', trustScore: 91 })
    const since = Date.now()
    const headers = { 'CF-Connecting-IP': '203.0.113.9', 'User-Agent': 'headless-content-api-cli' }
    await call(`/manage/v1${site.path}/posts/a/publication`, { method: 'PUT', key: operatorToken, headers })
    const entry = await newest(site)
    expect(entry).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      siteId: site.id,
      siteName: 'Test',
      action: 'post.published',
      resourceId: id,
      subject: 'a',
      title: null,
      before: { status: 'draft' },
      after: { status: 'published', publishedAt: expect.stringMatching(/^20.*Z$/) },
      actorId: null,
      actor: 'OPERATOR_TOKEN',
      channel: 'cli',
      address: '203.0.113.9',
      changeset: { id: expect.any(String), entries: 1, actions: { 'post.published': 1 } },
    })
    expect(Math.abs(Date.parse(entry!.at) - since)).toBeLessThan(60_000)
  })

  it('records that SQL gave a key or a token another hash, access, site or operator, and shows no hash', async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    const hash = 'c'.repeat(32) + crypto.randomUUID().replaceAll('-', '')
    await runSql('update api_keys set key_hash = $2 where id = $1', [site.keyId, hash])
    const entry = await newest(site)
    const hidden = { keyHash: 'not shown' }
    const bySql = { action: 'key.updated', actor: null, channel: 'database', address: null }
    expect(entry).toMatchObject({ ...bySql, before: hidden, after: hidden })
    await runSql("update api_keys set access = 'sitemap' where site_id = $1", [site.id])
    await runSql("update api_keys set access = 'full' where site_id = $1", [site.id])
    expect(await newest(site)).toMatchObject({ before: { access: 'sitemap' }, after: { access: 'full' } })
    await runSql('update api_keys set site_id = $2 where id = $1', [site.keyId, other.id])
    expect(await newest(other)).toMatchObject({ action: 'key.updated', before: { siteId: site.id } })

    const [ada, eve] = [await makeOperator(), await makeOperator()]
    await runSql('update operator_tokens set token_hash = $2 where id = $1', [ada.token.id, hash])
    await runSql('update operator_tokens set operator_id = $2 where id = $1', [ada.token.id, eve.id])
    const updatesOf = async ({ id }: { id: string }) =>
      (await manage('GET', `/audit-log?action=token.updated&resourceId=${id}`)).items
    const [ofAda, ofEve] = [await updatesOf(ada), await updatesOf(eve)]
    expect(ofAda).toMatchObject([{ before: { tokenHash: 'not shown' }, after: { tokenHash: 'not shown' } }])
    expect(ofEve).toMatchObject([{ before: { operatorId: ada.id }, after: { operatorId: eve.id } }])
    expect(JSON.stringify([entry, ofAda, ofEve])).not.toContain(hash)
  })

  it('for settings has only the changed ones', async () => {
    const site = await makeSite({ plan: 'free' })
    await site.manage('PATCH', '', { plan: 'growth', name: 'Test', dailyQuota: 5 })
    expect(await newest(site)).toMatchObject({
      action: 'site.updated',
      before: { plan: 'free' },
      after: { plan: 'growth', dailyQuota: 5 },
    })
  })

  it('is not written for a write that changes nothing or is refused', async ({ site }) => {
    await site.put('a')
    await site.put('b')
    const { length } = await logOf(site)
    await site.put('a')
    await site.manage('PATCH', '', { name: 'Test' })
    await site.manage('DELETE', '/posts/a/publication')
    expect((await site.tryManage('PUT', '/posts/a/slug', { slug: 'b' })).status).toBe(409)
    const posts = [
      { ...post(), slug: 'c' },
      { ...post(), slug: 'd', sourceSlug: 'none' },
    ]
    expect((await site.tryManage('PUT', '/posts', { posts })).status).toBe(400)
    expect(await logOf(site)).toHaveLength(length)
  })

  it('is written for SQL too, with the database as its actor', async ({ site }) => {
    await site.put('a')
    await runSql("update posts set status = 'published' where site_id = $1", [site.id])
    const bySql = { actor: null, channel: 'database', address: null }
    expect(await newest(site)).toMatchObject({ ...bySql, action: 'post.published' })
  })

  it('for a test event sent with a key names the key', async ({ site }) => {
    await setWebhook(site, 'ok')
    await call('/api/v1/webhooks/test', { method: 'POST', key: site.key })
    expect(await newest(site)).toMatchObject({
      action: 'webhook.tested',
      actor: null,
      actorId: site.keyId,
      channel: 'api',
    })
  })

  it('has no content but titles, and no secrets: not of a post, training row, key, token, webhook or sitemap', async () => {
    const site = await makeSite({ trainingOptIn: true })
    const secret = await setWebhook(site, 'ok')
    await site.manage('PUT', '/webhook', { url: 'https://hooks.example.com/a?token=CANARY' })
    const { url } = await site.manage('PUT', '/sitemap')
    const words = {
      contentHtml: '<p>CANARY</p>',
      excerpt: 'CANARY',
      seo: { metaDescription: 'CANARY' },
    }
    await site.put('a', words)
    await site.put('a', { ...words, title: 'Again', faqJsonLd: { a: 'CANARY' } })
    await site.manage('POST', '/training-rows', { rows: [{ prompt: 'CANARY', completion: 'CANARY' }] })
    const operator = await manage('POST', '/operators', {
      name: crypto.randomUUID(),
      role: 'viewer',
    })
    const { token } = await manage('POST', `/operators/${operator.id}/tokens`, {})
    const rows = await runSql('select * from audit_log where site_id = $1 or resource_id = $2', [
      site.id,
      operator.id,
    ])
    expect(rows.length).toBeGreaterThan(8)
    const text = JSON.stringify(rows)
    const sitemapId = url.split('/').at(-2)!
    for (const leak of ['CANARY', secret, sitemapId, site.key, token]) expect(text).not.toContain(leak)
  })

  it('outlives its site, whose posts get no further entries when it is deleted', async ({ site }) => {
    await site.put('a')
    await manage('DELETE', `${site.path}?confirm=Test`)
    const actions = (await logOf(site)).map(({ action }) => action)
    const story = 'site.deleted site.deletion_started key.deleted post.created key.created site.created'
    expect(actions.join(' ')).toBe(story)
    expect((await newest(site))!.siteName).toBeNull()
  })
})

describe('the audit log', () => {
  it('is paged, newest first, and filtered by name, action, noun, resource and time', async ({ site }) => {
    const { id } = await site.put('a')
    await site.put('b')
    await site.manage('PUT', '/posts/a/publication')
    const first = await manage('GET', `${site.path}/audit-log?limit=2`)
    expect(first.items.map(({ action }) => action)).toEqual(['post.published', 'post.created'])
    const rest = await manage('GET', `${site.path}/audit-log?limit=500&cursor=${first.next}`)
    expect(rest.next).toBeNull()
    const all = [...first.items, ...rest.items]
    expect(await logOf(site)).toEqual(all)
    const actions = async (query: Record<string, string>) =>
      (await logOf(site, query)).map(({ action, subject }) => `${action} ${subject}`)
    expect(await actions({ action: 'post' })).toEqual([
      'post.published a',
      'post.created b',
      'post.created a',
    ])
    expect(await actions({ action: 'post.published' })).toEqual(['post.published a'])
    expect(await tryManage('GET', `${site.path}/audit-log?action=nonsense`)).toMatchObject({
      status: 400,
      body: {
        error: expect.stringMatching(/action must be post, guide, .* or operator, or one of its actions/),
      },
    })
    expect(await tryManage('GET', `${site.path}/audit-log?action=sitemap.moved`)).toMatchObject({
      body: {
        error: expect.stringContaining('must be sitemap.published, sitemap.renewed or sitemap.unpublished'),
      },
    })
    expect(await logOf(site, { actorId: site.keyId })).toEqual([])
    expect(await actions({ resourceId: id.toUpperCase() })).toEqual(['post.published a', 'post.created a'])
    expect(await actions({ resourceId: id })).toEqual(['post.published a', 'post.created a'])
    expect(await logOf(site, { actor: 'operator_tok' })).toEqual(all)
    expect(await logOf(site, { actor: 'nobody' })).toEqual([])
    const { at } = first.items[0]!
    expect(await logOf(site, { since: at, until: at })).toEqual([])
    expect((await logOf(site, { until: new Date(Date.parse(at) + 1).toISOString() })).length).toBe(all.length)
  })

  it.each([
    ['cursor=x', 'cursor must be the `next` of a page'],
    ['resourceId=x', 'resourceId must be a UUID'],
    ['since=yesterday', 'since must be an RFC 3339 date-time with offset'],
    ['limit=0', 'limit must be an integer from 1 to 500'],
  ])('refuses ?%s', async (query, problem) => {
    expect(await tryManage('GET', `/audit-log?${query}`)).toMatchObject({
      status: 400,
      body: { error: `Invalid query parameter: ${problem}` },
    })
  })

  it('cannot be changed, deleted or emptied', async () => {
    // The Worker's role may not truncate any table.
    const refused = /The audit log is append-only|permission denied/
    const site = await makeSite()
    for (const statement of [
      `update audit_log set actor = 'eve' where site_id = '${site.id}'`,
      `delete from audit_log where site_id = '${site.id}'`,
      'truncate audit_log',
    ]) {
      await expect(runSql(statement)).rejects.toThrow(refused)
    }
  })

  it('is committed together with its write, or not at all', async ({ site }) => {
    await site.put('a')
    // No entry can be written for this actor.
    const publication = runSql(
      `update posts set status = 'published'
       from (select set_config('audit.actor_id', 'no UUID', true) as actor) broken
       where site_id = $1 and broken.actor is not null`,
      [site.id],
    )
    await expect(publication).rejects.toThrow('invalid input syntax for type uuid')
    expect(await site.json('/posts/a')).toMatchObject({ status: 'draft' })
  })
})

describe('a group of entries', () => {
  type Headers = Record<string, string>
  const write = (site: TestSite, path: string, body: unknown, headers: Headers = {}, key = operatorToken) =>
    call(`/manage/v1${site.path}${path}`, { method: 'PUT', key, body, headers })
  const some = (from: number, count: number) => ({
    posts: Array.from({ length: count }, (_, i) => ({ ...post(), slug: `p${from + i}` })),
  })
  const changesets = async (site: Pick<TestSite, 'path'>, query: Record<string, string> = {}) =>
    (await logOf(site, { per: 'changeset', ...query })).map(({ changeset }) => changeset.actions)

  it('is one row for all writes of a request, with their number, and opens to its entries', async () => {
    const site = await makeSite()
    await write(site, '/posts', some(0, 3))
    await write(site, '/posts', { posts: [...some(3, 99).posts, { ...post(), slug: 'p0', title: 'Other' }] })
    expect(await changesets(site, { action: 'post' })).toEqual([
      { 'post.created': 99, 'post.updated': 1 },
      { 'post.created': 3 },
    ])
    const [entry] = await logOf(site, { per: 'changeset', action: 'post.updated' })
    expect(entry).toMatchObject({ subject: 'p0', title: 'Other', changeset: { entries: 100 } })
    const { items, next } = await manage(
      'GET',
      `${site.path}/audit-log?changesetId=${entry!.changeset.id}&limit=60`,
    )
    const rest = await logOf(site, { changesetId: entry!.changeset.id, cursor: next!, limit: '60' })
    const slugs = [...items, ...rest].map(({ subject }) => subject)
    expect([slugs.length, new Set(slugs).size]).toEqual([100, 100])
  })

  it('joins several requests of one operator by a header, and never those of another', async ({ site }) => {
    const other = await makeOperator('editor')
    const headers = { 'X-Changeset-Id': crypto.randomUUID() }
    for (let from = 0; from < 3; from++) await write(site, '/posts', some(from * 10, 10), headers)
    await write(site, '/posts', some(50, 1), headers, other.token.token)
    await write(site, '/posts', some(60, 1), { 'X-Changeset-Id': 'no UUID' })
    // The hour may end between two of them.
    const counts = (await changesets(site, { action: 'post' })).map((actions) => actions['post.created']!)
    expect(counts.slice(0, 2)).toEqual([1, 1])
    expect(counts.slice(2).reduce((sum, count) => sum + count, 0)).toBe(30)
    expect(counts.length).toBeLessThan(5)
  })

  it('for SQL covers its transaction', async ({ site }) => {
    await write(site, '/posts', some(0, 5))
    await runSql("update posts set status = 'published' where site_id = $1", [site.id])
    expect((await changesets(site))[0]).toEqual({ 'post.published': 5 })
  })

  it('counts only the entries that its reader may see', async () => {
    const [site, other] = [await makeSite(), await makeSite()]
    const headers = { 'X-Changeset-Id': crypto.randomUUID() }
    for (const path of [site, other]) await write(path, '/posts', some(0, 2), headers)
    for (const path of [site, other])
      expect(await changesets(path, { action: 'post' })).toEqual([{ 'post.created': 2 }])
  })
})

describe('a search of the audit log', () => {
  const found = async (site: Pick<TestSite, 'path'>, subject: string, query: Record<string, string> = {}) =>
    (await logOf(site, { subject, ...query })).map(({ action }) => action)

  it('finds the history of a deleted post by any slug or title that it had', async ({ site }) => {
    const { id } = await site.put('first-name', { title: 'Köln im Regen' })
    await site.put('beside', { title: 'Another' })
    await site.manage('PUT', '/posts/first-name/slug', { slug: 'second-name' })
    await site.put('second-name', { title: 'Sunny days' })
    await site.manage('PUT', '/posts/second-name/publication')
    await site.manage('DELETE', '/posts/second-name')
    const story = ['post.deleted', 'post.published', 'post.updated', 'post.renamed', 'post.created']
    for (const subject of [id, 'first-name', 'second', 'regen koln', 'SUNNY'])
      expect(await found(site, subject)).toEqual(story)
    expect(await found(site, 'sunny', { action: 'post.created', per: 'changeset' })).toEqual(['post.created'])
    expect(await found(site, 'sunny regen')).toEqual([])
    expect(await found(site, '%')).toEqual([])
  })

  it('finds keys, webhooks, redirects and people by name', async ({ site }) => {
    const { id } = await site.manage('POST', '/keys', { name: 'Nightly export' })
    await site.manage('PUT', `/keys/${id}/revocation`)
    expect(await found(site, 'nightly')).toEqual(['key.revoked', 'key.created'])
    expect(await found(site, id)).toEqual(['key.revoked', 'key.created'])
    await site.manage('PUT', '/webhook', { url: 'https://hooks.example.com/in?token=x' })
    expect(await found(site, 'hooks.example.com')).toEqual(['webhook.created'])
    await site.manage('PUT', '/redirects', {
      redirects: [{ from: '/old/path', to: 'https://example.com/new' }],
    })
    expect(await found(site, '/old/path')).toEqual(['redirect.created'])
    const { name, id: person } = await makeOperator()
    const { items } = await manage('GET', `/audit-log?subject=${name}`)
    expect(items.map(({ action }) => action)).toEqual(['token.created', 'operator.created'])
    const refused = await manage('GET', `/audit-log?subject=${person}&per=changeset`)
    expect(refused.items).toHaveLength(2)
  })
})

describe('although they change nothing, the audit log has', () => {
  it('signing in and out, but not the end of a session that expired', async () => {
    const { id, name, token } = await makeOperator('viewer')
    const address = `203.0.113.${Math.floor(Math.random() * 256)}-${crypto.randomUUID()}`
    const headers = { 'CF-Connecting-IP': address }
    const cookie = cookieOf(await trySignIn(token.token, { address }))
    for (let times = 0; times < 2; times++) await visit('/console/sign-out', { cookie, form: {}, headers })
    const entries = await logFrom(name, address, 2)
    expect(entries.map(({ action }) => action)).toEqual(['operator.signed_out', 'operator.signed_in'])
    expect(entries[0]).toMatchObject({ actorId: id, actor: name, channel: 'console' })
    await trySignIn(token.token, { address })
    await runSql("update console_sessions set expires_at = now() - interval '1 s' where token_id = $1", [
      token.id,
    ])
    const ended = await runSql(
      `delete from console_sessions using (select set_config('audit.address', $2, true) as address) a
       where token_id = $1 and a.address is not null returning 1`,
      [token.id, address],
    )
    expect(ended).toHaveLength(1)
    expect(await logFrom(name, address, 3)).toHaveLength(3)
  })

  it('writes that a role does not allow, each at most once a minute', async () => {
    stopAtMinute()
    const site = await makeSite()
    const { id, name, token } = await makeOperator('viewer')
    const address = crypto.randomUUID()
    const headers = { 'CF-Connecting-IP': address }
    const write = (eventId: string) =>
      call(`/manage/v1${site.path}/events/${eventId}/resends?secret=CANARY`, {
        method: 'POST',
        key: token.token,
        headers,
      })
    for (const eventId of [id, id, site.id]) expect((await write(eventId)).status).toBe(403)
    const cookie = cookieOf(await trySignIn(token.token))
    const form = { name: 'x', access: 'full' }
    await visit(`/console${site.path}/keys`, { cookie, headers, form })
    const entries = await logFrom(name, address, 2)
    expect(entries.map(({ subject }) => subject).sort()).toEqual([
      `POST /console${site.path}/keys`,
      `POST /manage/v1${site.path}/events/${id}/resends`,
    ])
    for (const entry of entries)
      expect(entry).toMatchObject({ action: 'operator.refused', actorId: id, actor: name })
  })
})
