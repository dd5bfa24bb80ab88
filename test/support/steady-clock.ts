/** Measurements on machines whose clock may be set meanwhile. */

const STEP_MS = 100
const TRIES = 3

/** Repeats a measurement if the wall clock jumped: the Worker's runtime uses it for timeouts. */
export async function onSteadyClock<Result>(measure: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const before = wallClockOffset()
    const result = await measure()
    const stepMs = Math.abs(wallClockOffset() - before)
    if (stepMs < STEP_MS || tries === TRIES) return result
    console.warn(`The clock stepped by ${Math.round(stepMs)} ms: measured again`)
  }
}

function wallClockOffset(): number {
  return Date.now() - performance.now()
}
