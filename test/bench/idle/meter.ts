/** Counts the calls of a simulated day by cause. Postgres sleeps like Neon's. */
import type { Stack } from '../../../src/local/stack.ts'

const SUSPENDED_AFTER_MS = 5 * 60_000

export const SOURCES = ['polls', 'views', 'writes', 'events', 'fetches', 'cron'] as const
/** `events` are the queue's batches; `fetches` what receivers ask for after an event. */
type Source = (typeof SOURCES)[number]

type Figures = {
  /** To the Worker: requests, batches of the queue, runs of the cron. */
  invocations: number
  /** To Postgres. */
  statements: number
  /** To Redis, each one of a pipeline. */
  commands: number
  /** How often Postgres was asleep when it was asked. */
  wakeUps: number
}
export type Day = Record<Source, Figures> & { awakeMinutes: number }
export type Meter = Awaited<ReturnType<typeof startMeter>>

export async function startMeter({ databaseHttpEndpoint, redisUrl }: Stack) {
  async function read() {
    const [postgres, redis] = await Promise.all([databaseHttpEndpoint, redisUrl].map(statsOf))
    return { statements: postgres!.queries!, commands: redis!.commands! }
  }
  let seen = await read()
  let awakeUntil = 0
  let day = emptyDay()

  return {
    async count<Result>(source: Source, work: () => Promise<Result>): Promise<Result> {
      const result = await work()
      const now = await read()
      const figures = day[source]
      figures.invocations += 1
      figures.statements += now.statements - seen.statements
      figures.commands += now.commands - seen.commands
      if (now.statements > seen.statements) {
        const from = Date.now()
        if (from >= awakeUntil) figures.wakeUps += 1
        day.awakeMinutes += (from + SUSPENDED_AFTER_MS - Math.max(from, awakeUntil)) / 60_000
        awakeUntil = from + SUSPENDED_AFTER_MS
      }
      seen = now
      return result
    },
    /** @returns what was counted since the last time */
    take(): Day {
      const taken = day
      day = emptyDay()
      return taken
    },
  }
}

function emptyDay(): Day {
  const none = (): Figures => ({ invocations: 0, statements: 0, commands: 0, wakeUps: 0 })
  return {
    polls: none(),
    views: none(),
    writes: none(),
    events: none(),
    fetches: none(),
    cron: none(),
    awakeMinutes: 0,
  }
}

async function statsOf(gateway: string) {
  return (await (await fetch(new URL('/stats', gateway))).json()) as Record<string, number>
}
