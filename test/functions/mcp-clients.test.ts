import { beforeAll, describe, expect } from 'vitest'
import { HEADERS, post, refusalOf, rpc } from '../support/mcp.ts'
import { call, it, makeSite } from '../support/site.ts'

let key: string

beforeAll(async () => {
  key = (await makeSite()).key
})

describe('a lenient client', () => {
  it.each(['text/event-stream', 'Text/Event-Stream;q=0.9', 'text/html, text/*'])(
    'that accepts only %s gets each answer as an event',
    async (Accept) => {
      for (const [body, status] of [
        [rpc('tools/list'), 200],
        [rpc('none'), 200],
        ['{', 400],
      ] as const) {
        const response = await post({ key, headers: { Accept }, body })
        expect([response.status, response.headers.get('Content-Type')]).toEqual([status, 'text/event-stream'])
        const [, data] = /^event: message\ndata: (.*)\n\n$/.exec(await response.text()) ?? []
        expect(JSON.parse(data!)).toMatchObject({ jsonrpc: '2.0' })
      }
      const response = await post({
        ...{ key, headers: { Accept } },
        body: { jsonrpc: '2.0', method: 'notifications/initialized' },
      })
      expect([response.status, await response.text()]).toEqual([202, ''])
    },
  )

  it('that ends the URL with a slash gets the same answers and errors', async () => {
    expect((await post({ key, query: '/', body: rpc('ping') })).status).toBe(200)
    expect((await post({ query: '/', body: rpc('ping') })).status).toBe(401)
    const response = await post({ key, query: '/', method: 'GET' })
    expect([response.status, response.headers.get('Allow')]).toEqual([405, 'POST'])
    expect((await post({ key, query: '//', body: rpc('ping') })).status).toBe(404)
  })

  it('that sends null for an omitted argument gets the same answer as without it', async () => {
    const messages = [
      { ...rpc('tools/list'), params: null },
      rpc('tools/list', { cursor: null, _meta: null }),
      rpc('tools/call', { name: 'find_posts', arguments: null }),
    ]
    for (const body of messages)
      expect(await (await post({ key, body })).json(), JSON.stringify(body)).toHaveProperty('result')
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized', params: null }
    expect((await post({ key, body: initialized })).status).toBe(202)
  })
})

describe('a batch', () => {
  const IN_2025_03 = { 'MCP-Protocol-Version': '2025-03-26' }
  const send = async (key: string, body: unknown, headers: Record<string, string> = IN_2025_03) => {
    const { Accept } = HEADERS
    return call('/mcp', { method: 'POST', key, headers: { Accept, ...headers }, body })
  }

  it('is answered in order in the revision that has them, and for a client that names no revision', async () => {
    const batch = [
      rpc('ping', undefined, 'a'),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      rpc('tools/call', { name: 'find_posts' }, 2),
      rpc('initialize', {}, 3),
      rpc('none', undefined, 4),
      7,
      { jsonrpc: '2.0', id: 9, result: {} },
    ]
    const answers = [
      { id: 'a', result: {} },
      { id: 2, result: { structuredContent: { total: 0 } } },
      { id: 3, error: { code: -32600, message: 'Invalid request: initialize must not be in a batch' } },
      { id: 4, error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ]
    for (const headers of [IN_2025_03, {}]) {
      const response = await send(key, batch, headers)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject(answers)
    }
    const stream = await send(key, batch, { ...IN_2025_03, Accept: 'text/event-stream' })
    expect((await stream.text()).split('\n').filter((line) => line.startsWith('data: '))).toHaveLength(1)
  })

  it('without a request is accepted without an answer', async () => {
    const response = await send(key, [{ jsonrpc: '2.0', method: 'notifications/initialized' }])
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  it('is refused when empty, when it has many messages, and in other revisions', async () => {
    const refused: [unknown[], Record<string, string>][] = [
      [[], IN_2025_03],
      [Array.from({ length: 11 }, (_, id) => rpc('ping', undefined, id)), IN_2025_03],
      ...['2025-06-18', '2025-11-25', '2026-07-28'].map(
        (version) =>
          [[rpc('ping')], { 'MCP-Protocol-Version': version }] as [unknown[], Record<string, string>],
      ),
    ]
    for (const [body, headers] of refused)
      expect(await refusalOf(await send(key, body, headers))).toMatchObject({ status: 400, code: -32600 })
  })
})
