/** A question asked under load, with what it cost whom. */
import { setTimeout as sleep } from 'node:timers/promises'
import { drive, type Load, type Question } from './load.ts'

const WARM_UP_SECONDS = 1
const SETTLE_MS = 100

/** Something that only grows, such as the CPU seconds of a process; null where it cannot be read. */
export type Meters = Record<string, () => Promise<number | null>>
/** `perRequest` is how much each meter grew. */
export type Measured = Load & { connections: number; perRequest: Record<string, number | null> }

export async function measure(
  question: Question,
  meters: Meters,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Measured> {
  await drive(question, connections, WARM_UP_SECONDS)
  await sleep(SETTLE_MS)
  const metered = await whileMetered(meters, () => drive(question, connections, seconds))
  if (metered.requests === 0) throw new Error(`${question.paths[0]}: no answer within ${seconds} s`)
  return { connections, ...metered }
}

export async function whileMetered(
  meters: Meters,
  work: () => Promise<Load>,
): Promise<Omit<Measured, 'connections'>> {
  const before = await readAll(meters)
  const load = await work()
  const after = await readAll(meters)
  const perRequest = Object.fromEntries(
    Object.entries(after).map(([name, now]) => {
      const then = before[name]
      return [name, now === null || then == null ? null : (now - then) / load.requests]
    }),
  )
  return { ...load, perRequest }
}

async function readAll(meters: Meters): Promise<Record<string, number | null>> {
  const readings: Record<string, number | null> = {}
  for (const [name, read] of Object.entries(meters)) readings[name] = await read()
  return readings
}
