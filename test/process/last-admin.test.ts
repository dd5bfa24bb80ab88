import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stack } from '../../src/local/stack.ts'
import { createToken, revokeToken } from '../../src/people/operator-tokens.ts'
import { addOperator, listOperators, removeOperator, updateOperator } from '../../src/people/operators.ts'
import { ADMIN } from '../support/actor.ts'
import { startOwnStack } from '../support/own-stack.ts'
import { contextOver } from '../support/verbs.ts'

const ROUNDS = 20

let stack: Stack

beforeAll(async () => {
  stack = await startOwnStack()
})

afterAll(() => stack?.stop())

/** The service with and without OPERATOR_TOKEN, which gives access without an admin, and with Cloudflare Access. */
function service(OPERATOR_TOKEN?: string, ACCESS_TEAM_DOMAIN?: string) {
  const ctx = contextOver(stack)
  return { ...ctx, config: { ...ctx.config, OPERATOR_TOKEN, ACCESS_TEAM_DOMAIN } }
}

const admins = async () => (await listOperators(service())).filter(({ role }) => role === 'admin')

/** These admins are the only operators, each with a token. */
async function makeAdmins(...names: string[]) {
  const on = service('switched on'.padEnd(32, '-'))
  for (const { id } of await listOperators(on)) await removeOperator(on, id)
  return Promise.all(
    names.map(async (name) => {
      const { id } = await addOperator(on, { name, role: 'admin' })
      const { token: _, ...token } = await createToken(on, id, {})
      return { id, token }
    }),
  )
}

describe('the last admin', () => {
  it('keeps the role, and cannot be removed, while OPERATOR_TOKEN is off', async () => {
    const [ada] = await makeAdmins('Ada')
    await addOperator(service(), { name: 'Bea', role: 'editor' })
    const refused = { code: 'last_admin' }
    await expect(updateOperator(service(), ada!.id, { role: 'editor' })).rejects.toMatchObject(refused)
    await expect(removeOperator(service(), ada!.id)).rejects.toMatchObject(refused)
    expect(await updateOperator(service(), ada!.id, { name: 'Ada L.', role: 'admin' })).toMatchObject({
      name: 'Ada L.',
      role: 'admin',
    })
  })

  it('has to be able to sign in: admins whose tokens have ended, or will end with it, do not count', async () => {
    const [ada, bea] = await makeAdmins('Ada', 'Bea')
    const eve = await addOperator(service(), { name: 'Eve', role: 'admin' })
    await revokeToken(service(), bea!.id, bea!.token.id)
    const { id, expiresAt } = ada!.token
    const byAda = { ...ADMIN, token: { id, expiresAt: new Date(expiresAt) } }
    const { id: made } = await createToken({ ...service(), actor: byAda }, eve.id, {})
    await expect(removeOperator(service(), ada!.id)).rejects.toMatchObject({ code: 'last_admin' })
    await revokeToken(service(), eve.id, made)
    const demotion = updateOperator(service(), ada!.id, { role: 'editor' })
    await expect(demotion).rejects.toMatchObject({ code: 'last_admin' })
    expect(await admins()).toHaveLength(3)
    await createToken(service(), eve.id, {})
    await removeOperator(service(), ada!.id)
  })

  it('needs no token behind Cloudflare Access', async () => {
    const [ada] = await makeAdmins('Ada')
    const bea = await addOperator(service(), { name: 'bea@example.com', role: 'admin' })
    const behindAccess = service(undefined, 'team.cloudflareaccess.com')
    await removeOperator(behindAccess, ada!.id)
    await expect(removeOperator(behindAccess, bea.id)).rejects.toMatchObject({ code: 'last_admin' })
  })

  it('can be demoted and removed while OPERATOR_TOKEN is on, or once there is another', async () => {
    const on = service('switched on'.padEnd(32, '-'))
    const [ada] = await makeAdmins('Ada')
    expect((await updateOperator(on, ada!.id, { role: 'viewer' })).role).toBe('viewer')
    await removeOperator(on, ada!.id)
    const [bea, eve] = await makeAdmins('Bea', 'Eve')
    await removeOperator(service(), bea!.id)
    expect(await admins()).toMatchObject([{ id: eve!.id }])
  })

  it('remains when two admins demote or remove each other at the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [ada, bea] = await makeAdmins('Ada', 'Bea')
      const lose = (id: string) =>
        round % 2 === 0 ? removeOperator(service(), id) : updateOperator(service(), id, { role: 'viewer' })
      const outcomes = await Promise.allSettled([lose(ada!.id), lose(bea!.id)])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(await admins()).toHaveLength(1)
    }
  })

  it('is not reported for others, also when no admin has a token, as with sign-in links', async () => {
    const [ada] = await makeAdmins('Ada')
    await revokeToken(service(), ada!.id, ada!.token.id)
    const bea = await addOperator(service(), { name: 'Bea', role: 'editor' })
    expect(await updateOperator(service(), bea.id, { role: 'viewer' })).toMatchObject({ role: 'viewer' })
    await removeOperator(service(), bea.id)
    expect(await listOperators(service())).toHaveLength(1)
  })

  it('is not reported for an unknown operator', async () => {
    await makeAdmins('Ada')
    const unknown = removeOperator(service(), crypto.randomUUID())
    await expect(unknown).rejects.toMatchObject({ code: 'operator_not_found' })
  })
})
