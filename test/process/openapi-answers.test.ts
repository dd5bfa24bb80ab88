import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventKind, eventKinds } from '../../src/core/enums.ts'
import { operationIdOf } from '../../src/webhooks/event-kinds.ts'
import { signatureHeaders } from '../../src/webhooks/signature.ts'
import { recordApiRefusals, recordReads } from '../openapi/api.ts'
import { recordLog, recordRefusals, recordRemovals, recordWrites, type Workshop } from '../openapi/manage.ts'
import { createMask } from '../openapi/mask.ts'
import { createRecorder, type Recorded, type Root, type World } from '../openapi/recorder.ts'
import { faultsOf } from '../support/json-schema.ts'
import { bodyFaults, type Document } from '../support/openapi-document.ts'
import { startReceiver } from '../support/receiver.ts'
import { startService } from '../support/service.ts'

const PROJECT = join(import.meta.dirname, '../..')
const documents = Object.fromEntries(
  (['/api/v1', '/manage/v1'] as const).map((root) => [
    root,
    JSON.parse(readFileSync(join(PROJECT, 'functions/public', root, 'openapi.json'), 'utf8')),
  ]),
) as Record<Root, Document>

/** Headers of the connection and the content, which operations do not describe. */
const UNDESCRIBED =
  /^(connection|keep-alive|date|transfer-encoding|content-(type|length|encoding)|x-content-type-options)$/
/**
 * The jobs of a sweep fail one by one, and nothing that can be broken here makes them fail; no site here is large, and
 * OPERATOR_TOKEN is on.
 */
const UNSEEN = ['sweep 500', 'deleteSite 202', 'removeOperator 409']
/** Only if Redis is unreachable. */
const RARE = 'x-effective-within'

let world: World
let workshop: Workshop

beforeAll(async () => {
  // Other tests use the servers; here each operation meets the embedded Postgres and Redis.
  const service = await startService({ embedded: true })
  const receiver = await startReceiver()
  world = { service, receiver, recorder: createRecorder(service.origin, documents) }
  workshop = await recordWrites(world)
  await recordReads(world, workshop)
  await recordLog(world, workshop)
  await recordApiRefusals(world, workshop)
  await recordRefusals(world, workshop)
  await recordRemovals(workshop)
})

afterAll(async () => {
  await world?.receiver.close()
  await world?.service.stop()
})

const isJson = ({ body }: Recorded) => typeof body === 'object' && !(body instanceof Buffer)
const named = ({ operation, response }: Recorded) => `${operation.operationId} ${response.status}`
const names = (headers: Iterable<string>) => [...headers].map((name) => name.toLowerCase()).sort()

describe.each(['/api/v1', '/manage/v1'] as const)('the description of %s', (root) => {
  const recorded = () => world.recorder.recorded.filter((each) => each.root === root)

  it('has exactly the statuses that occur', () => {
    const seen = new Set(recorded().map(named))
    const described = world.recorder
      .operations(root)
      .flatMap(({ operationId, responses }) =>
        Object.keys(responses).map((status) => `${operationId} ${status}`),
      )
    expect([...seen].sort()).toEqual(described.filter((each) => !UNSEEN.includes(each)).sort())
  })

  it('has exactly the headers and bodies that occur', async () => {
    const missing = new Map<string, Set<string>>()
    for (const answer of recorded()) {
      const described = answer.operation.responses[answer.response.status]!
      const headerNames = names(Object.keys(described.headers ?? {}))
      const given = names(answer.response.headers.keys()).filter((name) => !UNDESCRIBED.test(name))
      expect(headerNames, named(answer)).toEqual(expect.arrayContaining(given))
      const absent = new Set(headerNames).difference(new Set([...given, RARE]))
      missing.set(named(answer), (missing.get(named(answer)) ?? absent).intersection(absent))
      expect(
        await bodyFaults(answer.response.clone(), described, documents[root].components),
        named(answer),
      ).toEqual([])
    }
    expect([...missing].filter(([, absent]) => absent.size > 0)).toEqual([])
  })

  it('has the body of every accepted request, and refuses fields that the service refuses', () => {
    const { components } = documents[root]
    const sent = recorded().filter(isJson)
    for (const each of sent) {
      const { schema } = each.operation.requestBody!.content['application/json']!
      const faults = faultsOf(each.body, schema, components)
      if (each.response.status === 400) expect(faults, named(each)).not.toEqual([])
      else expect(faults, named(each)).toEqual([])
    }
    const asked = new Set(sent.map(({ operation }) => operation.operationId))
    const taking = world.recorder.operations(root).filter(({ requestBody }) => requestBody)
    expect([...asked].sort()).toEqual(taking.map(({ operationId }) => operationId).sort())
  })
})

