import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { callsOf } from '../support/calls.ts'
import { testContext } from '../support/context.ts'
import { callsOf as queriesOf } from '../support/sql.ts'

const query = () => testContext().db.execute(sql`select 1`)

describe('the calls of a test', () => {
  const { promise: nextTest, resolve: start } = Promise.withResolvers<void>()
  let leftBehind: Promise<unknown>

  it('are those that it makes itself', async () => {
    leftBehind = nextTest.then(query)
    const asked = async () => {
      await query()
      return new Response()
    }
    expect(await callsOf(asked)).toMatchObject({ postgres: 1 })
    expect(await queriesOf(query)).toBe(1)
  })

  it('are not those that an earlier test did not wait for', async () => {
    const waited = async () => {
      start()
      await leftBehind
      return new Response()
    }
    expect(await callsOf(waited)).toMatchObject({ postgres: 0 })
  })
})
