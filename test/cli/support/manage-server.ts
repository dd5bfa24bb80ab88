/** A scripted management API that records its requests. */
import { type Issue, joinIssues } from '../../../src/core/errors.ts'
import { startHttpServer } from '../../support/http-server.ts'

export const TOKEN = 'operator-token'

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the test expects
export type Asked = { method: string; path: string; token: string | undefined; body: any; bytes: number }
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

/**
 * Starts a server on 127.0.0.1 whose `script` answers each request, never answers, or breaks the connection. `using` or
 * `close` ends it.
 */
export async function startManageServer(script: (asked: Asked) => Answer | 'hang' | 'break') {
  const asked: Asked[] = []
  const { url, close } = await startHttpServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const one = {
        method: request.method ?? '',
        path: (request.url ?? '').replace(/^\/manage\/v1/, ''),
        token: request.headers.authorization,
        body: bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
        bytes: bytes.length,
      }
      asked.push(one)
      const answer = script(one)
      if (answer === 'hang') return
      if (answer === 'break') return request.socket.destroy()
      const { status, body, headers } = answer
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(body === undefined ? '' : JSON.stringify(body))
    })
  })
  return { url, asked, close, [Symbol.asyncDispose]: close }
}

const SITE = {
  id: 's1',
  domain: 'n.example',
  defaultLanguage: 'en',
  postPath: '/blog/{slug}',
  guidePath: '/guides/{slug}',
}

/**
 * A script that stores articles by slug and redirects by path, without origins, and answers created, updated or unchanged
 * like the service.
 */
export function storingScript(refuse: (article: { slug: string }) => Issue | undefined = () => undefined) {
  const stored = new Map<string, string>()
  const redirects = new Map<string, string>()
  const put = ({
    originId: _,
    originSlug: __,
    ...article
  }: {
    slug: string
    originId?: string
    originSlug?: string
  }) => {
    const text = JSON.stringify(article)
    const before = stored.get(article.slug)
    stored.set(article.slug, text)
    const outcome = before === undefined ? 'created' : before === text ? 'unchanged' : 'updated'
    return { slug: article.slug, id: article.slug, outcome, status: 'draft', updatedAt: 'now' }
  }
  const script = ({ method, path, body }: Asked): Answer => {
    if (method === 'GET' && path === '/sites/s1') return { status: 200, body: SITE }
    if (method === 'PUT' && path === '/sites/s1/redirects') {
      const added = (body.redirects as Record<string, string>[]).filter(({ from }) => !redirects.has(from!))
      for (const { from, to, resource, slug, suffix = '' } of added)
        redirects.set(from!, to ?? `${resource} ${slug}${suffix}`)
      return { status: 200, body: { created: added.length, updated: 0, unchanged: 0 } }
    }
    const [, , kind = '', slug] = path.replace('?events=none', '').slice(1).split('/')
    if (method === 'GET' && /^\/sites\/s1\/(?:posts|guides)\?/.test(path))
      return { status: 200, body: { items: [], next: null } }
    if (method !== 'PUT' || !['posts', 'guides'].includes(kind))
      return { status: 404, body: { error: 'Not found' } }
    const articles = slug ? [{ slug: decodeURIComponent(slug), ...body }] : body[kind]
    for (const article of articles) {
      const issue = refuse(article)
      if (issue) return refusal(issue)
    }
    const items = articles.map(put)
    return { status: 200, body: slug ? items[0] : { items } }
  }
  return { stored, redirects, script }
}

export function refusal(...issues: Issue[]): Answer {
  return { status: 400, body: { error: `Invalid body: ${joinIssues(issues)}`, issues } }
}
