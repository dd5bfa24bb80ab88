import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { api } from '../../functions/api/api.ts'
import { manage } from '../../functions/manage/manage.ts'
import { SLUG } from '../../src/content/model/slug.ts'
import { eventKinds } from '../../src/core/enums.ts'
import { faultsOf, type Schema } from '../support/json-schema.ts'
import { operationsOf, readDocument, takesToken } from '../support/openapi.ts'
import { call, ORIGIN, operatorToken } from '../support/site.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const APIS = [
  { root: '/api/v1', app: api, key: null },
  { root: '/manage/v1', app: manage, key: operatorToken },
]

/** The path with any value for its parameters. */
const fill = (path: string) => path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')

describe.each(APIS)('the description of $root', ({ root, app, key }) => {
  it('is public OpenAPI 3.1 in ASCII, version 1.0.0, with a contact, a licence, a relative server URL and the purpose of its parts', async () => {
    const response = await call(`${root}/openapi.json`)
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toMatch(/^application\/json(;|$)/)
    const document = await readDocument(root)
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(JSON.stringify(document)).toMatch(/^[ -~]*$/)
    const { info, tags, paths, servers } = document
    expect(info.version).toBe('1.0.0')
    expect(info.contact).toEqual({ name: expect.stringMatching(/\w/) })
    expect(info.license).toEqual({ name: 'MIT', identifier: 'MIT' })
    for (const { name, description } of tags) expect(description, name).toMatch(/\w/)
    const named = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap((each) => each.tags),
    )
    expect([...new Set(named)].sort()).toEqual(tags.map(({ name }) => name).sort())
    for (const origin of ['http://127.0.0.1:8787', 'https://cms.example.org', ORIGIN]) {
      const found = `${origin}${root}/openapi.json`
      expect(servers.map(({ url }) => new URL(url, found).href)).toEqual([origin + root])
    }
    expect(response.headers.get('Cache-Control')).toBe('private, max-age=300')
  })

  it('is right about HEAD: every path that answers GET answers HEAD with the same status and no body', async () => {
    const document = await readDocument(root)
    expect(document.info.description).toContain('HEAD')
    for (const [path, methods] of Object.entries(document.paths)) {
      expect(Object.keys(methods), path).not.toContain('head')
      const head = await call(root + fill(path), { method: 'HEAD', key })
      const { status } = await call(root + fill(path), { key })
      expect(head.status, path).toBe('get' in methods ? status : 405)
      expect(await head.text(), path).toBe('')
    }
  })

  it('has every route, and no other', async () => {
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && path !== '/openapi.json')
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    const described = operationsOf(await readDocument(root)).map(({ method, path }) => `${method} ${path}`)
    expect(described.sort()).toEqual([...new Set(routes)].sort())
  })

  it('has a valid example of every body', async () => {
    const { paths, webhooks = {}, components } = await readDocument(root)
    const described = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) =>
      Object.values(methods).flatMap(({ operationId, requestBody, responses }) =>
        [requestBody, ...Object.values(responses)].flatMap((each) =>
          Object.values(each?.content ?? {}).map((content) => ({ operationId, ...content })),
        ),
      ),
    )
    expect(described.length).toBeGreaterThan(30)
    for (const { operationId, schema, example } of described) {
      expect(example, operationId).toBeDefined()
      expect(faultsOf(example, schema, components), operationId).toEqual([])
    }
  })

  it('is right about methods: every other method is 405 with the described ones in Allow', async () => {
    const document = await readDocument(root)
    for (const [path, methods] of Object.entries(document.paths)) {
      const allowed = Object.keys(methods).map((method) => method.toUpperCase())
      for (const method of METHODS.filter((each) => !allowed.includes(each))) {
        const response = await call(root + fill(path), { method, key })
        expect(response.status, `${method} ${path}`).toBe(405)
        expect(response.headers.get('Allow')?.split(', '), path).toEqual(expect.arrayContaining(allowed))
        expect(await response.json()).toEqual({ error: 'Method not allowed' })
      }
    }
  })

  it('describes every operation: its id, security, path parameters, and X-Request-Id on every response', async () => {
    const document = await readDocument(root)
    const operations = operationsOf(document)
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
    for (const operation of operations) {
      const { operationId, path, responses } = operation
      expect(operationId).toMatch(/^[a-z][A-Za-z]+$/)
      const security = operation.security ?? document.security ?? []
      expect(security.length, operationId).toBeGreaterThan(0)
      for (const scheme of security.flatMap(Object.keys)) {
        expect(document.components.securitySchemes, operationId).toHaveProperty(scheme)
      }
      const parameters = (operation.parameters ?? []).filter((each) => each.in === 'path' && each.required)
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(parameters.map(({ name }) => name).sort(), operationId).toEqual(named.sort())
      expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['401', '500']))
      for (const [status, answer] of Object.entries(responses)) {
        expect(answer.description, `${operationId} ${status}`).toMatch(/\w/)
        expect(Object.keys(answer.headers ?? {}), `${operationId} ${status}`).toContain('X-Request-Id')
      }
    }
  })
})

