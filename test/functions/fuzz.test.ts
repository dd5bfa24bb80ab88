/** Thousands of hostile requests per run, whose answers are checked against the OpenAPI documents. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { depthOf } from '../support/depth.ts'
import { type Operation, operationsOf } from '../support/openapi.ts'
import { type Api, isWhole, openApis, partOf, runsOf, strayRunsOf } from './fuzz/apis.ts'
import { extremesOf } from './fuzz/extremes.ts'
import type { Caller } from './fuzz/headers.ts'
import { hold } from './fuzz/hold.ts'
import { answerFaults } from './fuzz/oracle.ts'
import { readEverything, reader, readWritten } from './fuzz/readable.ts'
import { type FuzzRequest, send } from './fuzz/request.ts'
import { requestsOf, strayRequests } from './fuzz/requests.ts'
import { count, share, statusesOf, type Tally, table, total } from './fuzz/tally.ts'
import type { World } from './fuzz/world.ts'

const TIMEOUT_MS = 7_200_000
const REQUESTS = depthOf('fuzz')
const seed = inject('fuzzSeed')
const apis = await openApis()
const read = reader(apis)

const byApi: Tally = new Map()
const byOperation: Tally = new Map()
const failures: string[] = []

// With so many requests, only failures are worth logging.
beforeAll(() => {
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    if (/"event":"(request|deferred)\.failed"/.test(line)) failures.push(line)
  })
})

afterAll(() => vi.restoreAllMocks())

type Job = {
  operationId: string
  method?: string
  requestsFor: (caller: Caller) => fc.Arbitrary<FuzzRequest>
  numRuns: number
  examples?: FuzzRequest[]
}

/** Sends the requests of all callers, checks each answer, and reads the whole site afterwards. */
async function fuzz({ root }: Api, { site, secrets, callers, renew }: World, job: Job): Promise<void> {
  const { operationId, method, requestsFor, numRuns, examples = [] } = job
  const faultsOf = async (request: FuzzRequest) => {
    await renew?.(operationId)
    const response = await send(request)
    const copy = response.clone()
    count(byApi, root, response.status)
    count(byOperation, operationId, response.status)
    const faults = await answerFaults(request, response, apis, secrets)
    if (response.status === 500) faults.push(...failures.slice(-1))
    // With another method, the same path is another operation.
    const wrote =
      copy.ok && copy.status !== 204 && method !== 'GET' && request.method.toUpperCase() === method
    if (faults.length === 0 && wrote) {
      await readWritten(read, site, operationId, { given: request.body, written: await copy.json() })
    } else {
      await copy.body?.cancel()
    }
    return faults
  }
  const requests = callers.map(({ weight, caller }) => ({ weight, arbitrary: requestsFor(caller) }))
  await hold(fc.oneof(...requests), faultsOf, {
    seed: seed + ordinalOf(operationId),
    numRuns: numRuns + examples.length,
    examples,
  })
  await readEverything(read, site)
}

/**
 * Replaces parameters that would seldom succeed: a rename keeps the slug, since most slugs in bodies exist, and a link
 * belongs to the post in the path.
 */
function successesOf({ operationId, method, path }: Operation, root: string, caller: Caller): FuzzRequest[] {
  if (!/^rename|^revokePreviewLink$/.test(operationId)) return []
  const first = (name: string) => caller.known[name]![0]!
  return [
    {
      method,
      path: root + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => first(name)),
      headers: [
        ['Authorization', `Bearer ${caller.secret}`],
        ['Content-Type', 'application/json'],
      ],
      body: JSON.stringify({ slug: first('slug') }),
    },
  ]
}

/** Makes the requests of any two operations different. */
function ordinalOf(operationId: string): number {
  return apis.flatMap(({ operations }) => operations).findIndex((each) => each.operationId === operationId)
}

describe.each(apis)(`the fuzz of $root with FUZZ_SEED=${seed}`, (api) => {
  const { root, document, operations, worldOf } = api

  it.concurrent.each(operationsOf(document))(
    '$operationId answers as described, and everything it wrote can be read',
    { timeout: TIMEOUT_MS },
    async (operation) => {
      const { operationId, method, requestBody } = operation
      const world = await worldOf(operation)
      const { caller } = world.callers[0]!
      const extremes = partOf(extremesOf(operation, root, caller, document.components), seed)
      const examples = [...successesOf(operation, root, caller), ...extremes]
      const requestsFor = (caller: Caller) => requestsOf(operation, root, caller, document.components)
      await fuzz(api, world, { operationId, method, requestsFor, numRuns: runsOf(api, operation), examples })
      // With a fifth of the requests, an operation has too few to reach every status.
      if (!isWhole) return
      const statuses = statusesOf(byOperation, operationId)
      // Success would delete the world of the run.
      if (operationId !== 'deleteSite') expect(Math.min(...statuses), operationId).toBeLessThan(300)
      expect(statuses, operationId).toEqual(expect.arrayContaining(requestBody ? [400, 401, 413] : [401]))
    },
  )

  it.concurrent('an unknown path or method is 404 or 405', { timeout: TIMEOUT_MS }, async () => {
    const world = await worldOf({ method: 'ANY', path: '' })
    const paths = operations.map(({ path }) =>
      path.slice(1).replace('{siteId}', world.site.id).replace('{slug}', 'kept'),
    )
    const requestsFor = (caller: Caller) => strayRequests(root, paths, caller)
    await fuzz(api, world, { operationId: 'none', requestsFor, numRuns: strayRunsOf(api) })
  })
})

describe('the fuzz', () => {
  it(`is ${REQUESTS} requests, of which many pass authentication, and covers every status`, ({ task }) => {
    task.meta.told = `${total(byApi)} requests with FUZZ_SEED=${seed}\n${table(byApi)}`
    expect(total(byApi)).toBeGreaterThanOrEqual(REQUESTS)
    for (const { root, seen } of apis) {
      const shareOf = (isSuch: (status: number) => boolean) => share(byApi, root, isSuch)
      if (isWhole) expect(statusesOf(byApi, root), root).toEqual(expect.arrayContaining(seen))
      expect(shareOf((status) => status < 300)).toBeGreaterThan(0.2)
      expect(shareOf((status) => status === 400)).toBeGreaterThan(0.05)
    }
    expect(failures).toEqual([])
  })
})
