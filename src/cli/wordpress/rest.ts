import { Failure } from '../../transfer/failure.ts'
import { findBotCheck } from '../../webhooks/bot-checks.ts'

const TIMEOUT_MS = 60_000
const ATTEMPTS = 6
const PAUSE_MS = 1_000
const MAX_WAIT_MS = 5 * 60_000
const MAX_REDIRECTS = 5
/** A page of 100 posts, each at the size limit of the API. */
const MAX_ANSWER_BYTES = 128 * 2 ** 20
const AGAIN = new Set([429, 502, 503, 504])

export type RestOptions = {
  fetch?: typeof fetch
  /** `WORDPRESS_USER` and `WORDPRESS_PASSWORD` are an application password (Users → Profile). */
  env?: Record<string, string | undefined>
  timeoutMs?: number
  /** Replaced in tests. */
  wait?: (ms: number) => Promise<void>
}

type Answer = { body: unknown; headers: Headers }

export type Rest = {
  get(route: string, query?: Record<string, string>): Promise<Answer>
  /** True if it has a user's password. */
  isSignedIn: boolean
}

/** Works with or without pretty permalinks. @throws Failure when the API is missing or unreachable */
export async function connectRest(address: string, options: RestOptions = {}): Promise<Rest> {
  const site = siteUrl(address)
  const { WORDPRESS_USER: user, WORDPRESS_PASSWORD: password } = options.env ?? {}
  const isSignedIn = Boolean(user && password)
  if (isSignedIn && site.protocol !== 'https:' && !isLocal(site.hostname)) {
    throw new Failure(`WORDPRESS_PASSWORD is sent only over https: ${site.href} is not`)
  }
  if (Boolean(user) !== Boolean(password))
    throw new Failure('Set both WORDPRESS_USER and WORDPRESS_PASSWORD, or neither')
  const authorization = isSignedIn
    ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    : undefined

  const root = await findRoot(site, options)
  const rest: Rest = {
    isSignedIn,
    async get(route, query = {}) {
      const url = routeUrl(root, route, query)
      const response = await ask(url, site, options, authorization)
      return { body: await jsonOf(response, url, isSignedIn), headers: response.headers }
    },
  }
  // Check the password here, because lists ignore a wrong one.
  if (isSignedIn) await rest.get('wp/v2/users/me', { _fields: 'id' })
  return rest
}

/** The API's address is in the page's `Link` header; otherwise tries both defaults. */
async function findRoot(site: URL, options: RestOptions): Promise<URL> {
  const page = await ask(site, site, options)
  const text = await page.text()
  refuseBotCheck(site, page, text)
  const linked = /<([^>]+)>;\s*rel="https:\/\/api\.w\.org\/"/.exec(page.headers.get('link') ?? '')?.[1]
  const candidates = linked
    ? [new URL(linked, site)]
    : [new URL('wp-json/', withSlash(site)), new URL('?rest_route=/', withSlash(site))]
  for (const candidate of candidates) {
    mustBeSameHost(candidate, site)
    candidate.protocol = site.protocol
    const response = await ask(candidate, site, options)
    const index = await response.text().catch(() => '')
    refuseBotCheck(candidate, response, index)
    const { namespaces, code } = (parse(index) ?? {}) as { namespaces?: unknown; code?: unknown }
    if (response.ok && Array.isArray(namespaces) && namespaces.includes('wp/v2')) return candidate
    if (typeof code === 'string' && /^rest_/.test(code)) {
      throw new Failure(
        `The REST API of ${site.href} is disabled or needs a login (${code}): use an export instead`,
      )
    }
  }
  const isWordPress = linked !== undefined || /\/wp-(?:content|includes)\//.test(text)
  if (isWordPress) {
    throw new Failure(
      `The REST API of ${site.href} is disabled or hidden: use an export (Tools → Export) instead`,
    )
  }
  if (!page.ok) throw new Failure(`${site.href} answered ${page.status}`)
  throw new Failure(`${site.href} is not a WordPress site: no REST API was found`)
}

function routeUrl(root: URL, route: string, query: Record<string, string>): URL {
  const url = new URL(root)
  const prefix = url.searchParams.get('rest_route')
  if (prefix === null) url.pathname = `${url.pathname.replace(/\/*$/, '/')}${route}`
  else url.searchParams.set('rest_route', `${prefix.replace(/\/*$/, '/')}${route}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}

/** Retries after the time that the server asks for, or with growing pauses. */
async function ask(url: URL, site: URL, options: RestOptions, authorization?: string): Promise<Response> {
  const { wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } = options
  for (let attempt = 1; ; attempt++) {
    const response = await follow(url, site, options, authorization)
    refuseBotCheck(url, response)
    if (!AGAIN.has(response.status)) return response
    const pause = pauseOf(response) ?? PAUSE_MS * 2 ** (attempt - 1)
    await response.body?.cancel()
    if (attempt === ATTEMPTS || pause > MAX_WAIT_MS) {
      const attempts =
        pause > MAX_WAIT_MS ? ` and asks to wait ${Math.ceil(pause / 1_000)} s` : ` ${ATTEMPTS} times`
      throw new Failure(
        `${url.href} answered ${response.status}${attempts}: run the same command again to continue`,
        // The server is busy, so a smaller page would not help.
        response.headers.has('retry-after') ? undefined : response.status,
      )
    }
    await wait(pause)
  }
}

/** @throws Failure if a bot check answers instead of the site */
function refuseBotCheck(url: URL, { status, headers }: Response, text?: string): void {
  const name = findBotCheck({ status, header: (header) => headers.get(header) }, text)
  if (!name) return
  throw new Failure(
    `A bot check of ${name} answers ${status} at ${url.href} instead of WordPress: allow this computer's address there, or use an export (Tools → Export)`,
  )
}

