/** The stand-in for Workers Cache, and which of the Worker's answers it may store. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { describe, expect } from 'vitest'
import { app } from '../../functions/app.ts'
import worker from '../../functions/worker.ts'
import { storedFor, throughCache, withWorkersCache } from '../../src/local/workers-cache.ts'
import { bindings } from '../support/context.ts'
import { it, makeSite, ORIGIN, operatorToken } from '../support/site.ts'

const FOREVER = { 'Cache-Control': 'public, max-age=1000' }

type Options = { props?: object; method?: string; headers?: Record<string, string> }

/** Requests to a Worker that counts its calls. */
function countingWorker(answer: () => Response) {
  const own = crypto.randomUUID()
  let calls = 0
  return {
    async ask(url = 'https://a.test/x', { props, ...init }: Options = {}) {
      const execution = createExecutionContext()
      const waitUntil = (work: Promise<unknown>) => execution.waitUntil(work)
      const response = await throughCache(
        new Request(url, init),
        { props: { ...props, own }, waitUntil },
        async () => {
          calls += 1
          return answer()
        },
      )
      const text = await response.text().catch(() => null)
      await waitOnExecutionContext(execution)
      return text
    },
    calls: () => calls,
  }
}

describe('the cache', () => {
  it('is keyed by path, query and props, not by host', async () => {
    const { ask, calls } = countingWorker(() => new Response('text', { headers: FOREVER }))
    await ask('https://a.test/x?y=1', { props: { site: 1 } })
    expect(await ask('https://b.test/x?y=1', { props: { site: 1 } })).toBe('text')
    expect(calls()).toBe(1)
    await ask('https://a.test/x?y=1', { props: { site: 2 } })
    await ask('https://a.test/x?y=2', { props: { site: 1 } })
    await ask('https://a.test/z?y=1', { props: { site: 1 } })
    expect(calls()).toBe(4)
  })

  it('is keyed by the headers that Vary names', async () => {
    const headers = { ...FOREVER, Vary: 'Host, X-Part' }
    const { ask, calls } = countingWorker(() => new Response('text', { headers }))
    await ask('https://a.test/x', { headers: { 'X-Part': '1' } })
    await ask('https://a.test/x', { headers: { 'X-Part': '1' } })
    expect(calls()).toBe(1)
    await ask('https://b.test/x', { headers: { 'X-Part': '1' } })
    await ask('https://b.test/x', { headers: { 'X-Part': '2' } })
    expect(calls()).toBe(3)
  })

  it('answers 304 to a client that has the tag', async () => {
    const headers = { ...FOREVER, ETag: 'W/"a"' }
    const { ask, calls } = countingWorker(() => new Response('text', { headers }))
    await ask()
    expect(await ask(undefined, { headers: { 'If-None-Match': '"b", "a"' } })).toBe('')
    expect(await ask(undefined, { headers: { 'If-None-Match': '"b"' } })).toBe('text')
    expect(calls()).toBe(1)
  })

  it('answers HEAD, but does not store a HEAD or answer a POST', async () => {
    const { ask, calls } = countingWorker(() => new Response('text', { headers: FOREVER }))
    await ask(undefined, { method: 'HEAD' })
    await ask()
    expect([calls(), await ask(undefined, { method: 'HEAD' }), calls()]).toEqual([2, '', 2])
    await ask(undefined, { method: 'POST' })
    expect(calls()).toBe(3)
  })

  it('does not store a response that broke off', async () => {
    const broken = () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode('half')),
        pull: (controller) => controller.error(new Error('lost')),
      })
    const { ask, calls } = countingWorker(() => new Response(broken(), { headers: FOREVER }))
    await ask()
    await ask()
    expect(calls()).toBe(2)
  })

  it('is purged by tag', async () => {
    const tag = crypto.randomUUID()
    let calls = 0
    const tagged = withWorkersCache({
      async fetch(request: Request, _: unknown, { cache }: ExecutionContext) {
        if (request.method === 'POST') return Response.json(await cache!.purge({ tags: [tag] }))
        return new Response(String(++calls), { headers: { ...FOREVER, 'Cache-Tag': `other, ${tag}` } })
      },
    })
    const ask = async (method: string) => {
      const execution = createExecutionContext()
      const request = new Request(`https://a.test/${tag}`, { method })
      const text = await (await tagged.fetch(request, {}, execution)).text()
      await waitOnExecutionContext(execution)
      return text
    }
    expect([await ask('GET'), await ask('GET')]).toEqual(['1', '1'])
    await ask('POST')
    expect([await ask('GET'), await ask('GET')]).toEqual(['2', '2'])
  })

  it.each([
    [{}, 200, 7_200],
    [{}, 404, 180],
    [{}, 500, 0],
    [{ 'Cache-Control': 'max-age=60' }, 200, 60],
    [{ 'Cache-Control': 'max-age=60, s-maxage=5' }, 200, 60],
    [{ 'Cache-Control': 'private, max-age=60' }, 200, 0],
    [{ 'Cache-Control': 'no-cache' }, 200, 0],
    [{ 'Cache-Control': 'public, no-store' }, 200, 0],
    [{ ...FOREVER, 'Set-Cookie': 'a=b' }, 200, 0],
  ] as [Record<string, string>, number, number][])(
    'keeps an answer with %j and %i for %i s',
    (headers, status, seconds) => {
      expect(storedFor(new Request('https://a.test'), new Response(null, { headers, status }))).toBe(seconds)
    },
  )

  it('keeps the answer to a request with a key only if it is public', () => {
    const keyed = new Request('https://a.test', { headers: { Authorization: 'Bearer x' } })
    const of = (value: string) =>
      storedFor(keyed, new Response(null, { headers: { 'Cache-Control': value } }))
    expect([of('max-age=60'), of('public, max-age=60')]).toEqual([0, 60])
  })
})

describe('Workers Cache', () => {
  it('stores only console files, the files of published sitemaps and the health of the service, whatever the route', async () => {
    const site = await makeSite()
    const kept = new Set<string>()
    for (const { method, path } of app.routes) {
      const filled = path
        .replace('*', 'x')
        .replace(':siteId', site.id)
        .replace(/:\w+(\{.*?\})?/g, 'a')
      const Authorization = `Bearer ${path.startsWith('/manage') ? operatorToken : site.key}`
      const asked = method === 'ALL' ? 'GET' : method
      const request = new Request(ORIGIN + filled, {
        method: asked,
        headers: { Authorization },
        redirect: 'manual',
      })
      const execution = createExecutionContext()
      const response = await worker.fetch(request, bindings, execution)
      await response.body?.cancel()
      await waitOnExecutionContext(execution)
      expect(response.headers.get('Cache-Control'), `${asked} ${path}`).not.toBe(null)
      if (storedFor(request, response) > 0) kept.add(path)
    }
    expect([...kept].filter((path) => !/^\/(console\/assets\/|sitemaps\/|healthz$)/.test(path))).toEqual([])
  })
})
