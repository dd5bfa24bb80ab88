/** Checks that a site can be read with every operation that lists or gets something of it, to the last page. */
import { bodyFaults, type Document, type Operation } from '../../support/openapi.ts'
import { call, operatorToken, post, type TestSite } from '../../support/site.ts'
import { UNLIMITED } from './world.ts'

type Api = { root: string; document: Document; operations: Operation[] }
type Page = { totalPages?: number; hasMore?: boolean; cursor?: string; next?: string | null }

const MAX_PAGES = 100

/** The faults of the answers, a phrase each. */
export async function readAll(apis: Api[], site: TestSite): Promise<string[]> {
  await site.manage('PATCH', '', UNLIMITED)
  await site.put('kept', { status: 'published' })
  await site.manage('PUT', '/guides/kept', post({ status: 'published' }))
  await site.manage('PUT', '/sitemap')
  const faults: string[] = []
  for (const { root, document, operations } of apis) {
    const key = root === '/api/v1' ? site.key : operatorToken
    const reads = operations.filter(({ method, path }) => method === 'GET' && !/\{(?!siteId|slug)/.test(path))
    for (const { path, responses } of reads) {
      const filled = root + path.replace('{siteId}', site.id).replace('{slug}', 'kept')
      for (let at = 1, query: string | null = ''; query !== null; at++) {
        const response = await call(`${filled}?${query}`, { key })
        if (response.status === 404 || response.status === 409) break
        const copy = response.clone()
        const found =
          response.status === 200
            ? await bodyFaults(response, responses[200]!, document.components)
            : [`is ${response.status}`]
        if (at > MAX_PAGES) found.push('does not end')
        faults.push(...found.map((fault) => `${filled}?${query} ${fault}`))
        query = found.length > 0 ? null : await queryAfter(copy, at)
      }
    }
  }
  return faults
}

async function queryAfter(response: Response, at: number): Promise<string | null> {
  if (!/^application\/json/.test(response.headers.get('Content-Type') ?? '')) return null
  const { next, hasMore, cursor, totalPages = 0 } = await response.json<Page>()
  if (next) return `cursor=${next}`
  if (hasMore) return `cursor=${cursor}`
  return at < totalPages ? `page=${at + 1}` : null
}
