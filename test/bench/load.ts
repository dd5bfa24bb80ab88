/** One question asked again and again, by autocannon. */
import autocannon from 'autocannon'

export type Question = {
  origin: string
  headers: Record<string, string>
  /** Headers that an edit changes, found out before each run. */
  freshHeaders?: () => Promise<Record<string, string>>
  /** Asked one after the other. */
  paths: string[]
  /** The expected response. */
  status: number
  /** Called once in each lap through the paths, before the next one begins. */
  onLap?: () => Promise<unknown>
}

/** The result; times in milliseconds. */
export type Load = { requests: number; perSecond: number; p50: number; p99: number; bytes: number }

/** @throws Error when an answer had another status, or a connection failed */
export async function drive(question: Question, connections: number, seconds: number): Promise<Load> {
  const { origin: url, paths, status, onLap } = question
  const headers = { ...question.headers, ...(await question.freshHeaders?.()) }
  const laps: Promise<unknown>[] = []
  const inTurn = (request: object) => {
    const { path, late } = next(question)
    if (late && onLap) laps.push(onLap())
    return { ...request, path }
  }
  const run = autocannon({
    url,
    connections,
    duration: seconds,
    headers,
    requests: [paths.length === 1 ? { path: paths[0]! } : { setupRequest: inTurn }],
  })
  const times: number[] = []
  const others = new Set<number>()
  let bytes = 0
  run.on('response', (_client, given, size, milliseconds) => {
    if (given !== status) others.add(given)
    times.push(milliseconds)
    bytes += size
  })
  const { duration, errors } = await run
  await Promise.all(laps)
  if (others.size > 0) throw new Error(`${paths[0]}: ${[...others]} instead of ${status}`)
  if (errors > 0) throw new Error(`${paths[0]}: ${errors} requests failed`)
  return loadOf(times, duration, bytes)
}

/** `times` are of all requests, `seconds` and `bytes` of them together. */
export function loadOf(times: number[], seconds: number, bytes: number): Load {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.NaN
  return {
    requests: times.length,
    perSecond: times.length / seconds,
    p50: at(0.5),
    p99: at(0.99),
    bytes: bytes / times.length,
  }
}

const positions = new WeakMap<Question, number>()

/** Continues where the previous run stopped. `late` is true once per lap, early enough to prepare the next one. */
function next(question: Question): { path: string; late: boolean } {
  const { paths } = question
  const position = (positions.get(question) ?? 0) % paths.length
  positions.set(question, position + 1)
  return { path: paths[position]!, late: position === Math.floor(paths.length * 0.75) }
}
