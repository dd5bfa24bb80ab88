/** Counts the Worker's calls. */
import { bindings } from './context.ts'
import { interceptFetch } from './own-calls.ts'
import { makeSite } from './site.ts'

export async function callsOf(ask: () => Promise<Response>) {
  const calls = { postgres: 0, redis: 0 }
  const spy = interceptFetch((fetch, input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (url === bindings.DATABASE_HTTP_ENDPOINT) calls.postgres += 1
    if (url.startsWith(String(bindings.UPSTASH_REDIS_REST_URL))) calls.redis += 1
    return fetch(input, init)
  })
  const { status } = await ask()
  spy.mockRestore()
  return { status, ...calls }
}

/** Redis needs one more call for each of the limiter's scripts that it has not loaded yet. */
export async function loadScripts(): Promise<void> {
  const site = await makeSite()
  for (const tag of ['', '*']) await site.get('/posts', { headers: { 'If-None-Match': tag } })
}

/** From now on Postgres does not answer the test's own calls. End it with `mockRestore`: the driver's endpoint is one for all tests. */
export const losePostgres = () =>
  interceptFetch(async (fetch, input, init) => {
    if (String(input) === bindings.DATABASE_HTTP_ENDPOINT) throw new TypeError('Postgres is away')
    return fetch(input, init)
  })
