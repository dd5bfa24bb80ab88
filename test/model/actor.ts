/**
 * The real code of a writer, the sweep or an isolate, run with the replies that the search chooses.
 *
 * A run depends only on its replies: clock, random numbers and pauses are fixed. So runs are cached as a tree: a node is a
 * run that waits for its calls, or has ended, and a branch is a reply. Only the first visit to a node runs code.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, vi } from 'vitest'
import { LENGTH } from '../../functions/http/bodies.ts'
import { createContext } from '../../functions/http/context.ts'
import type { Bindings } from '../../functions/http/env.ts'
import type { Caches } from '../../src/caches.ts'
import type { Context } from '../../src/context.ts'
import { ADMIN } from '../support/actor.ts'
import { bodyCall, type Call, callOf, ENVIRONMENT, foreignReply } from './calls.ts'
import { recall } from './memo.ts'

export const NOW = Date.parse('2026-01-01T12:00:00Z')
/** The audit log's context, which no rule is about. */
const CHANGESET_ID = '00000000-0000-4000-8000-0000000000ac'

/** Instead of a reply: the caller sees a failure. */
export const LOST = Symbol('lost')
export type Reply = string | typeof LOST

/** An actor, from its input to its result. Its name is part of the tokens that it generates. */
export type Program<Result> = {
  name: string
  run: (isolate: Isolate) => Promise<Result>
  /** Writes to Postgres, once. */
  writes?: boolean
  seed?: Seed
}
/** Replaces a call by others, or none: a fault. */
export type Seed = () => (call: Call, send: Send) => Promise<string>
type Send = (call: Call) => Promise<string>

export type Isolate = {
  bindings: Bindings
  context: (parts?: Partial<Context>) => Context
  caches: Caches
}

export type Node<Result> = {
  id: number
  /** Unanswered calls, by number. */
  calls: ReadonlyMap<number, Call>
  /** Undefined until the actor has ended. Calls of `defer` may still be open then. */
  result: Result | undefined
  /** @throws Unknown */
  next: (call: number, reply: Reply) => Node<Result>
}

type Answer = [call: number, reply: Reply]
type Open = { call: Call; answer: (reply: Reply) => void }

type Run = {
  name: string
  made: number
  open: Map<number, Open>
  calls: number
  send: Send
}

/** The current run: until it waits, no other code runs. */
let current: Run | null = null
/** Set for calls by the run itself, and not for timers of the test runner that happen to fire meanwhile. */
const inRun = new AsyncLocalStorage<true>()
let nodes = 0

/** The root of a program's tree. */
export function start<Result>(program: Program<Result>): Promise<Node<Result>> {
  return nodeAfter(program, [])
}

async function nodeAfter<Result>(program: Program<Result>, answers: Answer[]): Promise<Node<Result>> {
  const { open, result } = await replay(program, answers)
  const calls = new Map([...open].map(([number, { call }]) => [number, call]))
  const children = new Map([...calls.keys()].map((call) => [call, new Map<Reply, Node<Result>>()]))
  return {
    id: nodes++,
    calls,
    result,
    next: (call, reply) =>
      recall(children.get(call)!, reply, () => nodeAfter(program, [...answers, [call, reply]])),
  }
}

async function replay<Result>(program: Program<Result>, answers: Answer[]) {
  const { name, seed } = program
  const run: { result?: Result; error?: unknown } = {}
  const open: Run['open'] = new Map()
  const changed = seed?.()
  current = {
    name,
    made: 0,
    open,
    calls: 0,
    send: (call) => (changed ? changed(call, sendNow) : sendNow(call)),
  }
  const running = inRun.run(true, () => program.run(makeIsolate()))
  running.then(
    (result) => Object.assign(run, { result }),
    (error) => Object.assign(run, { error }),
  )
  await settled()
  for (const [number, reply] of answers) {
    const { answer } = open.get(number)!
    open.delete(number)
    answer(reply)
    await settled()
  }
  current = null
  if (run.error) throw run.error
  return { open, result: run.result }
}

/** Everything that needs no reply has run. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

function makeIsolate(): Isolate {
  const send = (message: unknown) =>
    current!.send({ to: 'queue', text: JSON.stringify(message), writes: true })
  const bindings = {
    ...ENVIRONMENT,
    WEBHOOK_EVENTS: {
      send,
      sendBatch: (messages: { body: unknown }[]) => Promise.all(messages.map(({ body }) => send(body))),
    },
  } as unknown as Bindings
  const made = createContext(bindings, { waitUntil() {} }, { writes: true })
  return {
    bindings,
    caches: made.caches,
    context: (parts) => ({ ...made, actor: ADMIN, changesetId: CHANGESET_ID, ...parts }),
  }
}

/**
 * Replaces the cache that isolates share, with only the promises of every cache: it returns the body stored under the URL,
 * and may forget it. A body is stored some time after it was sent, or never.
 */
const sharedBodies = {
  async match(url: string) {
    const body: string | null = JSON.parse(await current!.send(bodyCall({ url })))
    return body === null ? undefined : new Response(body, { headers: { [LENGTH]: String(body.length) } })
  },
  async put(url: string, response: Response) {
    await current!.send(bodyCall({ url, body: await response.text() }))
  },
}

function sendNow(call: Call): Promise<string> {
  const { open, calls: number } = current!
  const reply = foreignReply(call)
  if (reply !== null) return Promise.resolve(reply)
  current!.calls += 1
  return new Promise((resolve, reject) => {
    const answer = (given: Reply) => (given === LOST ? reject(new Error('lost')) : resolve(given))
    open.set(number, { call, answer })
  })
}

/** Replaces everything that differs from run to run, and the network. */
export function makeRunsRepeatable(): void {
  const { setTimeout: later } = globalThis
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW })
    vi.spyOn(console, 'log').mockImplementation(() => {})
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => NEVER)
    vi.stubGlobal('crypto', repeatableCrypto)
    vi.stubGlobal('caches', { open: async () => sharedBodies })
    // The length of a pause is invisible, since others may do anything before the next call.
    vi.stubGlobal('setTimeout', (work: () => void, ...rest: number[]) =>
      inRun.getStore() ? queueMicrotask(work) : later(work, ...rest),
    )
    vi.stubGlobal('fetch', async (url: string, init: { body: string; headers: Record<string, string> }) => {
      const reply = await current!.send(callOf(url, init.body, init.headers))
      return {
        ok: true,
        status: 200,
        headers: new Headers(),
        text: async () => reply,
        json: async () => JSON.parse(reply),
      }
    })
  })
  afterAll(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })
}

const NEVER = new AbortController().signal

type Purpose = { additionalData: Uint8Array }

/** Without a thread pool, so that it takes no time. A text encrypted for one purpose can be decrypted for that one only. */
const repeatableCrypto = {
  randomUUID: () => `${current!.name}-${++current!.made}`,
  getRandomValues: <Values extends Uint8Array>(values: Values) => values.fill(7),
  subtle: {
    digest: async (_: string, data: Uint8Array) =>
      new Uint8Array(createHash('sha256').update(data).digest()).buffer,
    importKey: async () => null,
    encrypt: async ({ additionalData }: Purpose, _: unknown, text: Uint8Array) =>
      Buffer.concat([createHash('sha256').update(additionalData).digest(), text]),
    decrypt: async ({ additionalData }: Purpose, _: unknown, text: Uint8Array) => {
      const digest = createHash('sha256').update(additionalData).digest()
      if (!digest.equals(text.subarray(0, digest.length))) throw new Error('made up')
      return text.subarray(digest.length)
    },
  },
}
