import { describe, expect, it } from 'vitest'
import { cookieOf, trySignIn, visit } from '../../support/console.ts'
import { call, errorOf, manage } from '../../support/site.ts'
import { runSql } from '../../support/sql.ts'

type Token = { id: string; token: string; expiresAt: string; makerId: string | null }
type Operator = { id: string; name: string; tokens: { id: string; revokedAt: string | null }[] }

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

const addOperator = (role = 'admin') =>
  manage('POST', '/operators', { name: `maker-${crypto.randomUUID()}`, role })

/** An operator with a token valid for an hour, created by OPERATOR_TOKEN. */
async function makeMaker(role = 'admin') {
  const operator = await addOperator(role)
  const path = `/operators/${operator.id}/tokens` as const
  const token = await manage('POST', path, { expiresAt: inHours(1) })
  return { ...operator, path, token }
}

const ask = (token: Token, method: string, path: string, body?: unknown) =>
  call(`/manage/v1${path}`, { method, body, key: token.token })

async function make(maker: Token, path: string, body: object = {}): Promise<Token> {
  const response = await ask(maker, 'POST', path, body)
  expect(response.status).toBe(201)
  return response.json()
}

const statuses = (...tokens: Token[]) =>
  Promise.all(tokens.map(async (token) => (await ask(token, 'GET', '/operator')).status))

const revoke = ({ id }: Operator, token: Token) =>
  manage('PUT', `/operators/${id}/tokens/${token.id}/revocation`)

describe('a token created with another token', () => {
  it('expires no later than that token, whatever is requested', async () => {
    const { path, token } = await makeMaker('viewer')
    const made = await make(token, path)
    expect(made).toMatchObject({ expiresAt: token.expiresAt, makerId: token.id })
    const expiresAt = inHours(0.5)
    const sooner = await make(token, path, { expiresAt })
    expect(sooner.expiresAt).toBe(expiresAt)
    expect((await make(sooner, path)).expiresAt).toBe(expiresAt)
    const later = await ask(token, 'POST', path, { expiresAt: inHours(2) })
    expect(await errorOf(later, 400)).toBe(
      `Invalid body: expiresAt must be at most ${token.expiresAt}, when the token that creates it expires`,
    )
  })

  it('is revoked with it, together with their sessions and all tokens created with them, also for others', async () => {
    const maker = await makeMaker()
    const other = await addOperator('viewer')
    const made = await make(maker.token, `/operators/${other.id}/tokens`)
    const madeByMade = await make(made, `/operators/${other.id}/tokens`)
    const own = await manage('POST', `/operators/${other.id}/tokens`, {})
    const cookie = cookieOf(await trySignIn(madeByMade.token))
    const one = await make(maker.token, maker.path)
    await revoke(maker, one)
    expect(await statuses(one, maker.token, made, madeByMade, own)).toEqual([401, 200, 200, 200, 200])
    await revoke(maker, maker.token)
    expect(await statuses(maker.token, made, madeByMade, own)).toEqual([401, 401, 401, 200])
    expect((await visit('/console/sites', { cookie })).status).toBe(303)
    const { tokens } = await manage('GET', `/operators/${other.id}`)
    expect(tokens.filter(({ revokedAt }) => revokedAt)).toHaveLength(2)
  })

  it('is bounded by the token of the session that it was created in', async () => {
    const { id, path, token, ...maker } = await makeMaker('viewer')
    const cookie = cookieOf(await trySignIn(token.token))
    const page = await visit(`/console/people/${id}/tokens`, { cookie, form: {} })
    const made = { ...token, token: /hca_operator_\w{38}/.exec(page.text)![0] }
    expect(page.text).toContain(token.expiresAt)
    expect(await statuses(made)).toEqual([200])
    await revoke({ id, ...maker }, token)
    expect(await statuses(made)).toEqual([401])
    const own = await manage('POST', path, {})
    expect(own.makerId).toBeNull()
    expect(Date.parse(own.expiresAt)).toBeGreaterThan(Date.now() + 89 * 24 * HOUR_MS)
  })

  it('is revoked with the operator whose token created it', async () => {
    const maker = await makeMaker()
    const other = await addOperator()
    const made = await make(maker.token, `/operators/${other.id}/tokens`)
    await manage('DELETE', `/operators/${maker.id}`)
    expect(await statuses(made)).toEqual([401])
  })

  it('is revoked or shortened when SQL does so to its parent', async () => {
    const { path, token } = await makeMaker()
    const made = await make(token, path)
    await runSql("update operator_tokens set expires_at = now() + interval '1 minute' where id = $1", [
      token.id,
    ])
    const [row] = await runSql(
      "select expires_at < now() + interval '2 minutes' as soon from operator_tokens where id = $1",
      [made.id],
    )
    expect(row!.soon).toBe(true)
    await runSql('update operator_tokens set revoked_at = now() where id = $1', [token.id])
    expect(await statuses(made)).toEqual([401])
  })

  it('is not created with a token that ended meanwhile', async () => {
    const { id, token } = await makeMaker()
    await runSql('update operator_tokens set revoked_at = now() where id = $1', [token.id])
    const insertion = runSql(
      `insert into operator_tokens (operator_id, token_hash, last_four, expires_at, maker_id)
       values ($1, $2, 'late', now() + interval '1 day', $3)`,
      [id, crypto.randomUUID(), token.id],
    )
    await expect(insertion).rejects.toThrow('has ended')
  })

  it('is in the audit log with its parent', async () => {
    const { id, name, path, token } = await makeMaker()
    const made = await make(token, path)
    const { items } = await manage('GET', `/audit-log?actorId=${id}&action=token.created`)
    expect(items).toMatchObject([{ actor: name, after: { id: made.id, makerId: token.id } }])
    await revoke({ id, name, tokens: [] }, token)
    const ended = await manage('GET', `/audit-log?resourceId=${id}&action=token.revoked`)
    expect(ended.items).toHaveLength(2)
  })
})
