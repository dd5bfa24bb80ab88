/**
 * Converts files on all processors. Each file has limits of time and memory that go with its size, since some Markdown takes
 * its parser hours. The threads are small, as a thread takes what memory it may; a file that needs more gets a large one.
 */
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { Skipped } from './folder.ts'
import type { Answer, Converted, Folder } from './worker.ts'

const MAX_THREADS = 8
const SMALL = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/** Several times what a busy laptop takes: 1 s and 64 MB for 20 KB, 6 s and 256 MB for 1 MiB. */
const timeoutFor = (mib: number) => Math.min(60, Math.ceil(10 + 30 * mib)) * 1_000
const largeFor = (mib: number) => ({
  maxOldGenerationSizeMb: Math.min(2048, Math.ceil(256 + 512 * mib)),
  maxYoungGenerationSizeMb: 16,
})

/** A thread that did not answer in time, or ran out of memory. */
type End = 'late' | 'ended'

/**
 * Converts `files` (relative to `root`), in whatever order they are done; files that could not be converted are given to
 * `skip` with the reason. The next file of a thread waits for `take`.
 */
export async function convertFiles(
  { root, files, others = [] }: Pick<Folder, 'root' | 'files'> & Partial<Folder>,
  { take, skip }: { take: (converted: Converted) => Promise<void>; skip: (skipped: Skipped) => void },
  timeoutMs?: number,
): Promise<void> {
  const threads = Math.min(availableParallelism(), MAX_THREADS, files.length)
  let next = 0
  let enlarged: Promise<unknown> = Promise.resolve()

  async function work(): Promise<void> {
    let thread: Worker | undefined
    try {
      for (let file = files[next++]; file !== undefined; file = files[next++]) {
        thread ??= await startThread({ root, files, others }, SMALL)
        // Of a file that is gone the thread says so.
        const mib = await stat(join(root, file)).then(
          ({ size }) => size / 2 ** 20,
          () => 0,
        )
        const limitMs = timeoutMs ?? timeoutFor(mib)
        let answer = await ask(thread, file, limitMs)
        if (typeof answer === 'string') {
          await thread.terminate()
          thread = undefined
        }
        if (answer === 'ended') answer = await oneByOne(file, mib, limitMs)
        await tell(file, answer, limitMs)
      }
    } finally {
      await thread?.terminate()
    }
  }

  /** At a time there is one large thread. */
  function oneByOne(file: string, mib: number, limitMs: number): Promise<Answer | End> {
    const turn = enlarged.then(async () => {
      const thread = await startThread({ root, files, others }, largeFor(mib))
      try {
        return await ask(thread, file, limitMs)
      } finally {
        await thread.terminate()
      }
    })
    enlarged = turn.catch(() => {})
    return turn
  }

  async function tell(file: string, answer: Answer | End, limitMs: number): Promise<void> {
    if (answer === 'late') skip({ file, reason: `takes longer than ${limitMs / 1000} s to convert` })
    else if (answer === 'ended') skip({ file, reason: 'takes too much memory to convert' })
    else if ('outline' in answer) await take(answer)
    else skip({ file, reason: answer.reason })
  }

  await Promise.all(Array.from({ length: threads }, work))
}

/** A thread that is ready, so that its start does not count towards a file's time limit. */
async function startThread(workerData: Folder, resourceLimits: ResourceLimits): Promise<Worker> {
  const thread = new Worker(join(import.meta.dirname, 'worker.ts'), {
    workerData,
    resourceLimits,
  })
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