/** Places with `x-addition`, with the name of a parameter instead of its index. */
function markedIn(value: unknown, at: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { name, 'x-addition': marked } = value as { name?: string; 'x-addition'?: boolean }
  const below = Object.entries(value).flatMap(([key, child]) => markedIn(child, [...at, key]))
  return marked ? [[...at.slice(0, name ? -1 : undefined), name ?? []].flat().join('.'), ...below] : below
}

describe('the description of /manage/v1', () => {
  it('has the limits of a body', async () => {
    const { components, paths } = await readDocument('/manage/v1')
    const post = components.schemas.PostInput!.properties as Record<string, Schema>
    expect(post.slug).toMatchObject({ minLength: 1, maxLength: 200, pattern: expect.any(String) })
    expect(post.sourceSlug).toMatchObject({ maxLength: 200 })
    expect(post.title).toMatchObject({ minLength: 1, maxLength: 500 })
    expect(post.publishedAt).toMatchObject({ format: 'date-time' })
    expect(post.seo!.description).toBe('At most 256 KiB of JSON')
    const webhook = paths['/sites/{siteId}/webhook']!.put!.requestBody!.content['application/json']!.schema
    expect(webhook.properties).toMatchObject({ url: { format: 'uri', maxLength: 2_048 } })
  })

  it('has patterns that every tool accepts, and one for slugs that agrees with the service on ASCII', async () => {
    const document = await readDocument('/manage/v1')
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":"((?:\\.|[^"\\])*)"/g)]
    expect(patterns.length).toBeGreaterThan(0)
    for (const [, pattern] of patterns) expect(pattern).toMatch(/^\^.*\$$/)
    const post = document.components.schemas.PostInput!.properties as Record<string, Schema>
    const pattern = new RegExp(String(post.slug!.pattern))
    const ascii = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
    for (const slug of [
      ...ascii,
      ...ascii.map((character) => `a${character}`),
      '\n',
      '..',
      '...',
      '',
      'über-字',
    ])
      expect(pattern.test(slug), JSON.stringify(slug)).toBe(SLUG.test(slug))
  })

  it('is right about 413: every operation with a body refuses one that is too large', async () => {
    const headers = { 'Content-Length': String(9 * 1024 * 1024) }
    for (const { operationId, method, path, responses } of operationsOf(await readDocument('/manage/v1'))) {
      if (method === 'GET' || method === 'DELETE') continue
      const answer = await call(`/manage/v1${fill(path)}`, {
        method,
        key: operatorToken,
        body: '{}',
        headers,
      })
      expect(answer.status, operationId).toBe(413)
      expect(Object.keys(responses), operationId).toContain('413')
    }
  })
})

describe('the description of /api/v1', () => {
  it('has the six operations of the contract, the change feed, the redirects and the list of guides', async () => {
    const operations = operationsOf(await readDocument('/api/v1'))
    const named = operations.map(({ operationId, method, path }) => `${operationId} ${method} ${path}`)
    expect(named.sort()).toEqual([
      'exportTraining GET /sites/{siteId}/training/export',
      'getGuide GET /sites/{siteId}/guides/{slug}',
      'getPost GET /sites/{siteId}/posts/{slug}',
      'getSitemap GET /sites/{siteId}/sitemap.xml',
      'listChanges GET /sites/{siteId}/changes',
      'listGuides GET /sites/{siteId}/guides',
      'listPosts GET /sites/{siteId}/posts',
      'listRedirects GET /sites/{siteId}/redirects',
      'testWebhook POST /webhooks/test',
    ])
  })

  it('marks extensions of the contract', async () => {
    const { components, paths } = await readDocument('/api/v1')
    expect(
      markedIn(paths)
        .map((at) => at.replace('/sites/{siteId}', ''))
        .sort(),
    ).toEqual([
      '/changes.get',
      '/changes.get.parameters.fields',
      '/guides.get',
      '/guides.get.responses.200.headers.Link',
      '/posts.get.parameters.fields',
      '/posts.get.parameters.include',
      '/posts.get.parameters.ready',
      '/posts.get.parameters.sort',
      '/posts.get.responses.200.headers.Link',
      '/posts/{slug}.get.parameters.fields',
      '/redirects.get',
      '/webhooks/test.post.parameters.endpointId',
    ])
    expect(markedIn(components.schemas).sort()).toEqual([
      'Change.properties.guide',
      ...['metadata', 'readiness'].map((name) => `PartialPost.properties.${name}`),
      ...['metadata', 'readiness'].map((name) => `Post.properties.${name}`),
      'WebhookTestResult.properties.endpointId',
    ])
  })

  it('has each schema once, by name, and the export as lines of text', async () => {
    const { components, paths } = await readDocument('/api/v1')
    const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
    const fields = (name: string) => components.schemas[name]!.properties as Record<string, Schema>
    expect(fields('PostListResponse').items).toMatchObject({ items: ref('Post') })
    expect(fields('ChangeList').items).toMatchObject({ items: ref('Change') })
    expect(fields('Change').post).toMatchObject(ref('Post'))
    const { get } = paths['/sites/{siteId}/training/export']!
    expect(get!.responses['200']!.content!['application/x-ndjson']!.schema).toEqual({
      type: 'string',
      description: expect.stringMatching(/^Each line is a TrainingRow/),
      contentMediaType: 'application/x-ndjson',
      contentSchema: ref('TrainingRow'),
    })
    // Post and PartialPost.
    expect(JSON.stringify({ components, paths }).split('"faqJsonLd":{"type"')).toHaveLength(3)
  })

  it('accepts a key in the query for the sitemap only, and in the header everywhere', async () => {
    const document = await readDocument('/api/v1')
    expect(document.components.securitySchemes).toMatchObject({
      apiKey: { type: 'http', scheme: 'bearer' },
      sitemapToken: { type: 'apiKey', in: 'query', name: 'token' },
    })
    expect(document.security).toEqual([{ apiKey: [] }])
    const operations = operationsOf(document)
    const others = operations.filter(({ security }) => security)
    expect(others.map(({ operationId, security }) => [operationId, security])).toEqual([
      ['getSitemap', [{ apiKey: [] }, { sitemapToken: [] }]],
    ])
    const taking = operations.filter(takesToken)
    expect(taking.map(({ operationId }) => operationId)).toEqual(['getSitemap'])
    const token = taking[0]!.parameters!.find(({ name }) => name === 'token')!
    expect(token.required ?? false).toBe(false)
  })

  it('has the events that are sent, their deprecations, the rule for success, and examples that verify', async () => {
    const { webhooks, components } = await readDocument('/api/v1')
    expect(Object.keys(webhooks!).sort()).toEqual([...eventKinds].sort())
    for (const { post } of Object.values(webhooks!)) {
      expect(post!.security).toEqual([])
      expect(post!.description).toMatch(/within 8 seconds.*ignore an id you have seen/s)
      expect(Object.keys(post!.responses)).toEqual(['2XX', '3XX', '4XX', '5XX'])
      const deprecated = post!.parameters!.filter((each) => each.deprecated)
      expect(deprecated.map(({ name }) => name)).toEqual(['X-Legacy-Timestamp', 'X-Legacy-Signature'])
    }
    for (const { post } of Object.values(webhooks!)) {
      const { example } = post!.requestBody!.content['application/json']!
      const sent = Object.fromEntries(post!.parameters!.map((each) => [each.name, String(each.example)]))
      const [, core] = /then `(\w+)`/.exec(post!.description!)!
      const signing = new Webhook(`whsec_${core}`)
      const at = new Date(Number(sent['webhook-timestamp']) * 1_000)
      const signature = signing.sign(sent['webhook-id']!, at, JSON.stringify(example))
      expect(sent['webhook-signature']).toBe(signature)
      expect(sent['X-Service-Signature']).toMatch(/^[0-9a-f]{64}$/)
    }
    const fields = components.schemas.ArticleReady!.properties as Record<string, Schema>
    const old = Object.keys(fields).filter((name) => fields[name]!.deprecated)
    expect(old).toEqual(['trustScore'])
  })

  it('has the query parameters of the contract, with defaults and bounds', async () => {
    const operations = operationsOf(await readDocument('/api/v1'))
    const query = (id: string) =>
      Object.fromEntries(
        operations
          .find(({ operationId }) => operationId === id)!
          .parameters!.filter((parameter) => parameter.in === 'query')
          .map(({ name, schema }) => [name, schema]),
      )
    expect(query('listPosts')).toMatchObject({
      page: { type: 'integer', minimum: 1, default: 1 },
      pageSize: { type: 'integer', minimum: 1, maximum: 50, default: 12 },
      search: { type: 'string', maxLength: 200 },
      status: { type: 'string', enum: ['draft', 'published', 'all'], default: 'all' },
      language: { type: 'string' },
      updatedAfter: { type: 'string', format: 'date-time' },
    })
    const ofListPosts = operations.find(({ operationId }) => operationId === 'listPosts')!.parameters!
    const unmarked = ofListPosts.filter((each) => each.in === 'query' && !('x-addition' in each))
    expect(
      unmarked
        .map(({ name }) => name)
        .sort()
        .join(' '),
    ).toBe('language page pageSize search status updatedAfter')
    expect(Object.keys(query('getPost'))).toEqual(['include', 'fields'])
    expect(Object.keys(query('getSitemap')).sort()).toEqual(['page', 'token'])
    expect(Object.keys(query('exportTraining'))).toEqual(['after'])
  })
})
