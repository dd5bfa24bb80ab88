import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { signIn, trySignIn, visit, wordsOf } from '../../support/console.ts'
import { manage, operatorToken } from '../../support/site.ts'

const TEAM = 'https://team.cloudflareaccess.com'
const AUDIENCE = 'a'.repeat(64)
const CERTS = `${TEAM}/cdn-cgi/access/certs`
const WORLD = { ACCESS_TEAM_DOMAIN: 'team.cloudflareaccess.com', ACCESS_AUDIENCE: AUDIENCE }
const ADDRESS = `${crypto.randomUUID()}@example.com`
const BOTH = { ...WORLD, ALLOW_TOKEN_SIGN_IN: 'true' }

type Pair = Awaited<ReturnType<typeof generateKeyPair>>

let team: Pair
let stranger: Pair
let keysAsked: number
let serveKeys: () => Promise<Response>

beforeAll(async () => {
  ;[team, stranger] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  await manage('POST', '/operators', { name: ADDRESS, role: 'admin' })
})

beforeEach(() => {
  keysAsked = 0
  serveKeys = async () =>
    Response.json({ keys: [{ ...(await exportJWK(team.publicKey)), kid: 'k1', alg: 'RS256' }] })
  const { fetch } = globalThis
  vi.stubGlobal('fetch', (input: RequestInfo, init?: RequestInit) => {
    if (String(input) !== CERTS) return fetch(input, init)
    keysAsked += 1
    return serveKeys()
  })
})

afterEach(() => void vi.unstubAllGlobals())

function assertion(
  payload: JWTPayload = {},
  { key = team.privateKey as CryptoKey | Uint8Array, alg = 'RS256' } = {},
) {
  return new SignJWT({ email: ADDRESS, iss: TEAM, aud: [AUDIENCE], exp: now() + 60, ...payload })
    .setProtectedHeader({ alg, kid: 'k1' })
    .sign(key)
}

const now = () => Math.floor(Date.now() / 1_000)

const ask = (
  jwt: string,
  { path = '/console/sites', world = WORLD as Record<string, string>, cookie = '' } = {},
) => visit(path, { headers: { 'Cf-Access-Jwt-Assertion': jwt }, world, cookie })

describe('a genuine assertion', () => {
  it('signs the person in, shows the email, and sets no cookie', async () => {
    const page = await ask(await assertion())
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain(ADDRESS)
    expect(page.headers.getSetCookie()).toEqual([])
  })

  it('is accepted however the team is written', async () => {
    for (const domain of ['team', TEAM, `${TEAM}/`]) {
      const world = { ...WORLD, ACCESS_TEAM_DOMAIN: domain }
      expect([domain, (await ask(await assertion(), { world })).status]).toEqual([domain, 200])
    }
  })

  it('skips the sign-in page, and signing out goes to Access', async () => {
    const headers = { 'Cf-Access-Jwt-Assertion': await assertion() }
    expect((await visit('/console/sign-in', { headers, world: WORLD })).location).toBe('/console/overview')
    const page = await visit('/console/sites', { headers, world: WORLD })
    expect(page.text).toContain('href="/cdn-cgi/access/logout">Sign out</a>')
    expect(page.text).not.toContain('/console/sign-out')
  })
})

describe('a genuine assertion for an unknown person', () => {
  it('shows on every page who can add them, and no form works', async () => {
    const jwt = await assertion({ email: 'eve@example.com' })
    for (const path of ['/console/sites', '/console/sign-in', '/console/sites/new']) {
      const page = await ask(jwt, { path })
      expect(page.status).toBe(403)
      expect(wordsOf(page)).toContain('eve@example.com is not an operator here')
    }
    const headers = { 'Cf-Access-Jwt-Assertion': jwt }
    expect((await visit('/console/sites', { headers, world: WORLD, form: {} })).status).toBe(403)
  })

  it('works from the moment an admin adds the address, in any case, until it is removed', async () => {
    const email = `Grace.${crypto.randomUUID()}@Example.com`
    expect((await ask(await assertion({ email }))).status).toBe(403)
    const { id } = await manage('POST', '/operators', {
      name: email.toLowerCase(),
      role: 'viewer',
    })
    expect((await ask(await assertion({ email }))).status).toBe(200)
    await manage('DELETE', `/operators/${id}`)
    expect((await ask(await assertion({ email }))).status).toBe(403)
  })
})

