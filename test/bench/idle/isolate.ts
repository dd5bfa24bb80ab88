/**
 * The Worker's bundle in Node, where its clock can be set: workerd has none that can. The drivers are the Worker's own, and
 * an isolate is the bundle evaluated anew, so that it knows nothing.
 */
import { timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { build } from 'esbuild'

type Bindings = Record<string, string>
type Handlers = {
  fetch(request: Request, env: object, execution: object): Promise<Response>
  scheduled(controller: object, env: object, execution: object): Promise<void>
  queue(batch: object, env: object, execution: object): Promise<void>
}

export type Isolate = {
  fetch(input: string, init?: RequestInit): Promise<Response>
  /** The cron of this minute. */
  cron(): Promise<void>
  /** Gives the consumer what waits in the queue. @returns how many messages there were */
  drain(): Promise<number>
}

Object.assign(crypto.subtle, { timingSafeEqual })

/** Time limits are in the machine's time, which has nothing to do with the day's. */
class Patience extends AbortSignal {
  static override timeout = () => new AbortController().signal
}

/** Bundles the Worker whose `functions/` and `src/` are in `folder`. @returns what makes isolates of it */
export async function isolatesOf(folder: string, bindings: Bindings): Promise<() => Isolate> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'functions/worker.ts')],
    bundle: true,
    format: 'cjs',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    write: false,
  })
  const script = new Script(
    `(function (module, require, console, AbortSignal, caches) {${outputFiles[0]!.text}\n})`,
  )
  const bodies = new Map<string, Response>()
  /** All isolates share it. */
  const cache = {
    match: async (url: string) => bodies.get(url)?.clone(),
    put: async (url: string, response: Response) => void bodies.set(url, response),
  }
  const caches = { open: async () => cache }
  return () => {
    const module = { exports: {} as { default: Handlers } }
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    script.runInThisContext()(module, () => ({}), { log }, Patience, caches)
    return isolateOf(module.exports.default, bindings, lines)
  }
}

/** `log` is what this one has logged. */
function isolateOf(worker: Handlers, bindings: Bindings, log: string[]): Isolate {
  const waiting: unknown[] = []
  const queue = {
    send: async (body: unknown) => void waiting.push(body),
    sendBatch: async (messages: { body: unknown }[]) =>
      void waiting.push(...messages.map(({ body }) => body)),
  }
  const env = { ...bindings, WEBHOOK_EVENTS: queue, IMPORTS: queue }
  /** Waits for what goes on after the answer too. @throws Error after a failure, since the day would not be the one to count */
  async function invoke<Result>(handler: (execution: object) => Promise<Result>): Promise<Result> {
    const deferred: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>) => void deferred.push(work)
    const result = await handler({ waitUntil })
    while (deferred.length > 0) await Promise.all(deferred.splice(0))
    const failure = log.splice(0).find((line) => line.includes('"error":{'))
    if (failure) throw new Error(`The Worker logged ${failure}`)
    return result
  }
  return {
    fetch: (input, init) => invoke((execution) => worker.fetch(new Request(input, init), env, execution)),
    cron: () => invoke((execution) => worker.scheduled({ scheduledTime: Date.now() }, env, execution)),
    async drain() {
      const messages = waiting.splice(0).map((body) => ({ body, ack() {}, retry: refuseRetry }))
      if (messages.length > 0) await invoke((execution) => worker.queue({ messages }, env, execution))
      return messages.length
    },
  }
}

function refuseRetry() {
  throw new Error('The consumer wants a message again')
}
