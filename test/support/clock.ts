/** The Worker's clock, stopped. */
import { onTestFinished, vi } from 'vitest'

/** Stays at the start of a minute for the whole test. */
export function stopAtMinute(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 60_000) * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
}
