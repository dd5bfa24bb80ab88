/** The Worker's clock, stopped. */
import { onTestFinished, vi } from 'vitest'

/** It is the beginning of a minute, for as long as the test goes on. */
export function stopAtMinute(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
}