describe('an assertion is refused', () => {
  it.each([
    ['of another key', () => assertion({}, { key: stranger.privateKey })],
    ['that has expired', () => assertion({ exp: now() - 10 })],
    ['that never expires', () => assertion({ exp: undefined as never })],
    ['that is not yet valid', () => assertion({ nbf: now() + 60 })],
    ['for another application', () => assertion({ aud: ['b'.repeat(64)] })],
    ['of another team', () => assertion({ iss: 'https://other.cloudflareaccess.com' })],
    ['signed with a secret', () => assertion({}, { key: new Uint8Array(64), alg: 'HS256' })],
    ['that is unsigned', async () => `${(await assertion()).replace(/^[^.]+/, btoa('{"alg":"none"}'))}`],
    ['that is not a token', async () => 'x.y.z'],
  ])('%s', async (_, make) => {
    const answer = await ask(await make())
    expect(answer.status).toBe(303)
    expect(answer.location).toMatch(/^\/console\/sign-in\?next=/)
  })

  it('where Access is not configured', async () => {
    expect((await ask(await assertion(), { world: {} })).status).toBe(303)
    expect(keysAsked).toBe(0)
  })

  it('for an unknown operator, but the token signs in where that is allowed', async () => {
    const stranger = await assertion({ email: `${crypto.randomUUID()}@example.com` })
    expect((await ask(stranger)).status).toBe(403)
    expect((await ask(stranger, { world: BOTH })).location).toMatch(/^\/console\/sign-in\?next=/)
    expect((await ask(stranger, { cookie: await signIn(), world: BOTH })).status).toBe(200)
  })

  it("without ending the operator's session where the token signs in too", async () => {
    expect((await ask('x.y.z', { cookie: await signIn(), world: BOTH })).status).toBe(200)
  })
})

describe("the operator's token, with Access", () => {
  it('does not sign in, and the page says so and has no form', async () => {
    const page = await visit('/console/sign-in', { world: WORLD })
    expect(page.status).toBe(200)
    expect(wordsOf(page)).toContain('Signing in with a token is turned off.')
    expect(page.text).not.toContain('<form')
    const answer = await trySignIn(operatorToken, { world: WORLD })
    expect(answer.status).toBe(403)
    expect(wordsOf(answer)).toContain('Signing in with a token is turned off.')
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  it('does not keep an earlier session valid', async () => {
    const cookie = await signIn()
    const { location } = await visit('/console/sites', { cookie, world: WORLD })
    expect(location).toMatch(/^\/console\/sign-in\?next=/)
    expect((await visit('/console/sites', { cookie, form: {}, world: WORLD })).location).toMatch(/sign-in/)
  })

  it('signs in where that is allowed', async () => {
    expect((await visit('/console/sign-in', { world: BOTH })).text).toContain('name="token"')
    expect((await trySignIn(operatorToken, { world: BOTH })).status).toBe(303)
  })
})

describe("the team's keys", () => {
  it('show the sign-in page when they cannot be fetched', async () => {
    serveKeys = async () => new Response('no', { status: 500 })
    expect((await ask(await assertion())).location).toMatch(/sign-in/)
    serveKeys = () => Promise.reject(new TypeError('connection refused'))
    expect((await ask(await assertion())).location).toMatch(/sign-in/)
    expect(keysAsked).toBe(2)
  })
})

describe('the configuration', () => {
  it.each<Record<string, string>>([
    { ACCESS_TEAM_DOMAIN: 'team.cloudflareaccess.com' },
    { ACCESS_AUDIENCE: AUDIENCE },
    { ...WORLD, ACCESS_TEAM_DOMAIN: 'https://evil.example/x' },
  ])('%j is refused', async (world) => {
    const answer = await visit('/console/sites', { world })
    expect(answer.status).toBe(500)
    expect(wordsOf(answer)).toContain('Something went wrong')
  })
})
