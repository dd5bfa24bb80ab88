/** The management API over fetch, the only API that the command line calls. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Api, apiThrough, type Query } from '../transfer/api.ts'
import { Failure } from '../transfer/failure.ts'
import type { Answer, Item, Route } from '../transfer/routes.ts'
import type { Io } from './io.ts'
import { writeError } from './output.ts'

const TIMEOUT_MS = 120_000
const RETRY_AFTER_MS = 500
const PAGE_SIZE = 100
const PREFIX = '/manage/v1'
const SET = 'set HCA_URL and HCA_TOKEN'

const REPEATED =
  '. The connection broke and this is the response to a retry: the first attempt may have succeeded'

type Connection = { url: string; token: string }
/** From flags, HCA_URL and HCA_TOKEN, or `npm start`'s service.json. Never sends a token to another service. */
export async function connection(
  { env, cwd }: Io,
  flags: { url?: string; token?: string },
): Promise<Connection> {
  const { HCA_URL, HCA_TOKEN } = env
  const url = flags.url || HCA_URL
  if (url) {
    const isElsewhere = flags.url && HCA_URL && manageUrl(flags.url) !== manageUrl(HCA_URL)
    const token = flags.token || (isElsewhere ? undefined : HCA_TOKEN)
    if (token) return { url: manageUrl(url), token }
    const needs = flags.url ? '--url needs --token or HCA_TOKEN' : 'HCA_URL needs HCA_TOKEN'
    throw new Failure(`${needs}: the token of one service is never sent to another`)
  }
  const file = join(env.LOCAL_DIR || '.local', 'service.json')
  let service: { manageUrl?: unknown; operatorToken?: unknown }
  try {
    service = JSON.parse(await readFile(resolve(cwd, file), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Failure(`No ${file} here: start the service with \`npm start\`, or ${SET}`)
    }
    throw new Failure(`Cannot read ${file} (${(error as Error).message}): ${SET}`)
  }
  const token = flags.token || service?.operatorToken
  if (typeof service?.manageUrl !== 'string' || typeof token !== 'string') {
    throw new Failure(`${file} has no manageUrl and operatorToken: ${SET}`)
  }
  return { url: manageUrl(service.manageUrl), token }
}

export function apiOf(io: Pick<Io, 'fetch' | 'stderr'>, { url, token }: Connection): Api {
  // One id per command, which groups its writes in the audit log.
  const changesetId = crypto.randomUUID()
  return apiThrough(async (path, { headers, ...request }) => {
    const { response, isRepeat } = await send(io.fetch, url, path, {
      ...request,
      headers: {
        ...headers,
        authorization: `Bearer ${token}`,
        // Identifies the command line in the audit log.
        'user-agent': 'headless-content-api-cli',
        'x-changeset-id': changesetId,
      },
    })
    const seconds = response.headers.get('X-Effective-Within')
    if (seconds)
      writeError(
        io,
        `Saved, but the caches could not be updated: the change takes effect within ${seconds} s after they can be`,
      )
    return { response, note: isRepeat && request.method !== 'GET' ? REPEATED : undefined }
  }, url)
}

export type ListRoute = {
  [R in Route]: R extends `GET ${string}`
    ? Answer<R> extends { items: unknown[]; next: string | null }
      ? R
      : never
    : never
}[Route]

/** Reads all pages, up to `limit` items. `filter` goes into each query. */
export async function listAll<R extends ListRoute>(
  api: Api,
  route: R,
  values: readonly string[] = [],
  { limit = Number.POSITIVE_INFINITY, ...filter }: Query & { limit?: number | undefined } = {},
): Promise<Item<R>[]> {
  const items: Item<R>[] = []
  let cursor: string | null = null
  do {
    const query: Query = { ...filter, limit: Math.min(PAGE_SIZE, limit - items.length), cursor }
    const page: { items: unknown[]; next: string | null } = await api(route, values, { query })
    items.push(...(page.items as Item<R>[]))
    cursor = page.next
  } while (cursor && items.length < limit)
  return items.slice(0, limit)
}

async function send(fetch: Io['fetch'], url: string, path: string, request: RequestInit) {
  const attempt = () =>
    fetch(url + path, { ...request, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  try {
    return { response: await attempt(), isRepeat: false }
  } catch (error) {
    // A server may close an idle connection just as it is used, so idempotent calls are retried.
    if (!isReset(error) || request.method === 'POST') throw unreachable(url, error)
  }
  await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS))
  const response = await attempt().catch((error) => {
    throw unreachable(url, error)
  })
  return { response, isRepeat: true }
}

function isReset(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(causeOf(error).code ?? '')
}

function unreachable(url: string, error: unknown): Failure {
  const cause = causeOf(error)
  if (cause.code === 'ECONNREFUSED') return new Failure(`Nothing listens at ${url}: is the service running?`)
  if ((error as Error).name === 'TimeoutError')
    return new Failure(`No answer from ${url} in ${TIMEOUT_MS / 1000} s`)
  return new Failure(`Cannot reach ${url}: ${cause.code ?? cause.message}`)
}

function causeOf(error: unknown): NodeJS.ErrnoException {
  const cause = (error as Error).cause
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return (first ?? error) as NodeJS.ErrnoException
}

function manageUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Failure(`${JSON.stringify(text)} is not an http or https URL`)
  const base = url.origin + url.pathname.replace(/\/+$/, '')
  return base.endsWith(PREFIX) ? base : base + PREFIX
}
