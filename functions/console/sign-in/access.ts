/** Cloudflare Access in front of the console: verifies its assertion of who is there. */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Context } from '../../../src/context.ts'
import type { Config } from '../../../src/core/config.ts'
import { describeError } from '../../../src/core/log.ts'
import type { Http } from '../../http/env.ts'

const HEADER = 'Cf-Access-Jwt-Assertion'
const KEYS_TIMEOUT_MS = 3_000

const keySets = new WeakMap<Config, JWTVerifyGetKey>()

/**
 * The address in a valid assertion, or the name of a service token: signed with one of the team's keys, for our audience,
 * not expired (https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/).
 *
 * @returns null without Access, without an assertion, and for one that is not valid
 */
export async function accessAddress(c: Http): Promise<string | null> {
  const ctx = c.get('ctx')
  const { ACCESS_TEAM_DOMAIN: issuer, ACCESS_AUDIENCE: audience } = ctx.config
  const assertion = c.req.header(HEADER)
  if (!issuer || !audience || !assertion) return null
  try {
    const { payload } = await jwtVerify(assertion, teamKeys(ctx, issuer), {
      issuer,
      audience,
      algorithms: ['RS256'],
      requiredClaims: ['exp'],
    })
    return String(payload.email ?? payload.common_name ?? '')
  } catch (error) {
    ctx.log('access.refused', { error: describeError(error) })
    return null
  }
}

/** The team's public keys: cached for ten minutes, and fetched again for a key ID that is not among them. */
function teamKeys(ctx: Context, issuer: string): JWTVerifyGetKey {
  const cached = keySets.get(ctx.config)
  if (cached) return cached
  const { fetch } = ctx
  const keys = createRemoteJWKSet(new URL('/cdn-cgi/access/certs', issuer), {
    timeoutDuration: KEYS_TIMEOUT_MS,
    [customFetch]: (url, init) => fetch(url, init as RequestInit),
  })
  keySets.set(ctx.config, keys)
  return keys
}
