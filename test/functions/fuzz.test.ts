/** Hostile requests to every operation, whose answers are checked against the OpenAPI documents. */
import fc from 'fast-check'
import { beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { depthOf } from '../support/depth.ts'
import { operationsOf, readDocument } from '../support/openapi.ts'
import { answerFaults } from './fuzz/oracle.ts'
import { readAll } from './fuzz/readable.ts'
import { requestsOf, send, strayRequests } from './fuzz/requests.ts'
import { operatorsWorld, readersWorld } from './fuzz/world.ts'

const TIMEOUT_MS = 7_200_000
const seed = inject('fuzzSeed')
const failures: string[] = []

const APIS = await Promise.all(
  Object.entries({ '/api/v1': readersWorld, '/manage/v1': operatorsWorld }).map(async ([root, makeWorld]) => {
    const document = await readDocument(root)
    return { root, document, operations: operationsOf(document), world: await makeWorld() }
  }),
)
const RUNS = Math.ceil(depthOf('fuzz') / APIS.flatMap(({ operations }) => operations).length)

// With so many requests, only failures are worth logging.
beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    if (/"event":"(request|deferred)\.failed"/.test(line)) failures.push(line)
  })
})

describe.each(APIS)(`the fuzz of $root with FUZZ_SEED=${seed}`, ({ root, document, operations, world }) => {
  const statuses = new Map<number, number>()

  const answersAsDescribed = async (requests: fc.Arbitrary<Parameters<typeof send>[0]>, numRuns: number) => {
    const property = fc.asyncProperty(requests, async (request) => {
      const response = await send(request)
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const faults = await answerFaults(request, response, APIS, world.secrets)
      if (response.status === 500) faults.push(...failures.slice(-1))
      expect(faults).toEqual([])
    })
    await fc.assert(property, { seed, numRuns })
  }

  it.each(operations)('$operationId answers as described', { timeout: TIMEOUT_MS }, async (operation) => {
    await world.renew?.(operation)
    await answersAsDescribed(requestsOf(operation, root, world, document.components), RUNS)
  })

  it('an unknown path or method is 404 or 405', { timeout: TIMEOUT_MS }, async () => {
    const paths = operations.map(({ path }) =>
      path.replace('{siteId}', world.site.id).replace('{slug}', 'kept'),
    )
    await answersAsDescribed(strayRequests(root, paths, world), 3 * RUNS)
  })

  it('leaves everything readable, and many requests passed authentication', async () => {
    expect(await readAll(APIS, world.site)).toEqual([])
    const shareOf = (isSuch: (status: number) => boolean) => {
      const counts = [...statuses].map(([status, count]) => (isSuch(status) ? count : 0))
      return counts.reduce((sum, count) => sum + count, 0) / [...statuses.values()].reduce((a, b) => a + b)
    }
    // The suite's few requests say little about shares.
    const isDeep = inject('deep')
    expect(shareOf((status) => status < 300)).toBeGreaterThan(isDeep ? 0.15 : 0)
    if (isDeep) expect(shareOf((status) => status === 400)).toBeGreaterThan(0.03)
    expect(failures).toEqual([])
  })
})
