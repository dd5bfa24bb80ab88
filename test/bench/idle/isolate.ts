/**
 * The Worker's bundle in Node, where its clock can be set: workerd has none that can. The drivers are the Worker's own, and
 * an isolate is the bundle evaluated anew, so that it knows nothing.
 */
import { timingSafeEqual } from 'node:crypto'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { build } from 'esbuild'

type Bindings = Record<string, string>
type Entrypoint = new (execution: object, env: object) => { fetch(request: Request): Promise<Response> }
type Worker = { default: Handlers; Bodies?: Entrypoint }
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

const RUNTIME = {
  WorkerEntrypoint: class {
    readonly ctx: object
    readonly env: object

    constructor(ctx: object, env: object) {
      this.ctx = ctx
      this.env = env
    }
  },
}

/** Bundles the Worker whose `functions/` and `src/` are in `folder`. @returns what makes isolates of it */
export async function isolatesOf(folder: string, bindings: Bindings): Promise<() => Isolate> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'functions/worker.ts')],
    bundle: true,
    format: 'cjs',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    write: false,
  })
  const script = new Script(`(function (module, require, console, AbortSignal) {${outputFiles[0]!.text}\n})`)
  const cache = new Map<string, Response>()
  return () => {
    const module = { exports: {} as Worker }
    const lines: string[] = []
    const log = (line: string) => void lines.push(line)
    script.runInThisContext()(module, () => RUNTIME, { log }, Patience)
    return isolateOf(module.exports, bindings, { cache, log: lines })
  }
}

/** `cache` is Workers Cache, which all isolates share; `log` is what this one has logged. */
function isolateOf(
  { default: worker, Bodies }: Worker,
  bindings: Bindings,
  { cache, log }: { cache: Map<string, Response>; log: string[] },
): Isolate {
  const waiting: unknown[] = []
  const queue = {
    send: async (body: unknown) => void waiting.push(body),
    sendBatch: async (messages: { body: unknown }[]) =>
      void waiting.push(...messages.map(({ body }) => body)),
  }
  const env = { ...bindings, WEBHOOK_EVENTS: queue }
  /** Waits for what goes on after the answer too. @throws Error after a failure, since the day would not be the one to count */
  async function invoke<Result>(handler: (execution: object) => Promise<Result>): Promise<Result> {
    const deferred: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>) => void deferred.push(work)
    const bodies = ({ props }: { props: object }) => ({
      fetch: (url: string) =>
        cached(cache, url, () => new Bodies!({ props, waitUntil }, env).fetch(new Request(url))),
    })
    const result = await handler({ waitUntil, exports: { Bodies: bodies } })
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

async function cached(cache: Map<string, Response>, url: string, answer: () => Promise<Response>) {
  const response = cache.get(url) ?? (await answer())
  if (!response.headers.get('Cache-Control')?.includes('immutable')) return response
  cache.set(url, response.clone())
  return response
}

function refuseRetry() {
  throw new Error('The consumer wants a message again')
}
