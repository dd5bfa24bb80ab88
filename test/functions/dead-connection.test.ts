import { describe, expect, vi } from 'vitest'
import { isReadStatement } from '../../src/db/client.ts'
import { bindings } from '../support/context.ts'
import { makeOperator } from '../support/mcp.ts'
import { interceptFetch } from '../support/own-calls.ts'
import { call, it, post } from '../support/site.ts'
import { runSql } from '../support/sql.ts'

/** How a connection breaks: before the answer, or in the middle of it. */
const DEATHS = {
  'before it answers': () => Promise.reject(new TypeError('Network connection lost.')),
  'during its answer': async () =>
    new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode('{"rows":['))
          controller.error(new TypeError('Network connection lost.'))
        },
      }),
    ),
}

/**
 * The connection breaks for the first `deaths` matching calls to Postgres.
 * @returns the bodies of the matching calls
 */
function dying(death: () => Promise<Response>, deaths: number, which = /./): string[] {
  const calls: string[] = []
  interceptFetch((fetch, input, init) => {
    const body = String(init?.body)
    if (String(input) !== bindings.DATABASE_HTTP_ENDPOINT || !which.test(body)) return fetch(input, init)
    calls.push(body)
    return calls.length <= deaths ? death() : fetch(input, init)
  })
  return calls
}

describe.each(Object.entries(DEATHS))('a connection to Postgres that breaks %s', (_, death) => {
  it('is replaced, and the query retried, for a read', async ({ site }) => {
    await site.put('a')
    // The first of these looks the key up too.
    for (const below of [
      '/posts?page=9',
      '/posts?search=a',
      '/posts/a',
      '/changes',
      '/redirects',
      '/sitemap.xml',
    ]) {
      const calls = dying(death, 1)
      expect((await site.get(below)).status, below).toBe(200)
      expect(calls[1], below).toBe(calls[0])
      vi.restoreAllMocks()
    }
    dying(death, 1)
    expect((await site.tryManage('GET', '/keys')).status).toBe(200)
  })

  it('twice is a 500', async ({ site }) => {
    await site.put('a')
    await site.get('/posts?page=9')
    const calls = dying(death, 2)
    expect((await site.get('/posts')).status).toBe(500)
    expect(calls).toHaveLength(2)
  })

  it('is not retried for a write', async ({ site }) => {
    await site.put('a')
    const writes: [string, string, unknown][] = [
      ['PUT', '/posts/b', post()],
      ['PUT', '/posts/a/publication', undefined],
      ['DELETE', '/posts/a', undefined],
      ['POST', '/keys', { name: 'second' }],
    ]
    for (const [method, below, body] of writes) {
      const calls = dying(death, 1, /\b(insert|update|delete) /i)
      expect((await site.tryManage(method, below, body)).status, below).toBe(500)
      expect(calls, below).toHaveLength(1)
      vi.restoreAllMocks()
    }
  })

  it('is not retried for the SELECT that logs a refused write', async ({ site }) => {
    const { token } = await makeOperator('viewer')
    const calls = dying(death, 1, /log_refusal/)
    const path = `/manage/v1${site.path}/posts/${crypto.randomUUID()}/readiness`
    await call(path, { method: 'PUT', key: token })
    expect(calls).toHaveLength(1)
  })
})

it('a read that times out is not retried', async ({ site }) => {
  await site.put('a')
  await site.get('/posts?page=9')
  const calls = dying(() => Promise.reject(new DOMException('too late', 'TimeoutError')), 1)
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => AbortSignal.abort())
  expect((await site.get('/posts')).status).toBe(500)
  expect(calls.length).toBeLessThanOrEqual(1)
})

it('a statement that Neon refuses as too large is a 413', async ({ site }) => {
  const calls = dying(async () => new Response('request is too large', { status: 413 }), 1, /\binsert /i)
  expect(await site.tryManage('PUT', '/posts/a', post())).toEqual({
    status: 413,
    body: { error: 'Request body too large' },
  })
  expect(calls).toHaveLength(1)
})

it('a SELECT that calls a volatile function of ours counts as a write', async () => {
  const rows = await runSql(`
    select proname as name from pg_proc
    where pronamespace = 'public'::regnamespace and provolatile = 'v' and prorettype <> 'trigger'::regtype
      and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')`)
  const names = rows.map(({ name }) => String(name))
  expect(names).toContain('lock_site')
  expect(names.filter((name) => isReadStatement(JSON.stringify({ query: `select ${name}()` })))).toEqual([])
  expect(isReadStatement(JSON.stringify({ query: 'select now()' }))).toBe(true)
})
