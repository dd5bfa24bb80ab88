/** Measurements on machines whose clock may be set while they run. */

const STEP_MS = 100
const TRIES = 3

/** Measures again if the wall clock stepped meanwhile: the Worker's runtime ends its time limits by it. */
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
