/** The figures as JSON for programs and as a table for people. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Machine } from './machine.ts'
import type { Measured } from './measure.ts'
import type { Pair } from './peers/pairs.ts'
import { describePairs, type Party } from './peers/pairs-report.ts'
import { table } from './table.ts'

export type Row = Measured & { name: string }
type Report = {
  at: string
  machine: Machine
  seconds: number
  rows: Row[]
  pairs: Pair[]
  parties: Party[]
  /** Why a peer is missing. */
  failed: string[]
}

/** Writes the JSON to `file`, the table beside it and to stdout. */
export async function writeReport(file: string, report: Report): Promise<void> {
  const text = describe(report)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  await writeFile(file.replace(/(\.json)?$/, '.md'), text)
  console.log(text)
}

function describe({ machine, seconds, rows, pairs, parties, failed }: Report): string {
  const { versions, cores, cpu, loadAverage } = machine
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${table(rows.map(cells))}
CPU in seconds per 1,000 requests. To a cold isolate it is the first request, one after the other. ${seconds} s a row on ${cores} cores of ${cpu}, load average ${loadAverage.toFixed(1)} before.
${list.join(', ')}.
${limit(rows)}${pairs.length > 0 ? `\n${describePairs(pairs, parties)}` : ''}${failed.map((each) => `\n${each}\n`).join('')}`
}

function cells({ name, connections, perSecond, p50, p99, bytes, perRequest }: Row): Record<string, string> {
  const { serverCpu, gatewaysCpu, postgresCpu, postgresTrips, redisTrips, queries, commands } = perRequest
  const cpu = (perOne: number | null | undefined) => (perOne == null ? '' : (perOne * 1_000).toFixed(2))
  return {
    question: name,
    connections: String(connections),
    'requests/s': perSecond.toFixed(0),
    'p50 ms': p50.toFixed(1),
    'p99 ms': p99.toFixed(1),
    'Worker CPU': cpu(serverCpu),
    'gateways CPU': cpu(gatewaysCpu),
    'Postgres CPU': cpu(postgresCpu),
    'round trips': postgresTrips == null ? '' : (postgresTrips + redisTrips!).toFixed(2),
    queries: queries?.toFixed(2) ?? '',
    commands: commands?.toFixed(2) ?? '',
    KB: (bytes / 1_000).toFixed(1),
  }
}

/** How far the hot list is from the least that such an answer, and one after a call to Redis, can cost. */
function limit(rows: Row[]): string {
  const costs = ['list hot', 'constant', 'called'].map((name) => {
    const row = rows.filter((each) => each.name === name).at(-1)
    return row?.perRequest.serverCpu
  })
  const [hot, constant, called] = costs
  if (!hot || !constant || !called) return ''
  const times = (least: number) => (hot / least).toFixed(1)
  return `A hot list takes ${times(constant)} times the CPU of the constant, and ${times(called)} times that of the same after one call.\n`
}
