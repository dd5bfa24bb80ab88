import { expect, it, vi } from 'vitest'
import { countRequest } from '../../../src/access/quota.ts'
import { type ApiKeyAuth, createCaches } from '../../../src/caches.ts'
import type { Context } from '../../../src/context.ts'

it('of the requests that arrive at the same moment, one asks Redis before the others', async () => {
  const first = Promise.withResolvers<unknown>()
  const evalsha = vi.fn<() => Promise<unknown>>(async () => [null, 1, 0, 2])
  evalsha.mockReturnValueOnce(first.promise)
  const ctx = {
    caches: createCaches(),
    config: { REDIS_PREFIX: 'test' },
    redis: { evalsha },
    defer() {},
  } as unknown as Context
  const subject = { keyId: null, access: 'full', site: { id: 'site', plan: 'free' } } as ApiKeyAuth
  const counts = [1, 2, 3].map(() => countRequest(ctx, subject, 'consume'))
  await vi.waitFor(() => expect(evalsha).toHaveBeenCalled())
  await new Promise((resolve) => setTimeout(resolve))
  expect(evalsha).toHaveBeenCalledOnce()
  first.resolve([null, 1, 0, 1])
  await Promise.all(counts)
  expect(evalsha).toHaveBeenCalledTimes(3)
})
