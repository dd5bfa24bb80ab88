/** The database behind the Worker: for bulk content, and the queries of a request. */
import { env } from 'cloudflare:workers'
import { neon, neonConfig } from '@neondatabase/serverless'
import { ownSince } from './own-calls.ts'

const { DATABASE_URL, DATABASE_HTTP_ENDPOINT } = env as unknown as Record<string, string>

export function runSql(statement: string, parameters: unknown[] = []) {
  neonConfig.fetchEndpoint = DATABASE_HTTP_ENDPOINT!
  return neon(DATABASE_URL!).query(statement, parameters)
}

export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsByCall(work)).flat()
}

/** The number of queries while `work` runs; a batch counts once. */
export async function callsOf(work: () => Promise<unknown>): Promise<number> {
  return (await statementsByCall(work)).length
}

/** The same, a list for each call. */
export async function statementsByCall(work: () => Promise<unknown>): Promise<string[][]> {
  const calls: string[][] = []
  const isOwn = ownSince()
  // The service's own `fetch`, which retries a read whose connection breaks.
  const before = neonConfig.fetchFunction
  const send: typeof fetch = before ?? ((...call) => fetch(...call))
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    if (!isOwn()) return send(url, init)
    const sent = JSON.parse(String(init.body)) as { query: string } | { queries: { query: string }[] }
    calls.push(('queries' in sent ? sent.queries : [sent]).map(({ query }) => query))
    return send(url, init)
  }
  try {
    await work()
  } finally {
    neonConfig.fetchFunction = before
  }
  return calls
}
