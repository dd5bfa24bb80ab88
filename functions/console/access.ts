/** Cloudflare Access before the console: its assertion of who is there, verified. */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Config } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { describeError } from '../../src/log.ts'
import type { Http, Person } from '../http/env.ts'

const HEADER = 'Cf-Access-Jwt-Assertion'
const KEYS_TIMEOUT_MS = 3_000

const keySets = new WeakMap<Config, JWTVerifyGetKey>()

/**
 * The person of a genuine assertion: signed by the team's keys, for our audience, not expired
 * (https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/).
 *
 * @returns null without Access, without an assertion, and for one that proves nothing
 */
export async function accessPerson(c: Http): Promise<Person | null> {
  const ctx = c.get('ctx')
  const { ACCESS_TEAM_DOMAIN: issuer, ACCESS_AUDIENCE: audience } = ctx.config
  const assertion = c.req.header(HEADER)
  if (!issuer || !audience || !assertion) return null
  try {
    const { payload } = await jwtVerify(assertion, keysOf(ctx, issuer), {
      issuer,
      audience,
      algorithms: ['RS256'],
      requiredClaims: ['exp'],
    })
    return { email: typeof payload.email === 'string' ? payload.email : null, by: 'access' }
  } catch (error) {
    ctx.log('access.refused', { error: describeError(error) })
    return null
  }
}

/** The team's keys, kept for ten minutes, and fetched anew when a key is not among them. */
function keysOf(ctx: Context, issuer: string): JWTVerifyGetKey {
  const known = keySets.get(ctx.config)
  if (known) return known
  const { fetch } = ctx
  const keys = createRemoteJWKSet(new URL('/cdn-cgi/access/certs', issuer), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    [customFetch]: (url, init) => fetch(url, init as RequestInit),
  })
  keySets.set(ctx.config, keys)
  return keys
}
