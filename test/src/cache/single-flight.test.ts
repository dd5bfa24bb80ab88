import { describe, expect, it } from 'vitest'
import { SingleFlight } from '../../../src/cache/single-flight.ts'

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

  it('fails when the work fails, also when it was already running', async () => {
    const flights = new SingleFlight<number>(1_000)
    const { held, work } = heldWork()
    const asked = [1, 2, 3].map(() => flights.share('a', work, defer))
    held[0]!.reject(new Error('away'))
    for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
      expect(reason).toEqual(new Error('away'))
    }
    expect(held).toHaveLength(1)
    expect(await flights.share('a', async () => 3, defer)).toBe(3)
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
    expect(await flights.underWay('a')).toBeUndefined()
    const { held, work } = heldWork()
    void flights.lead('a', work, defer)
    const waiting = flights.underWay('a')
    held[0]!.resolve(7)
    expect(await waiting).toBe(7)
    expect(await flights.underWay('a')).toBeUndefined()
  })
})
