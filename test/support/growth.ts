/**
 * How many times longer `work` takes for eight times the input: 8 if the time is linear, 64 if it is quadratic. The input first
 * doubles until its time can be measured. Other processes only add time, so the fastest of three runs counts.
 */
export function growthOf(work: (times: number) => unknown): number {
  let times = 1
  while (timed(() => work(times)) < MEASURABLE_MS && times < MOST_TIMES) times *= 2
  const fastest = (of: number) => Math.min(...[1, 2, 3].map(() => timed(() => work(of))))
  return fastest(8 * times) / Math.max(fastest(times), MEASURABLE_MS / 2)
}

export const LINEAR = 24

const MEASURABLE_MS = 20
const MOST_TIMES = 64

function timed(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}
