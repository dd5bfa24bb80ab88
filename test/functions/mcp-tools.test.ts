import { describe, expect, vi } from 'vitest'
import { makeKey, putGuide } from '../support/content.ts'
import { IN_TIME } from '../support/in-time.ts'
import { callTool, failureOf, makeOperator, post, rpc, textOf } from '../support/mcp.ts'
import { call, it, makeSite, manage, type TestSite } from '../support/site.ts'
import { runSql } from '../support/sql.ts'
import { finished, setWebhook } from '../support/webhook.ts'

type Json = Record<string, unknown>

const HTML =
  '<h2>Why</h2><p>A <strong>clean</strong> chain &amp; <a href="https://a.example/">oil</a>.</p><ul><li>One</li><li>Two</li></ul><pre><code class="language-sh">a\n\nb\n</code></pre><table><thead><tr><th>A</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>'
const MARKDOWN =
  '## Why\n\nA **clean** chain & [oil](https://a.example/).\n\n- One\n- Two\n\n```sh\na\n\nb\n```\n\n| A |\n| - |\n| 1 |\n'
const PROVENANCE = {
  sources: [{ url: 'https://s.example/1', title: 'S', claims: ['c'] }],
  generatedBy: 'model',
}

async function siteWithContent() {
  const site = await makeSite()
  await site.put('chain', {
    title: 'Chain: "clean"',
    contentHtml: HTML,
    language: 'en',
    provenance: PROVENANCE,
  })
  await site.put('out', { status: 'published' })
  await putGuide(site, 'guide', { contentHtml: HTML })
  return site
}

const used = async (site: TestSite) => {
  const { headers } = await site.get('/posts?pageSize=1', { headers: { 'If-None-Match': '*' } })
  return Number(headers.get('X-RateLimit-Limit')) - Number(headers.get('X-RateLimit-Remaining'))
}

