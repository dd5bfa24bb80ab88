/**
 * Converts files in threads. Each file has limits of time and memory that go with its size, since some Markdown takes its parser
 * hours. The threads are few and small, as a thread takes what memory it may: large files come last, each in a thread of its own,
 * and a file that needs more than others of its size gets a larger one.
 */
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { build, stop } from 'esbuild'
import type { Skipped } from '../../transfer/source.ts'
import type { Converted } from './converted.ts'
import type { Folder } from './surroundings.ts'
import type { Answer } from './worker.ts'

/** A second thread would take 70 MB, and the compiler works beside the first one anyway. */
const CORES_PER_THREAD = 2
const MAX_THREADS = 4
/** The most that a file may be for a thread that it shares. */
const SHARED_MIB = 0.25
/** With half the room for young objects, the old ones would be collected twice as often. */
const limitsOf = (maxOldGenerationSizeMb: number) => ({
  maxOldGenerationSizeMb,
  maxYoungGenerationSizeMb: 24,
})
const SHARED = limitsOf(40)
const usualFor = (mib: number) => limitsOf(Math.ceil(32 + 40 * mib))
const largeFor = (mib: number) => limitsOf(Math.min(2048, Math.ceil(256 + 512 * mib)))
/** Many times what a busy laptop takes: 0.2 s for 20 KB, 3 s for 1 MiB. */
const timeoutFor = (mib: number) => Math.min(60, Math.ceil(10 + 30 * mib)) * 1_000

type Sized = { file: string; mib: number }

/** A thread that did not answer in time, or ran out of memory. */
type End = 'late' | 'ended'

/**
 * Converts `files` (relative to `root`), in whatever order they are done; files that could not be converted are given to
 * `skip` with the reason. The next file of a thread waits for `take`. With `changed`, no others of the folder are converted.
 */
export async function convertFiles(
  { root, files, others = [] }: Pick<Folder, 'root' | 'files'> & Partial<Folder>,
  { take, skip }: { take: (converted: Converted) => Promise<void>; skip: (skipped: Skipped) => void },
  timeoutMs?: number,
  changed = files,
): Promise<void> {
  if (changed.length === 0) return
  const code = await bundle()
  const start = (limits: ResourceLimits) => startThread(code, { root, files, others }, limits)
  // That of the process is too small for them, and would be used instead of their limits.
  setFlagsFromString('--max-semi-space-size=0')
  const { small, large } = await bySize(root, changed)
  const limitFor = (mib: number) => timeoutMs ?? timeoutFor(mib)
  let next = 0
  let own: Promise<unknown> = Promise.resolve()

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
        await tell(one, answer)
      }
    } finally {
      await thread?.terminate()
    }
  }

  /** In a thread of its own, of which there is one at a time. */
  function alone({ file, mib }: Sized, limits: ResourceLimits): Promise<Answer | End> {
    const turn = own.then(async () => {
      const thread = await start(limits)
      try {
        return await ask(thread, file, limitFor(mib))
      } finally {
        await thread.terminate()
      }
    })
    own = turn.catch(() => {})
    return turn
  }

  async function tell({ file, mib }: Sized, answer: Answer | End): Promise<void> {
    if (answer === 'late') skip({ file, reason: `takes longer than ${limitFor(mib) / 1000} s to convert` })
    else if (answer === 'ended') skip({ file, reason: 'takes too much memory to convert' })
    else if ('outline' in answer) await take(answer)
    else skip({ file, ...answer })
  }

  const threads = Math.floor(availableParallelism() / CORES_PER_THREAD)
  await Promise.all(Array.from({ length: Math.min(Math.max(1, threads), MAX_THREADS, small.length) }, work))
  for (const one of large) {
    const answer = await alone(one, usualFor(one.mib))
    await tell(one, answer === 'ended' ? await alone(one, largeFor(one.mib)) : answer)
  }
}

async function bySize(root: string, files: string[]): Promise<{ small: Sized[]; large: Sized[] }> {
  const small: Sized[] = []
  const large: Sized[] = []
  for (const file of files) {
    // Of a file that is gone the thread says so.
    const { size } = await stat(join(root, file)).catch(() => ({ size: 0 }))
    const mib = size / 2 ** 20
    const among = mib > SHARED_MIB ? large : small
    among.push({ file, mib })
  }
  return { small, large }
}

/**
 * The code of a thread in one piece: loaded module by module, of which there are 500, and with their types, it takes twice as
 * much memory and four times as long. `buildSync` would take 20 MB more.
 */
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

/** A thread that is ready, so that its start does not count towards a file's time limit. */
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
    // Without a listener for it, the error of a thread ends the process. Its exit follows.
    thread.removeAllListeners('error').on('error', () => {})
    thread.on('message', onMessage).on('exit', onEnd)
    thread.postMessage(file)
  })
}
