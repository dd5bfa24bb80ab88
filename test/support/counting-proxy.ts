/** A proxy on 127.0.0.1 that records requests and answers. */
import { startHttpServer } from './http-server.ts'

export type Passed = { url: string; status: number; body: string }

/** Headers of one connection, and those that `fetch` has already handled. */
const OWN = ['connection', 'host', 'keep-alive', 'content-encoding', 'content-length', 'transfer-encoding']

/** An answer instead of the service's; `hang` for none. */
export type Instead = { status: number; headers?: Record<string, string>; body?: string } | 'hang'

export async function startCountingProxy(
  origin: string,
  interrupt: (url: string) => Instead | undefined = () => undefined,
) {
  const passed: Passed[] = []
  const server = await startHttpServer(async (request, response) => {
    const instead = interrupt(request.url!)
    if (instead === 'hang') return
    if (instead) return response.writeHead(instead.status, instead.headers).end(instead.body)
    const answer = await fetch(origin + request.url, {
      method: request.method!,
      headers: withoutOwn(Object.entries(request.headers as Record<string, string>)),
    })
    const body = await answer.text()
    passed.push({ url: request.url!, status: answer.status, body })
    response.writeHead(answer.status, withoutOwn([...answer.headers])).end(body)
  })
  return {
    origin: server.url,
    /** The exchanges since the last call. */
    take: () => passed.splice(0),
    close: server.close,
  }
}

const withoutOwn = (headers: [string, string][]) =>
  Object.fromEntries(headers.filter(([name]) => !OWN.includes(name)))

/** The changes in answers of the feed, as `upsert some-slug`. */
export const changesIn = (passed: Passed[]) =>
  passed.flatMap(({ body }) => {
    const { items } = JSON.parse(body) as { items: { type: string; slug: string }[] }
    return items.map(({ type, slug }) => `${type} ${slug}`)
  })