describe('with a key', () => {
  it('find_posts lists posts without bodies, page by page', async () => {
    const site = await siteWithContent()
    const { content, structuredContent } = await callTool(site.key, 'find_posts')
    expect(structuredContent).toMatchObject({ total: 2, pageSize: 12 })
    expect(JSON.parse(content[0]!.text)).toEqual(structuredContent)
    expect(structuredContent!.items).toEqual([
      expect.objectContaining({ slug: 'out', status: 'published' }),
      expect.objectContaining({ slug: 'chain', status: 'draft', language: 'en' }),
    ])
    expect(content[0]!.text).not.toMatch(/contentHtml|schemaBundle/)
    const page = await callTool(site.key, 'find_posts', { page: 2, pageSize: 1, fields: 'title,contentHtml' })
    expect(page.structuredContent).toMatchObject({
      items: [{ slug: 'chain', contentHtml: HTML }],
      totalPages: 2,
    })
    const drafts = await callTool(site.key, 'find_posts', {
      status: 'draft',
      search: null,
      include: 'metadata',
    })
    expect(drafts.structuredContent).toMatchObject({ items: [{ slug: 'chain', metadata: { authors: [] } }] })
  })

  it('read_post and read_guide give the fields, then Markdown', async () => {
    const site = await siteWithContent()
    const text = await textOf(site.key, 'read_post', { slug: 'chain', include: 'provenance' })
    expect(text.split('---\n\n')[1]).toBe(MARKDOWN)
    for (const line of [
      'title: "Chain: \\"clean\\""',
      'status: "draft"',
      `provenance: ${JSON.stringify(PROVENANCE)}`,
    ])
      expect(text).toContain(`\n${line}\n`)
    expect(text).not.toMatch(/contentHtml|schemaBundle|null/)
    expect((await callTool(site.key, 'read_post', { slug: 'chain' })).structuredContent).toBe(undefined)
    expect((await textOf(site.key, 'read_guide', { slug: 'guide' })).split('---\n\n')[1]).toBe(MARKDOWN)
    const { key } = await makeKey(site, { access: 'published' })
    expect(await failureOf(key, 'read_post', { slug: 'chain' })).toBe('Post not found (404)')
  })

  it('the other tools return the data or the answer of the API', async () => {
    const site = await siteWithContent()
    const guides = await callTool(site.key, 'find_guides')
    expect(guides.structuredContent).toMatchObject({ items: [{ slug: 'guide', title: 'A title' }], total: 1 })
    expect(guides.content[0]!.text).not.toContain('contentHtml')
    await site.manage('PUT', '/posts/out/slug', { slug: 'moved' })
    const first = await callTool(site.key, 'list_changes', { limit: 1 })
    const { cursor, hasMore } = first.structuredContent as { cursor: string; hasMore: boolean }
    expect(hasMore).toBe(true)
    const rest = await callTool(site.key, 'list_changes', { cursor })
    expect(JSON.stringify(rest.structuredContent)).toContain('"slug":"moved"')
    expect((await callTool(site.key, 'list_redirects')).structuredContent).toMatchObject({
      items: [{ oldSlug: 'out', slug: 'moved' }],
    })
    expect(await textOf(site.key, 'get_sitemap')).toBe(await (await site.get('/sitemap.xml')).text())
    for (const [name, slug, below] of [
      ['get_post', 'chain', '/posts/chain'],
      ['get_guide', 'guide', '/guides/guide'],
    ] as const) {
      const { content, structuredContent } = await callTool(site.key, name, { slug })
      expect(content[0]!.text).toBe(await (await site.get(below)).text())
      expect(structuredContent).toEqual(JSON.parse(content[0]!.text))
    }
  })

  it('a call counts once, like a request to the API; refused and free calls do not count', async () => {
    const site = await siteWithContent()
    const before = await used(site)
    await callTool(site.key, 'find_posts')
    await callTool(site.key, 'read_post', { slug: 'chain' })
    await callTool(site.key, 'get_post', { slug: 'missing' })
    await callTool(site.key, 'list_changes')
    await callTool(site.key, 'get_sitemap')
    expect((await used(site)) - before).toBe(5)
    await callTool(site.key, 'find_posts', { page: 0 })
    await callTool(site.key, 'find_posts', { unknown: 1 })
    await callTool(site.key, 'find_guides')
    await callTool(site.key, 'list_redirects')
    for (const method of ['initialize', 'ping', 'tools/list'])
      await post({ key: site.key, body: rpc(method) })
    expect((await used(site)) - before).toBe(5)
  })

  it('a used-up quota is reported', async () => {
    const site = await makeSite({ dailyQuota: 1 })
    const params = { name: 'find_posts', arguments: {} }
    const first = await post({ key: site.key, body: rpc('tools/call', params) })
    expect([first.headers.get('X-RateLimit-Limit'), first.headers.get('X-RateLimit-Remaining')]).toEqual([
      '1',
      '0',
    ])
    const refused = await callTool(site.key, 'find_posts')
    expect(refused.content[0]!.text).toMatch(/^Daily request quota exceeded \(429\)\. Retry in \d+ s$/)
    expect(refused.structuredContent).toEqual({
      ...{ error: 'Daily request quota exceeded', status: 429 },
      retryAfterSeconds: expect.any(Number),
    })
  })

  it('an answer that is too large for a model is refused', async ({ site }) => {
    for (const [slug, length] of [
      ['large', 600_000],
      ['huge', 1_100_000],
      ['vast', 4_300_000],
    ] as const)
      await runSql(
        `insert into posts (site_id, slug, title, content_html, status) values ($1, $2, 'L', repeat('x', $3), 'draft')`,
        [site.id, slug, length],
      )
    expect(await failureOf(site.key, 'read_post', { slug: 'large' })).toContain('too large for Markdown')
    const { structuredContent, content } = await callTool(site.key, 'get_post', { slug: 'large' })
    expect([structuredContent, content[0]!.text.length > 600_000]).toEqual([undefined, true])
    for (const slug of ['huge', 'vast']) {
      expect(await failureOf(site.key, 'get_post', { slug })).toContain('too large for a tool')
      expect(await textOf(site.key, 'get_post', { slug, fields: 'title' })).toContain('"title":"L"')
    }
    await site.put('deep', { contentHtml: `${'<div>'.repeat(30_000)}x` })
    expect(await failureOf(site.key, 'read_post', { slug: 'deep' })).toMatch(/nested too deeply/)
  })
})

