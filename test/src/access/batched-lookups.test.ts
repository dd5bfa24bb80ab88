import { afterEach, expect, it, vi } from 'vitest'
import { batched, type Credential } from '../../../src/access/credentials.ts'
import { createCaches } from '../../../src/caches.ts'
import type { Context } from '../../../src/context.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('a lookup whose batch never ends is part of a later one', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  const asked: string[][] = []
  const find: Credential['find'] = async (_, hashes) => {
    asked.push(hashes)
    return asked.length === 1 ? new Promise(() => {}) : new Map()
  }
  const ctx = { caches: createCaches(), defer() {} } as unknown as Context
  const credential = batched('keys', { find } as unknown as Credential)
  void credential.find(ctx, ['first'])
  const found = credential.find(ctx, ['second'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked).toEqual([['first', 'second'], ['second']])
  expect(await found).toEqual(new Map())
})
