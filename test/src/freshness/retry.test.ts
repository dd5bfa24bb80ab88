import { describe, expect, it, vi } from 'vitest'
import { pausesUntil, retry } from '../../../src/freshness/retry.ts'

/** Fails with 1, 2, 3, … until the attempt that succeeds. */
function failingUntil(success: number) {
  let tries = 0
  return vi.fn(async () => {
    tries += 1
    if (tries < success) throw tries
    return `after ${tries}`
  })
}

describe('retry', () => {
  it('returns what the first attempt that succeeds returns', async () => {
    const attempt = failingUntil(3)
    const onRetry = vi.fn()
    expect(await retry([1, 1, 1, 1], attempt, onRetry)).toBe('after 3')
    expect(attempt).toHaveBeenCalledTimes(3)
    expect(onRetry.mock.calls).toEqual([
      [1, 1],
      [2, 2],
    ])
  })

  it('throws the last error after the last pause, and does not report it as retried', async () => {
    const attempt = failingUntil(4)
    const onRetry = vi.fn()
    await expect(retry([1, 1], attempt, onRetry)).rejects.toBe(3)
    expect(onRetry).toHaveBeenCalledTimes(2)
  })

  it('makes one attempt without pauses', async () => {
    const attempt = failingUntil(2)
    await expect(retry([], attempt)).rejects.toBe(1)
    expect(attempt).toHaveBeenCalledTimes(1)
  })

  it('stops at the first failure after a deadline', async () => {
    const attempt = failingUntil(Number.POSITIVE_INFINITY)
    await expect(retry(pausesUntil(Date.now() - 1, 1), attempt)).rejects.toBe(1)
    await expect(retry(pausesUntil(Date.now() + 50, 1), attempt)).rejects.toBeGreaterThan(2)
  })
})
