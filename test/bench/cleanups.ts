/** Cleanup that runs at the end, after a failure too. */
import { once } from 'node:events'

export type Cleanups = (() => unknown)[]

/** Runs `work` until it ends or a signal arrives, and then the cleanups, last first. */
export async function cleaningUp(work: (cleanups: Cleanups) => Promise<void>): Promise<void> {
  const cleanups: Cleanups = []
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => once(process, signal))
  const interrupted = Promise.race(signals).then(() => {
    throw new Error('Interrupted')
  })
  try {
    await Promise.race([work(cleanups), interrupted])
  } catch (error) {
    console.error((error as Error).stack)
    process.exitCode = 1
  } finally {
    for (const cleanUp of cleanups.reverse()) await Promise.resolve(cleanUp()).catch(console.error)
    process.exit()
  }
}