describe("with an operator's token", () => {
  it('finds sites and posts, and reads one as Markdown and as source', async () => {
    const site = await siteWithContent()
    const { token } = await makeOperator('viewer')
    const siteId = site.id
    const { structuredContent } = await callTool(token, 'list_sites', { limit: 100 })
    expect(structuredContent).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ id: siteId })]),
    })
    const found = await callTool(token, 'find_posts', { siteId, status: 'draft' })
    expect(found.structuredContent).toMatchObject({ items: [{ slug: 'chain' }], next: null })
    const text = await textOf(token, 'read_post', { siteId, slug: 'chain' })
    expect(text.split('---\n\n')[1]).toBe(MARKDOWN)
    expect(text).toMatch(/\nslug: "chain"\n/)
    expect(text).not.toMatch(/schemaBundle|contentHtml/)
    const stored = await callTool(token, 'get_post', { siteId, slug: 'chain' })
    expect(stored.structuredContent).toMatchObject({ post: { slug: 'chain', provenance: PROVENANCE } })
    expect((await textOf(token, 'read_guide', { siteId, slug: 'guide' })).split('---\n\n')[1]).toBe(MARKDOWN)
    expect((await callTool(token, 'find_guides', { siteId })).structuredContent).toMatchObject({
      items: [{ slug: 'guide' }],
    })
  })

  it('writes a draft with provenance, marks it ready, puts it again, publishes and unpublishes it', async () => {
    const site = await makeSite()
    await setWebhook(site, 'ok')
    const siteId = site.id
    const { token, name } = await makeOperator('editor')
    const slug = 'new'
    const args = {
      siteId,
      slug,
      title: 'New',
      contentHtml: HTML,
      qualityBand: 'premium',
      provenance: PROVENANCE,
    }
    const made = await callTool(token, 'put_post', args)
    expect(made.structuredContent).toMatchObject({ slug, outcome: 'created', status: 'draft' })
    expect(await site.json(`/posts/${slug}?include=provenance`)).toMatchObject({
      ...{ contentHtml: HTML, status: 'draft', provenance: PROVENANCE },
    })
    expect((await callTool(token, 'put_post', args)).structuredContent).toMatchObject({
      outcome: 'unchanged',
    })
    const ready = await callTool(token, 'mark_post_ready', { siteId, slug })
    const { eventId } = ready.structuredContent as { eventId: string }
    expect((await finished(site)).eventId).toBe(eventId)
    const resent = await callTool(token, 'resend_event', { siteId, eventId })
    expect(resent.structuredContent).toMatchObject({ eventId, status: 200 })
    const deliveries = await callTool(token, 'list_deliveries', { siteId })
    const { items } = deliveries.structuredContent as { items: { id: string; eventId: string }[] }
    expect(items.map((each) => each.eventId)).toEqual([eventId, eventId])
    expect(
      (await callTool(token, 'get_delivery', { siteId, deliveryId: items[0]!.id })).structuredContent,
    ).toMatchObject({
      id: items[0]!.id,
      request: { body: expect.stringContaining('article.ready') },
    })
    for (const [tool, status] of [
      ['publish_post', 'published'],
      ['unpublish_post', 'draft'],
    ] as const)
      expect((await callTool(token, tool, { siteId, slug })).structuredContent).toMatchObject({
        slug,
        status,
      })
    const log = await site.manage('GET', `/audit-log?actor=${name}`)
    expect(log.items.map(({ action, channel, actor }) => [action, channel, actor])).toEqual(
      ['post.unpublished', 'post.published', 'event.resent', 'post.marked_ready', 'post.created'].map(
        (action) => [...[action, 'mcp', name]],
      ),
    )
  })

  it('keeps the status of an article that it overwrites, and cannot set it', async () => {
    const site = await siteWithContent()
    const args = { siteId: site.id, slug: 'out', title: 'Again', contentHtml: '<p>x</p>' }
    const { token } = await makeOperator('editor')
    expect((await callTool(token, 'put_post', args)).structuredContent).toMatchObject({ status: 'published' })
    for (const field of ['status', 'originId', 'updatedAt', 'id'])
      expect(await failureOf(token, 'put_post', { ...args, [field]: 'draft' })).toBe(
        `Invalid arguments: ${field} is not a known argument`,
      )
  })

  it("fails with the operation's own message, and names each field", async () => {
    const site = await siteWithContent()
    const siteId = site.id
    const { token } = await makeOperator('editor')
    const put = await callTool(token, 'put_post', { siteId, slug: 'a', title: '', contentHtml: 7 })
    expect(put.content[0]!.text).toMatch(/^Invalid body: title .+; contentHtml .+ \(400\)$/)
    expect(put.structuredContent).toMatchObject({
      ...{ status: 400, issues: [{ path: 'title' }, { path: 'contentHtml' }] },
    })
    for (const [name, args, text] of [
      ['mark_post_ready', { siteId, slug: 'chain' }, 'Draft has not been quality-checked (409)'],
      ['publish_post', { siteId, slug: 'none' }, 'Post not found (404)'],
      ['publish_post', { siteId: crypto.randomUUID(), slug: 'out' }, 'Site not found (404)'],
      ['find_posts', { siteId: 'x' }, 'Site not found (404)'],
      ['resend_event', { siteId, eventId: 'x' }, 'Event not found (404)'],
      [
        'find_posts',
        { siteId, limit: 501 },
        'Invalid query parameter: limit must be an integer from 1 to 500 (400)',
      ],
      ['find_posts', {}, 'Invalid arguments: siteId is required'],
      ['publish_post', {}, 'Invalid arguments: siteId is required; slug is required'],
    ] as const)
      expect(await failureOf(token, name, args), `${name} ${JSON.stringify(args)}`).toBe(text)
  })

  it('logs an action that the role does not allow, as refused through MCP', async () => {
    const site = await siteWithContent()
    const { token, name } = await makeOperator('viewer')
    for (const tool of ['publish_post', 'unpublish_post', 'mark_post_ready'])
      expect(await failureOf(token, tool, { siteId: site.id, slug: 'chain' })).toBe(
        'Needs the role editor (403)',
      )
    expect(
      await failureOf(token, 'put_post', { siteId: site.id, slug: 'x', title: 'T', contentHtml: '' }),
    ).toBe('Needs the role editor (403)')
    expect(await site.json('/posts/chain')).toMatchObject({ status: 'draft' })
    await vi.waitFor(async () => {
      const { items } = await manage('GET', `/audit-log?actor=${name}`)
      expect(items.map(({ action, channel }) => [action, channel])).toContainEqual([
        'operator.refused',
        'mcp',
      ])
    }, IN_TIME)
  })

  it('is logged as MCP, and no header can change that', async ({ site }) => {
    const { token, name } = await makeOperator('editor')
    const headers = {
      'User-Agent': 'headless-content-api-cli',
      'X-Channel': 'mcp',
      'MCP-Protocol-Version': '2025-11-25',
    }
    await call(`/manage/v1${site.path}/posts/a`, {
      ...{ method: 'PUT', key: token, body: { title: 'A', contentHtml: '' } },
      headers: { ...headers, 'User-Agent': 'mcp' },
    })
    const args = { siteId: site.id, slug: 'b', title: 'B', contentHtml: '' }
    await post({ key: token, headers, body: rpc('tools/call', { name: 'put_post', arguments: args }) })
    const { items } = await site.manage('GET', `/audit-log?actor=${name}`)
    expect(items.map(({ subject, channel }) => [subject, channel])).toEqual([
      ['b', 'mcp'],
      ['a', 'management'],
    ])
  })
})

