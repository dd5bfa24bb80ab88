import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateToken } from '../../src/crypto/token.ts'
import { query } from '../support/databases.ts'
import { type Service, startService } from '../support/service.ts'

type Entry = {
  at: string
  action: string
  actorId: string | null
  actor: string | null
  subject: string | null
  channel: string
  address: string
}

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service?.stop())

const asOwner = (statement: string) =>
  service.database ? query(service.database, statement) : service.sql(statement)

const entries = async (action: string) =>
  (await service.manage<{ items: Entry[] }>('GET', `/audit-log?limit=500&action=${action}`)).items

const refuse = (from: number, to: number, actor = "''") =>
  service.sql(
    `select set_config('audit.actor_id', ${actor}, true), set_config('audit.address', n::text, true),
      log_refusal('operator.sign_in_failed', null)
     from generate_series(${from}, ${to}) n`,
  )

/** All entries get older. */
async function letMinutesPass(minutes: number) {
  await asOwner('alter table audit_log disable trigger user')
  await asOwner(`update audit_log set at = at - interval '${minutes} minutes 1 second'`)
  await asOwner('alter table audit_log enable trigger user')
}

describe('the audit log', () => {
  it('has wrong tokens, at most once a minute for each address', async () => {
    const signIn = (token: string) =>
      fetch(`${service.origin}/console/sign-in`, {
        method: 'POST',
        headers: { Origin: service.origin },
        body: new URLSearchParams({ token }),
      })
    expect((await signIn('wrong')).status).toBe(400)
    await expect.poll(() => entries('operator.sign_in_failed')).toHaveLength(1)
    for (const key of ['wrong', generateToken('hca_operator_')]) {
      const headers = { Authorization: `Bearer ${key}` }
      expect((await fetch(`${service.origin}/manage/v1/sites`, { headers })).status).toBe(401)
    }
    expect(await entries('operator.sign_in_failed')).toMatchObject([
      { actor: null, actorId: null, subject: null, channel: 'console' },
    ])
  })

  it('has at most 60 wrong tokens a minute, from any number of addresses, and room for operators', async () => {
    await refuse(1, 100)
    const logged = await entries('operator.sign_in_failed')
    const [newest] = logged.map(({ at }) => Date.parse(at))
    expect(logged.filter(({ at }) => Date.parse(at) > newest! - 60_000)).toHaveLength(60)
    await refuse(1, 2, "'00000000-0000-4000-8000-000000000001'")
    expect(await entries('operator.sign_in_failed')).toHaveLength(logged.length + 2)
    await expect(service.sql("select log_refusal('key.created', 'by eve')")).rejects.toThrow()
    expect(await entries('key')).toEqual([])
  })

  it('has at most 300 wrong tokens an hour, from any number of addresses', async () => {
    const wrongTokens = async () =>
      (await entries('operator.sign_in_failed')).filter(({ actorId }) => actorId === null)
    for (let minute = 1; minute <= 6; minute++) {
      await letMinutesPass(1)
      await refuse(minute * 100, minute * 100 + 99)
    }
    expect(await wrongTokens()).toHaveLength(300)
    await letMinutesPass(60)
    await refuse(1, 1)
    expect(await wrongTokens()).toHaveLength(301)
  })

  it('deletes an entry when it is 400 days old, and not before', async () => {
    for (const days of [399, 401])
      await asOwner(
        `insert into audit_log (at, action) values (now() - interval '${days} days', 'test.${days}')`,
      )
    await service.manage('POST', '/sweep')
    expect((await entries('test')).map(({ action }) => action)).toEqual(['test.399'])
  })
})