/** Follows redirects itself, so that the password never goes to another host. */
async function follow(url: URL, site: URL, options: RestOptions, authorization?: string): Promise<Response> {
  let at = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(at, options, authorization)
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || !location) return response
    await response.body?.cancel()
    const next = URL.parse(location, at.href)
    if (!next) throw new Failure(`${at.href} redirects to ${location}, which is not an address`)
    mustBeSameHost(next, site)
    if (at.protocol === 'https:' && next.protocol === 'http:') {
      throw new Failure(`${at.href} redirects to ${next.href}, which is not encrypted`)
    }
    at = next
  }
  throw new Failure(`${url.href} redirects more than ${MAX_REDIRECTS} times`)
}

async function send(url: URL, options: RestOptions, authorization?: string): Promise<Response> {
  const { fetch: send = fetch, timeoutMs = TIMEOUT_MS } = options
  try {
    const response = await send(url, {
      redirect: 'manual',
      headers: { accept: 'application/json', ...(authorization && { authorization }) },
      signal: AbortSignal.timeout(timeoutMs),
    })
    return new Response(response.body?.pipeThrough(atMost(MAX_ANSWER_BYTES)), response)
  } catch (error) {
    throw unreachable(url, error as Error, timeoutMs)
  }
}

function atMost(bytes: number) {
  let left = bytes
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.length
      if (left < 0) controller.error(new Error(`the answer is larger than ${bytes / 2 ** 20} MiB`))
      else controller.enqueue(chunk)
    },
  })
}

async function jsonOf(response: Response, url: URL, isSignedIn: boolean): Promise<unknown> {
  let text: string
  try {
    text = await response.text()
  } catch (error) {
    throw new Failure(`The connection to ${url.href} broke: ${(error as Error).message}`)
  }
  const body = parse(text)
  if (body === undefined) refuseBotCheck(url, response, text)
  if (response.ok && body !== undefined) return body
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown }
  const explanation = typeof message === 'string' ? `: ${message}` : ''
  if (response.status === 401 || response.status === 403 || text.includes('"rest_forbidden')) {
    const who = isSignedIn
      ? 'WORDPRESS_USER and WORDPRESS_PASSWORD (an application password, of someone who may edit posts) are refused'
      : 'set WORDPRESS_USER and WORDPRESS_PASSWORD, an application password'
    throw new Failure(`${url.href} answered ${response.status}${explanation} (${who})`, response.status)
  }
  if (response.ok)
    throw new Failure(`${url.href} did not answer with JSON: ${text.slice(0, 80).replace(/\s+/g, ' ')}`)
  throw new Failure(
    `${url.href} answered ${response.status}${explanation}${typeof code === 'string' ? ` (${code})` : ''}`,
    response.status,
  )
}

/** Parses `Retry-After` to milliseconds. */
function pauseOf(response: Response): number | null {
  const retryAfter = response.headers.get('retry-after')?.trim()
  if (!retryAfter) return null
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

function unreachable(url: URL, error: Error, timeoutMs: number): Failure {
  if (error.name === 'TimeoutError')
    return new Failure(`No answer from ${url.href} in ${timeoutMs / 1_000} s`)
  const cause = (error.cause ?? error) as NodeJS.ErrnoException
  const code = cause.code ?? ''
  if (/SSL|EPROTO/.test(code)) return new Failure(`${url.host} has a TLS error: ${code}`)
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return new Failure(`The certificate of ${url.host} is not trusted: ${code}`)
  }
  return new Failure(`Cannot reach ${url.href}: ${code || cause.message}`)
}

function siteUrl(address: string): URL {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Failure(`${JSON.stringify(address)} is not an http or https URL`)
  if (url.username || url.password)
    throw new Failure('Set WORDPRESS_USER and WORDPRESS_PASSWORD, not a password in the URL')
  url.hash = ''
  return url
}

function mustBeSameHost(url: URL, site: URL): void {
  if (url.host === site.host) return
  throw new Failure(`${site.href} leads to ${url.origin}, another host: use that address if it is the blog's`)
}

function withSlash(url: URL): URL {
  const copy = new URL(url)
  copy.search = ''
  copy.pathname = copy.pathname.replace(/\/*$/, '/')
  return copy
}

function isLocal(hostname: string): boolean {
  return hostname === 'localhost' || /^127(?:\.\d{1,3}){3}$|^\[::1\]$/.test(hostname)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