describe('the examples', () => {
  it('are real requests and answers, except for ids, times and secrets: npm run generate -- --examples', async () => {
    const mask = createMask({
      [workshop.url.replace(/ok$/, 'held')]: 'https://cms.example.org/hooks',
      [workshop.url]: 'https://cms.example.org/hooks',
      [`${world.receiver.url}/...`]: 'https://cms.example.org/...',
      [world.service.origin]: 'https://api.example.com',
      // The name of a webhook without one.
      [new URL(world.receiver.url).host]: 'cms.example.org',
    })
    const examples: Record<string, Record<string, Example>> = {}
    for (const each of world.recorder.recorded) {
      const { root, operation, body, response } = each
      const example = exampleOf(root, operation.operationId)
      if (response.ok && isJson(each)) example.request ??= JSON.parse(mask(JSON.stringify(body)))
      example.responses ??= {}
      if (response.body && !(response.status in example.responses)) {
        const text = mask(await response.clone().text())
        const type = response.headers.get('Content-Type')!
        example.responses[response.status] = type.startsWith('application/json') ? JSON.parse(text) : text
      }
    }
    const sweep = exampleOf('/manage/v1', 'sweep').responses!
    sweep['500'] = exampleOf('/manage/v1', 'getSite').responses!['500']
    exampleOf('/manage/v1', 'deleteSite').responses!['202'] = { state: 'deleting' }
    // The amount of work depends on the time.
    sweep['200'] = Object.fromEntries(Object.keys(sweep['200'] as object).map((job) => [job, 0]))
    for (const { responses = {} } of Object.values(examples['/manage/v1']!)) {
      const { request } = (responses['200'] ?? responses['201'] ?? {}) as { request?: Sent }
      if (request)
        Object.assign(request.headers, await signatures(request.headers['webhook-id']!, request.body))
    }
    // The first of each event, which may arrive later than others.
    const toEvent = ({ body }: { body: string }) =>
      JSON.parse(body) as { event: EventKind; sequence?: number }
    const inOrder = world.receiver.received
      .get(workshop.siteId)!
      .toSorted(
        (a, b) =>
          eventKinds.indexOf(toEvent(a).event) - eventKinds.indexOf(toEvent(b).event) ||
          (toEvent(a).sequence ?? 0) - (toEvent(b).sequence ?? 0),
      )
    for (const received of inOrder) {
      const { event } = toEvent(received)
      const example = exampleOf('/api/v1', operationIdOf(event))
      if (example.request) continue
      example.request = JSON.parse(mask(received.body))
      const { 'user-agent': agent, 'webhook-id': id } = received.headers
      const headers = await signatures(mask(id!), JSON.stringify(example.request))
      example.headers = { ...headers, 'User-Agent': agent! }
    }
    await expect(`${JSON.stringify(examples, null, 1)}\n`).toMatchFileSnapshot(
      join(PROJECT, 'docs/build/examples.json'),
    )

    function exampleOf(root: Root, operationId: string): Example {
      examples[root] ??= {}
      examples[root][operationId] ??= {}
      return examples[root][operationId]
    }
  })
})

type Example = { request?: unknown; headers?: Record<string, string>; responses?: Record<string, unknown> }

type Sent = { headers: Record<string, string>; body: string }

/** As they would be at the time of the examples, with their secret. */
function signatures(id: string, body: string) {
  return signatureHeaders({
    id,
    at: new Date('2026-11-21T03:28:00.123Z'),
    body: new TextEncoder().encode(body),
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    previousSecret: null,
  })
}
