/** CPU seconds of `work` on this thread. Time on the clock would count other processes. */
export function cpuSeconds(work: () => unknown): number {
  const started = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1_000_000
}

/** Linear work on a large input takes a tenth of this, and quadratic work minutes. */
export const LINEAR_SECONDS = 20
