/** Verifies the assertion of Cloudflare Access in front of the console. */
import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Context } from '../../../src/context.ts'
import type { Config } from '../../../src/core/config.ts'
import { describeError } from '../../../src/core/log.ts'
import type { Http } from '../../http/env.ts'

const HEADER = 'Cf-Access-Jwt-Assertion'
const KEYS_TIMEOUT_MS = 3_000

const keySets = new WeakMap<Config, JWTVerifyGetKey>()

/**
 * The email address or service token in the assertion
 * (https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/).
 *
 * @returns null without Access, or without a valid assertion
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

/** jose caches the keys for ten minutes, and fetches them again for an unknown key ID. */
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
