/** The current slowness of this machine: limits of the tests, and of the service in them, are multiplied by it. */
import { createHash } from 'node:crypto'

const MEBIBYTES = 200
/** On an idle machine with two cores. */
const USUAL_MS = 125
/** The tests themselves keep the machine busy. */
const OWN_LOAD = 2
const SLOWEST = 20

/** TEST_PACE, or as measured, from 2 to 20. */
export function measurePace(): number {
  if (process.env.TEST_PACE) return Number(process.env.TEST_PACE)
  const began = performance.now()
  const block = Buffer.alloc(1024 * 1024)
  for (let i = 0; i < MEBIBYTES; i++) createHash('sha256').update(block).digest()
  const slowness = (performance.now() - began) / USUAL_MS
  return Math.min(SLOWEST, Math.ceil(Math.max(1, slowness) * OWN_LOAD))
}
