/**
 * Converts files in threads, with limits of time and memory by file size, since some Markdown keeps its parser busy for
 * hours. Threads are few and small, since each fills the memory that it may use. Large files come last, each in its own
 * thread, and a file that needs more than usual for its size gets a larger one.
 */
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { build, stop } from 'esbuild'
import type { Skipped } from '../../transfer/source.ts'
import type { Answer, Converted } from './converted.ts'
import type { Folder } from './dependencies.ts'

/** A second thread takes 70 MB, and V8's compiler already runs in parallel to the first. */
const CORES_PER_THREAD = 2
const MAX_THREADS = 4
const SHARED_MIB = 0.25
/** With half of this, the old generation is collected twice as often. */
const limitsOf = (maxOldGenerationSizeMb: number) => ({
  maxOldGenerationSizeMb,
  maxYoungGenerationSizeMb: 24,
})
const SHARED = limitsOf(40)
const usualFor = (mib: number) => limitsOf(Math.ceil(32 + 40 * mib))
const largeFor = (mib: number) => limitsOf(Math.min(2048, Math.ceil(256 + 512 * mib)))
/** Generous: a busy laptop takes 0.2 s for 20 KB, 3 s for 1 MiB. */
const timeoutFor = (mib: number) => Math.min(60, Math.ceil(10 + 30 * mib)) * 1_000

/** Kept for a process that converts several folders. */
let bundled: Promise<string> | undefined

type Sized = { file: string; mib: number }

type End = 'late' | 'ended'

/** The order of results is arbitrary. A thread waits for `take`. With `changed`, converts only these files. */
export async function convertFiles(
  { root, files, others = [] }: Pick<Folder, 'root' | 'files'> & Partial<Folder>,
  { take, skip }: { take: (converted: Converted) => Promise<void>; skip: (skipped: Skipped) => void },
  timeoutMs?: number,
  changed = files,
): Promise<void> {
  if (changed.length === 0) return
  bundled ??= bundle()
  const code = await bundled
  const start = (limits: ResourceLimits) => startThread(code, { root, files, others }, limits)
  // The process's own value is too small for the threads, but would override their limits.
  setFlagsFromString('--max-semi-space-size=0')
  const { small, large } = await bySize(root, changed)
  const limitFor = (mib: number) => timeoutMs ?? timeoutFor(mib)
  let next = 0
  let lastTurn: Promise<unknown> = Promise.resolve()

  async function work(): Promise<void> {
    let thread: Worker | undefined
    try {
      for (let one = small[next++]; one !== undefined; one = small[next++]) {
        thread ??= await start(SHARED)
        let answer = await ask(thread, one.file, limitFor(one.mib))
        if (typeof answer === 'string') {
          await thread.terminate()
          thread = undefined
        }
        if (answer === 'ended') answer = await alone(one, largeFor(one.mib))
        await settle(one, answer)
      }
    } finally {
      await thread?.terminate()
    }
  }

  function alone({ file, mib }: Sized, limits: ResourceLimits): Promise<Answer | End> {
    const turn = lastTurn.then(async () => {
      const thread = await start(limits)
      try {
        return await ask(thread, file, limitFor(mib))
      } finally {
        await thread.terminate()
      }
    })
    lastTurn = turn.catch(() => {})
    return turn
  }

  async function settle({ file, mib }: Sized, answer: Answer | End): Promise<void> {
    if (answer === 'late') skip({ file, reason: `takes longer than ${limitFor(mib) / 1000} s to convert` })
    else if (answer === 'ended') skip({ file, reason: 'takes too much memory to convert' })
    else if ('outline' in answer) await take(answer)
    else skip({ file, ...answer })
  }

  const threads = Math.floor(availableParallelism() / CORES_PER_THREAD)
  await Promise.all(Array.from({ length: Math.min(Math.max(1, threads), MAX_THREADS, small.length) }, work))
  for (const one of large) {
    const answer = await alone(one, usualFor(one.mib))
    await settle(one, answer === 'ended' ? await alone(one, largeFor(one.mib)) : answer)
  }
}

async function bySize(root: string, files: string[]): Promise<{ small: Sized[]; large: Sized[] }> {
  const small: Sized[] = []
  const large: Sized[] = []
  for (const file of files) {
    const { size } = await stat(join(root, file)).catch(() => ({ size: 0 }))
    const mib = size / 2 ** 20
    const among = mib > SHARED_MIB ? large : small
    among.push({ file, mib })
  }
  return { small, large }
}

/** Loading 500 typed modules takes twice the memory and four times as long. `buildSync` takes 20 MB more. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'worker.ts')],
    bundle: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    write: false,
  })
  await stop()
  return outputFiles[0]?.text ?? ''
}

/** Waits until the thread is ready, so that its start does not count towards a file's time limit. */
async function startThread(
  code: string,
  workerData: Folder,
  resourceLimits: ResourceLimits,
): Promise<Worker> {
  const thread = new Worker(code, { eval: true, workerData, resourceLimits })
  await once(thread, 'message')
  return thread
}

function ask(thread: Worker, file: string, timeoutMs: number): Promise<Answer | End> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish('late'), timeoutMs)
    const onMessage = (answer: Answer) => finish(answer)
    const onEnd = () => finish('ended')
    function finish(answer: Answer | End): void {
      clearTimeout(timer)
      thread.off('message', onMessage).off('exit', onEnd)
      resolve(answer)
    }
    // An error without a listener would end the process. The thread's exit follows.
    thread.removeAllListeners('error').on('error', () => {})
    thread.on('message', onMessage).on('exit', onEnd)
    thread.postMessage(file)
  })
}
