import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Stack, startStack } from '../../src/local/stack.ts'
import { addOperator, listOperators, removeOperator, updateOperator } from '../../src/operators.ts'
import { createDatabase } from '../support/databases.ts'
import { contextOver } from '../support/verbs.ts'

const ROUNDS = 20

let stack: Stack
let database: Awaited<ReturnType<typeof createDatabase>> | null

beforeAll(async () => {
  const server = inject('server')
  database = server ? await createDatabase(server) : null
  stack = await startStack({
    databaseUrl: database?.workerUrl,
    ownerUrl: database?.url,
    redisUrl: server ? process.env.REDIS_URL : undefined,
  })
  await stack.migrate()
})

afterAll(async () => {
  await stack?.stop()
  await database?.drop()
})

/** The service with or without OPERATOR_TOKEN, which lets others in when there is no admin. */
function service(OPERATOR_TOKEN?: string) {
  const ctx = contextOver(stack)
  return { ...ctx, config: { ...ctx.config, OPERATOR_TOKEN } }
}

const admins = async () => (await listOperators(service())).filter(({ role }) => role === 'admin')

/** Nobody is an operator but these admins. */
async function makeAdmins(...names: string[]) {
  const on = service('switched on'.padEnd(32, '-'))
  for (const { id } of await listOperators(on)) await removeOperator(on, id)
  return Promise.all(names.map((name) => addOperator(on, { name, role: 'admin' })))
}

describe('the last admin', () => {
  it('keeps the role, and is not removed, while OPERATOR_TOKEN is off', async () => {
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

  it('can be demoted and removed while OPERATOR_TOKEN is on, or once there is another', async () => {
    const on = service('switched on'.padEnd(32, '-'))
    const [ada] = await makeAdmins('Ada')
    expect((await updateOperator(on, ada!.id, { role: 'viewer' })).role).toBe('viewer')
    await removeOperator(on, ada!.id)
    const [bea, eve] = await makeAdmins('Bea', 'Eve')
    await removeOperator(service(), bea!.id)
    expect(await admins()).toMatchObject([{ id: eve!.id }])
  })

  it('is still there when two admins demote or remove each other at the same time', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [ada, bea] = await makeAdmins('Ada', 'Bea')
      const lose = (id: string) =>
        round % 2 === 0 ? removeOperator(service(), id) : updateOperator(service(), id, { role: 'viewer' })
      const outcomes = await Promise.allSettled([lose(ada!.id), lose(bea!.id)])
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      expect(await admins()).toHaveLength(1)
    }
  })

  it('is nobody who does not exist', async () => {
    await makeAdmins('Ada')
    const unknown = removeOperator(service(), crypto.randomUUID())
    await expect(unknown).rejects.toMatchObject({ code: 'operator_not_found' })
  })
})
