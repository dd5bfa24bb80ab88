import fc from 'fast-check'
import { beforeAll, expect, inject, it, vi } from 'vitest'
import { workspaceConsole } from '../../../functions/console/console.tsx'
import { signIn, visit } from '../../support/console.ts'
import { depthOf } from '../../support/depth.ts'
import { makeSite, type TestSite } from '../../support/site.ts'
import { finished, setWebhook } from '../../support/webhook.ts'
import { hostile, mostly, storable } from '../fuzz/values.ts'

const REQUESTS = depthOf('consoleFuzz')
const ANSWERS = [200, 201, 303, 400, 401, 403, 404, 405, 409, 413, 429]
const MARKUP = '<img src=x onerror=alert(1)>'
const FIELDS =
  'name domain defaultLanguage postPath guidePath plan dailyQuota trainingOptIn access expiresOn url token timestamp body signature id next secretRotatedAt slug optIn change post from to'
const PARAMETERS =
  'search status band language publishedFrom publishedTo updatedAfter updatedBefore sort page changed already stayed of undo cursor event outcome done revoked saved rebuilt next sent'

const ROW = crypto.randomUUID()

const seed = inject('fuzzSeed')
const routes = workspaceConsole.routes.filter(
  ({ method, path }) => /^(GET|POST)$/.test(method) && !/\*|assets|sign-out/.test(path),
)

let site: TestSite
let cookie: string
let known: Record<string, string[]>

beforeAll(async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  site = await makeSite()
  await setWebhook(site, 'ok')
  await fill()
  await site.manage('PUT', '/posts/kept/readiness')
  const delivery = await finished(site)
  cookie = await signIn()
  known = {
    siteId: [site.id],
    keyId: [site.keyId],
    slug: ['kept'],
    rowId: [ROW],
    deliveryId: [delivery.id],
    eventId: [delivery.eventId],
  }
})

/** Restores whatever a request may rename or delete. */
async function fill() {
  const provenance = { sources: [], generatedBy: MARKUP }
  await site.put('kept', { title: MARKUP, trustScore: 90, provenance })
  await site.manage('PUT', '/guides/kept', { title: MARKUP, contentHtml: MARKUP })
  await site.manage('PUT', '/redirects', {
    redirects: [{ from: `/${MARKUP.replaceAll('=', '')}`, to: '/kept' }],
  })
  const rows = [{ id: ROW, prompt: MARKUP, completion: MARKUP }]
  await site.manage('POST', '/training-rows', { rows })
}

/** `:name`, with an optional pattern. */
const PARAMETER = /:(\w+)(?:\{(?:[^{}]|\{[^{}]*\})*\})?/g

const text = fc.oneof(hostile, storable, fc.constant(MARKUP))
const fieldsOf = (names: string) => fc.dictionary(fc.constantFrom(...names.split(' ')), text, { maxKeys: 6 })

/** A path of the route. Most of its parameters exist. */
function pathOf(path: string): fc.Arbitrary<string> {
  const names = [...path.matchAll(PARAMETER)].map(([, name]) => name!)
  const values = names.map((name) => mostly(4, fc.constantFrom(...(known[name] ?? ['x'])), text))
  return fc.tuple(...values).map((chosen) => {
    const rest = [...chosen]
    return path.replaceAll(PARAMETER, () => encodeURIComponent(rest.shift()!.toWellFormed()))
  })
}

it(`every request gets a page or a redirect, never a 500 or a user's markup (FUZZ_SEED=${seed})`, async () => {
  expect(routes.length).toBeGreaterThan(20)
  const request = fc.constantFrom(...routes).chain(({ method, path }) =>
    fc.record({
      method: mostly(20, fc.constant(method), fc.constantFrom('PUT', 'DELETE', 'HEAD', 'OPTIONS')),
      path: pathOf(`/console${path.replace(/^\/console/, '')}`),
      query: fieldsOf(PARAMETERS),
      form: fieldsOf(FIELDS),
      signedIn: mostly(10, fc.constant(true), fc.constant(false)),
    }),
  )
  const counts: Record<number, number> = {}
  const property = fc.asyncProperty(request, async ({ method, path, query, form, signedIn }) => {
    const search = new URLSearchParams(query).toString()
    const answer = await visit(`${path}${search ? `?${search}` : ''}`, {
      method,
      ...(signedIn && { cookie }),
      ...(method === 'POST' && { form }),
      headers: { 'CF-Connecting-IP': crypto.randomUUID() },
    })
    if (answer.status === 303 && /\/(slug|deletion)$/.test(path)) await fill()
    counts[answer.status] = (counts[answer.status] ?? 0) + 1
    expect(ANSWERS).toContain(answer.status)
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    expect(answer.headers.get('X-Request-Id')).toBeTruthy()
    if (answer.location) expect(answer.location).toMatch(/^\/console/)
    const isPage = answer.headers.get('Content-Type')?.startsWith('text/html') && !path.endsWith('/preview')
    if (isPage) expect(answer.text).not.toContain('<img src=x')
  })
  await fc.assert(property, { seed, numRuns: REQUESTS })
  console.info('console', counts)
  expect(counts[200]).toBeGreaterThan(REQUESTS / 10)
})