describe("an attacker's arguments", () => {
  const SLUGS =
    '../guides/guide .. . %2e%2e ..%2fguides a/../b chain?include=provenance chain#x chain/ /chain \\..\\'
  const ODD = ['', '\0', 'a\r\nX-Evil: 1', '\u202e', 'a'.repeat(9_000), ' chain', 'chain ']

  it('reach no other route or query', async () => {
    const site = await siteWithContent()
    const { token } = await makeOperator('editor')
    const refusal = /^(Post not found \(404\)|Invalid arguments: .+|Invalid .+ \(400\))$/s
    for (const slug of [...SLUGS.split(' '), ...ODD]) {
      expect(await failureOf(site.key, 'get_post', { slug }), slug.slice(0, 40)).toMatch(refusal)
      const written = await failureOf(token, 'publish_post', { siteId: site.id, slug })
      expect(written, slug.slice(0, 40)).toMatch(/not found|Invalid/)
    }
    for (const siteId of ['..', '../../operators', `${site.id}/posts/out/publication?`, '', site.id.slice(1)])
      expect(await failureOf(token, 'unpublish_post', { siteId, slug: 'out' })).toMatch(
        /not found|Invalid arguments/,
      )
    expect(await site.json('/posts/out')).toMatchObject({ status: 'published' })
    const { structuredContent } = await callTool(site.key, 'find_posts', { search: 'x&status=draft&page=9#' })
    expect(structuredContent).toMatchObject({ total: 0, page: 1 })
    expect((await callTool(site.key, 'find_posts', { language: 'en' })).structuredContent).toMatchObject({
      total: 1,
    })
    expect(await failureOf(site.key, 'find_posts', { language: 'en&status=all' })).toMatch(
      /^Invalid query parameter/,
    )
  })

  it("cannot name another site, or a parameter that the tool's schema lacks", async () => {
    const site = await siteWithContent()
    const other = await siteWithContent()
    for (const extra of 'siteId token If-None-Match Authorization format constructor toString'.split(' '))
      expect(await failureOf(site.key, 'find_posts', { [extra]: other.id })).toBe(
        `Invalid arguments: ${extra} is not a known argument`,
      )
    const sent = JSON.parse('{"slug":"chain","__proto__":{"siteId":"x"}}')
    expect(await failureOf(site.key, 'get_post', sent)).toBe(
      'Invalid arguments: __proto__ is not a known argument',
    )
  })

  it('are refused if they cannot be part of a URL, or are too long', async ({ site }) => {
    for (const slug of [1, [], null, { toString: 'a' }])
      expect(await failureOf(site.key, 'get_post', { slug })).toMatch(
        /^Invalid arguments: slug must be a string$/,
      )
    expect(await failureOf(site.key, 'get_post', { slug: '\ud800' })).toMatch(/well-formed/)
    for (const search of [[], {}, ['a', 'b']])
      expect(await failureOf(site.key, 'find_posts', { search })).toMatch(
        /^Invalid arguments: search must not be/,
      )
    for (const args of [{ slug: 'é'.repeat(9_000) }, { slug: 'a', fields: 'title,'.repeat(9_000) }])
      expect(await failureOf(site.key, 'get_post', args)).toBe('Invalid arguments: they are too long')
    const { token } = await makeOperator('editor')
    const put = { siteId: site.id, slug: 'a', title: 'T' }
    for (const contentHtml of ['a\0b', '\ud800'])
      expect(await failureOf(token, 'put_post', { ...put, contentHtml })).toMatch(
        /^Invalid body: contentHtml /,
      )
    const polluted = JSON.parse('{"__proto__":{"polluted":1},"article":{"__proto__":{"polluted":1}}}')
    await callTool(token, 'put_post', { ...put, contentHtml: 'x', schemaBundle: polluted })
    expect(({} as Json).polluted).toBe(undefined)
    expect(await failureOf(token, 'put_post', { ...put, contentHtml: 'x', faqJsonLd: 'x' })).toMatch(
      /^Invalid body/,
    )
  })
})
