import { afterEach, describe, expect, it, vi } from 'vitest'
import { asBatched, type Credential } from '../../../src/access/credentials.ts'
import { type AuthRow, createCaches } from '../../../src/caches.ts'
import type { Context } from '../../../src/context.ts'

afterEach(() => {
  vi.useRealTimers()
})

/** Looks up keys together. `asked` has the hashes of each query. */
function batchedLookups(answer: (query: number) => Promise<Map<string, AuthRow>>) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const asked: string[][] = []
  const find: Credential['find'] = (_, hashes) => answer(asked.push(hashes))
  const ctx = { caches: createCaches(), defer() {} } as unknown as Context
  const credential = asBatched('keys', { find } as unknown as Credential)
  return { asked, find: (hash: string) => credential.find(ctx, [hash]) }
}

it('a lookup whose batch never ends is part of a later one', async () => {
  const { asked, find } = batchedLookups((query) =>
    query === 1 ? new Promise(() => {}) : Promise.resolve(new Map()),
  )
  void find('first')
  const found = find('second')
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked).toEqual([['first', 'second'], ['second']])
  expect(await found).toEqual(new Map())
})

describe('a batch that fails', () => {
  const failFirst = () => {
    const first = Promise.withResolvers<Map<string, AuthRow>>()
    const lookups = batchedLookups((query) => (query === 1 ? first.promise : Promise.resolve(new Map())))
    return { ...lookups, fail: () => first.reject(new Error('away')) }
  }

  it('fails its lookups, and none that wait for the next batch', async () => {
    const { asked, find, fail } = failFirst()
    const members = Promise.allSettled([find('first'), find('second')])
    await vi.advanceTimersByTimeAsync(300)
    const later = Promise.allSettled([find('later')])
    fail()
    await vi.advanceTimersByTimeAsync(300)
    const away = { reason: new Error('away') }
    expect(await members).toMatchObject([away, away])
    expect(await later).toMatchObject([{ value: new Map() }])
    expect(asked).toEqual([['first', 'second'], ['later']])
  })

  it('fails a lookup that has waited too long to try again', async () => {
    const { asked, find, fail } = failFirst()
    const member = Promise.allSettled([find('first')])
    await vi.advanceTimersByTimeAsync(300)
    const later = Promise.allSettled([find('later')])
    await vi.advanceTimersByTimeAsync(4_000)
    fail()
    for (const each of [member, later]) expect(await each).toMatchObject([{ reason: new Error('away') }])
    expect(asked).toEqual([['first']])
  })
})
