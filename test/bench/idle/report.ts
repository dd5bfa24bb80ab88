/** The days as a table. */
import { table } from '../table.ts'
import type { Days } from './days.ts'
import { type Day, SOURCES } from './meter.ts'

const FIGURES = {
  invocations: 'invocations of the Worker',
  statements: 'statements to Postgres',
  wakeUps: 'times Postgres was woken',
  commands: 'commands to Redis',
} as const

export function describeDays(commit: string, sites: number, before: Days, now: Days): string {
  const columns = {
    [`writes, ${commit}`]: before.busy,
    'writes, now': now.busy,
    [`no writes, ${commit}`]: before.idle,
    'no writes, now': now.idle,
  }
  const row = (name: string, of: (day: Day) => number) => ({
    'a day': name,
    ...Object.fromEntries(
      Object.entries(columns).map(([column, day]) => [column, Math.round(of(day)).toLocaleString('en')]),
    ),
  })
  const rows = Object.entries(FIGURES).flatMap(([figure, name]) => {
    const of = (source: (typeof SOURCES)[number]) => (day: Day) => day[source][figure as keyof typeof FIGURES]
    return [
      row(name, (day) => SOURCES.reduce((sum, source) => sum + of(source)(day), 0)),
      ...SOURCES.map((source) => row(`- ${source}`, of(source))),
    ]
  })
  rows.push(row('minutes Postgres is awake', (day) => day.awakeMinutes))
  const { idle } = now
  const wakeUps = SOURCES.reduce((sum, source) => sum + idle[source].wakeUps, 0)
  return `${table(rows)}
${sites} ${sites === 1 ? 'site' : 'sites'}, each polled every 5 minutes (a list, with its ETag); a new isolate every 10 minutes; the cron each minute. The day with
writes has 3 edits and 10 events, whose receivers fetch the post. Postgres is suspended after 5 minutes without a statement.
Without writes Postgres is woken ${wakeUps} times (goal: at most 24), ${idle.polls.wakeUps} times by a read (goal: none).
`
}
