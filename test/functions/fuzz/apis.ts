/** The APIs that are fuzzed. A new one is an entry here, with a world for its requests. */
import { depthOf, SEARCHES } from '../../support/depth.ts'
import { type Document, type Operation, operationsOf, readDocument } from '../../support/openapi.ts'
import { type Needs, operatorsWorld, readersWorld, type World } from './world.ts'

type Plan = {
  root: string
  makeWorld: (needs: Needs) => Promise<World>
  /** The API answers OPTIONS itself. */
  cors: boolean
  earlier: number[]
  /** Statuses that must occur in a run. */
  seen: number[]
  /** Random requests for each operation without a body, for each with one, and outside all operations. */
  runs: { bare: number; body: number; stray: number }
}

export type Api = Omit<Plan, 'makeWorld'> & {
  document: Document
  operations: Operation[]
  /** Operations that only read share a site. */
  worldOf: (operation: Pick<Operation, 'method' | 'path'>) => Promise<World>
}

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

const SLOW: Record<string, number> = { testWebhook: 60 }

/** The suite sends a different part of the requests each run. */
const PARTS = SEARCHES.fuzz.deep / depthOf('fuzz')
export const isWhole = PARTS === 1

/** Every API serves its document, which none describes. */
const DESCRIPTION: Operation = {
  method: 'GET',
  path: '/openapi.json',
  operationId: 'description',
  security: [],
  responses: { 200: { description: 'The description', content: { 'application/json': { schema: {} } } } },
}

export function openApis(): Promise<Api[]> {
  return Promise.all(
    PLANS.map(async ({ makeWorld, ...plan }) => {
      const document = await readDocument(plan.root)
      let ofReaders: Promise<World> | undefined
      const worldOf = ({ method, path }: Pick<Operation, 'method' | 'path'>) => {
        if (method !== 'GET') return makeWorld({ previewLinks: path.includes('/preview-links/{linkId}') })
        ofReaders ??= makeWorld({ previewLinks: true })
        return ofReaders
      }
      return { ...plan, document, operations: [...operationsOf(document), DESCRIPTION], worldOf }
    }),
  )
}

export function runsOf({ runs }: Api, { operationId, requestBody }: Operation): number {
  return Math.ceil((SLOW[operationId] ?? (requestBody ? runs.body : runs.bare)) / PARTS)
}

export function strayRunsOf({ runs }: Api): number {
  return Math.ceil(runs.stray / PARTS)
}

/** The examples of a run with this seed. */
export function partOf<Example>(examples: Example[], seed: number): Example[] {
  return examples.filter((_, at) => at % PARTS === seed % PARTS)
}
