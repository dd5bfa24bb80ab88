/** The doors that are fuzzed. A new one is a line here, with a world to ask in. */
import { inject } from 'vitest'
import { type Document, type Operation, operationsOf, readDocument } from '../../support/openapi.ts'
import { operatorsWorld, readersWorld, type World } from './world.ts'

type Plan = {
  root: string
  makeWorld: () => Promise<World>
  /** Whether it answers OPTIONS itself. */
  cors: boolean
  /** Statuses of what is checked before it is known whether there is such a path or method. */
  earlier: number[]
  /** Statuses that a run must have seen. */
  seen: number[]
  /** Random requests an operation without a body, with one, and beside all operations. */
  runs: { bare: number; body: number; stray: number }
}

export type Door = Plan & { document: Document; operations: Operation[] }

const PLANS: Plan[] = [
  {
    root: '/api/v1',
    makeWorld: readersWorld,
    cors: true,
    earlier: [],
    seen: [200, 204, 304, 400, 401, 403, 404, 405, 410, 429],
    runs: { bare: 370, body: 370, stray: 850 },
  },
  {
    root: '/manage/v1',
    makeWorld: operatorsWorld,
    cors: false,
    earlier: [400, 401, 413, 429],
    seen: [200, 201, 204, 400, 401, 404, 405, 409, 413],
    runs: { bare: 100, body: 200, stray: 850 },
  },
]

/** Each of its requests waits for a receiver. */
const SLOW: Record<string, number> = { testWebhook: 60 }

/** Servers are asked all there is to ask; the embedded stack, with one connection for all, another fifth each run. */
export const isWhole = inject('server') !== null
const PARTS = isWhole ? 1 : 5

/** What every door has and no description describes. */
const DESCRIPTION: Operation = {
  method: 'GET',
  path: '/openapi.json',
  operationId: 'description',
  security: [],
  responses: { 200: { description: 'The description', content: { 'application/json': { schema: {} } } } },
}

export function openDoors(): Promise<Door[]> {
  return Promise.all(
    PLANS.map(async (plan) => {
      const document = await readDocument(plan.root)
      return { ...plan, document, operations: [...operationsOf(document), DESCRIPTION] }
    }),
  )
}

export function runsOf({ runs }: Door, { operationId, requestBody }: Operation): number {
  return Math.ceil((SLOW[operationId] ?? (requestBody ? runs.body : runs.bare)) / PARTS)
}

export function strayRunsOf({ runs }: Door): number {
  return Math.ceil(runs.stray / PARTS)
}

/** The examples of a run with this seed. */
export function partOf<Example>(examples: Example[], seed: number): Example[] {
  return examples.filter((_, at) => at % PARTS === seed % PARTS)
}
