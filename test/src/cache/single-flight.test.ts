import { afterEach, describe, expect, it, vi } from 'vitest'
import { RETRY_WITHIN_MS, SingleFlight } from '../../../src/cache/single-flight.ts'

afterEach(() => void vi.useRealTimers())

const defer = () => {}
const moment = () => new Promise((resolve) => setTimeout(resolve, 5))

/** Work that ends on demand. */
function heldWork() {
  const held: PromiseWithResolvers<number>[] = []
  const work = () => {
    const one = Promise.withResolvers<number>()
    held.push(one)
    return one.promise
  }
  return { held, work }
}

describe('share', () => {
  it('does the work once for all callers while older work is running, and after it', async () => {
    const flights = new SingleFlight<number>(1_000)
    const { held, work } = heldWork()
    const first = flights.share('a', work, defer)
    const others = Array.from({ length: 50 }, () => flights.share('a', work, defer))
    await moment()
    expect(held).toHaveLength(1)
    held[0]!.resolve(1)
    expect(await first).toBe(1)
    await moment()
    expect(held).toHaveLength(2)
    held[1]!.resolve(2)
    expect(new Set(await Promise.all(others))).toEqual(new Set([2]))
    expect(await flights.share('a', async () => 3, defer)).toBe(3)
  })

  it('never returns a result that was loaded before it was requested', async () => {
    const flights = new SingleFlight<number>(1_000)
    let now = 0
    const asked = Array.from({ length: 100 }, async () => {
      for (let wait = Math.random() * 20; wait > 0; wait--) await Promise.resolve()
      const before = ++now
      const found = await flights.share(
        'a',
        async () => {
          const seen = now
          await moment()
          return seen
        },
        defer,
      )
      expect(found).toBeGreaterThanOrEqual(before)
    })
    await Promise.all(asked)
  })

  it('keeps keys separate', async () => {
    const flights = new SingleFlight<string>(1_000)
    const found = ['a', 'b'].map((key) => flights.share(key, async () => key, defer))
    expect(await Promise.all(found)).toEqual(['a', 'b'])
  })

  it('fails when the work fails, for all its callers', async () => {
    const flights = new SingleFlight<number>(1_000)
    const { held, work } = heldWork()
    const asked = [1, 2, 3].map(() => flights.share('a', work, defer))
    held[0]!.resolve(1)
    await moment()
    held[1]!.reject(new Error('away'))
    const [first, ...others] = await Promise.allSettled(asked)
    expect(first).toMatchObject({ value: 1 })
    expect(others).toMatchObject([{ reason: new Error('away') }, { reason: new Error('away') }])
    expect(held).toHaveLength(2)
    expect(await flights.share('a', async () => 3, defer)).toBe(3)
  })

  it('ignores a failure of work that started before the call', async () => {
    const flights = new SingleFlight<number>(1_000)
    const { held, work } = heldWork()
    const asked = Promise.allSettled([1, 2, 3].map(() => flights.share('a', work, defer)))
    held[0]!.reject(new Error('away'))
    await moment()
    held[1]?.resolve(2)
    const [first, ...others] = await asked
    expect(first).toMatchObject({ reason: new Error('away') })
    expect(others).toMatchObject([{ value: 2 }, { value: 2 }])
  })

  it('fails with earlier work for which it has waited too long to try again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const flights = new SingleFlight<number>(1_000)
    const { held, work } = heldWork()
    const asked = [1, 2, 3].map(() => flights.share('a', work, defer))
    vi.setSystemTime(Date.now() + RETRY_WITHIN_MS + 1)
    held[0]!.reject(new Error('away'))
    for (const each of await Promise.allSettled(asked))
      expect(each).toMatchObject({ reason: new Error('away') })
    expect(held).toHaveLength(1)
  })

  it('waits a limited time for work that never ends, and then does it once', async () => {
    const flights = new SingleFlight<number>(20)
    void flights.share('a', () => new Promise<number>(() => {}), defer)
    let done = 0
    const work = async () => {
      await moment()
      return ++done
    }
    const found = await Promise.all([1, 2, 3].map(() => flights.share('a', work, defer)))
    expect(found).toEqual([1, 1, 1])
  })

  it('lets the work outlive its request', async () => {
    const flights = new SingleFlight<number>(1_000)
    const deferred: Promise<unknown>[] = []
    const failing = flights.share(
      'a',
      () => Promise.reject(new Error('away')),
      (work) => void deferred.push(work),
    )
    await expect(failing).rejects.toThrow('away')
    expect(await Promise.all(deferred)).toEqual([undefined])
  })
})

describe('waiting for running work', () => {
  it('returns the result of others, and nothing when nobody works', async () => {
    const flights = new SingleFlight<number>(1_000)
    expect(await flights.pending('a')).toBeUndefined()
    const { held, work } = heldWork()
    void flights.lead('a', work, defer)
    const waiting = flights.pending('a')
    held[0]!.resolve(7)
    expect(await waiting).toBe(7)
    expect(await flights.pending('a')).toBeUndefined()
  })
})
