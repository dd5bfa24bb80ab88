/** The first request to a new isolate, again and again. All but the isolate is warm. */
import { type Load, loadOf, type Question } from './load.ts'
import { type Measured, type Meters, whileMetered } from './measure.ts'
import type { Service } from './service.ts'

/** The other meters are of one Worker's process. */
const COUNTERS = ['postgresTrips', 'redisTrips', 'queries', 'commands']

type Isolate = { origin: string; stop(): Promise<unknown> }

export async function measureCold(
  question: Question,
  { meters, startIsolate }: Service,
  seconds: number,
): Promise<Measured> {
  const headers = { ...question.headers, ...(await question.freshHeaders?.()) }
  const counters: Meters = Object.fromEntries(COUNTERS.map((name) => [name, meters[name]!]))
  const work = () => askIsolates({ ...question, headers }, startIsolate, seconds)
  return { connections: 1, ...(await whileMetered(counters, work)) }
}

/** The times are without the start of the isolates. */
export async function askIsolates(
  { headers, paths, status }: Question,
  startIsolate: () => Promise<Isolate>,
  seconds: number,
): Promise<Load> {
  const times: number[] = []
  let [busyMs, bytes] = [0, 0]
  for (const end = performance.now() + seconds * 1_000; performance.now() < end; ) {
    const { origin, stop } = await startIsolate()
    try {
      const started = performance.now()
      const response = await fetch(origin + paths[0], { headers })
      bytes += (await response.arrayBuffer()).byteLength
      times.push(performance.now() - started)
      if (response.status !== status) throw new Error(`${paths[0]}: ${response.status} instead of ${status}`)
      busyMs += times.at(-1)!
    } finally {
      await stop()
    }
  }
  return loadOf(times, busyMs / 1_000, bytes)
}
