/** The database behind the Worker: for content that is too much to put, and to see what a request asks of it. */
import { env } from 'cloudflare:workers'
import { neon, neonConfig } from '@neondatabase/serverless'

const { DATABASE_URL, DATABASE_HTTP_ENDPOINT } = env as unknown as Record<string, string>

/** Runs one statement. */
export function runSql(statement: string, parameters: unknown[] = []) {
  neonConfig.fetchEndpoint = DATABASE_HTTP_ENDPOINT!
  return neon(DATABASE_URL!).query(statement, parameters)
}

/** The statements that go to the database while `work` runs, without the deferred note of a key's use. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const statements = (await sentBy(work)).flat()
  return statements.filter((statement) => !/^update "api_keys" set "last_used_at"/.test(statement))
}

/** How many times the database is asked while `work` runs; a batch is asked once. */
export async function callsOf(work: () => Promise<unknown>): Promise<number> {
  return (await sentBy(work)).length
}

async function sentBy(work: () => Promise<unknown>): Promise<string[][]> {
  const calls: string[][] = []
  neonConfig.fetchFunction = (url: string, init: RequestInit) => {
    const sent = JSON.parse(String(init.body)) as { query: string } | { queries: { query: string }[] }
    calls.push(('queries' in sent ? sent.queries : [sent]).map(({ query }) => query))
    return fetch(url, init)
  }
  try {
    await work()
  } finally {
    neonConfig.fetchFunction = undefined
  }
  return calls
}
