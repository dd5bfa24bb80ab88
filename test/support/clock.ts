/** The Worker's clock, stopped or ahead. */
import { onTestFinished, vi } from 'vitest'
import { interceptFetch } from './own-calls.ts'

/** Stays at the start of the next minute for the whole test. */
export function stopAtMinute(): void {
  stopClock(Math.ceil(Date.now() / 60_000) * 60_000)
}

/** Stays at this time for the whole test. */
export function stopClock(now = Date.now()): void {
  vi.useFakeTimers({ toFake: ['Date'], now })
  onTestFinished(() => void vi.useRealTimers())
}

/** Runs `work` while each statement that contains this text takes ten seconds on the clock. */
export async function outOfTime<Result>(statement: string, work: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ toFake: ['Date'] })
  const spy = interceptFetch(async (fetch, input, init) => {
    const answer = await fetch(input, init)
    if (String(init?.body).includes(statement)) vi.setSystemTime(Date.now() + 10_000)
    return answer
  })
  try {
    return await work()
  } finally {
    spy.mockRestore()
    vi.useRealTimers()
  }
}
