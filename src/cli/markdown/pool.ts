/**
 * Converts files on all processors. Each file has a time and a memory limit, since some Markdown takes its
 * parser hours. The threads are small, as a thread takes what memory it may; a file that needs more gets a large one.
 */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import type { Skipped } from './folder.ts'
import type { Answer, Converted } from './worker.ts'

const FILE_TIMEOUT_MS = 60_000
const MAX_THREADS = 8
const SMALL = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }
const LARGE = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 16 }

/** A thread that did not answer in time, or ran out of memory. */
type End = 'late' | 'ended'

/**
 * Converts `files` (relative to `root`), in whatever order they are done; files that could not be converted are given to
 * `skip` with the reason. The next file of a thread waits for `take`.
 */
export async function convertFiles(
  root: string,
  files: string[],
  { take, skip }: { take: (converted: Converted) => Promise<void>; skip: (skipped: Skipped) => void },
  timeoutMs = FILE_TIMEOUT_MS,
): Promise<void> {
  const threads = Math.min(availableParallelism(), MAX_THREADS, files.length)
  let next = 0
  let enlarged: Promise<unknown> = Promise.resolve()

  async function work(): Promise<void> {
    let thread: Worker | undefined
    try {
      for (let file = files[next++]; file !== undefined; file = files[next++]) {
        thread ??= await startThread(root, SMALL)
        let answer = await ask(thread, file, timeoutMs)
        if (typeof answer === 'string') {
          await thread.terminate()
          thread = undefined
        }
        if (answer === 'ended') answer = await oneByOne(file)
        await tell(file, answer)
      }
    } finally {
      await thread?.terminate()
    }
  }

  /** At a time there is one large thread. */
  function oneByOne(file: string): Promise<Answer | End> {
    const turn = enlarged.then(async () => {
      const thread = await startThread(root, LARGE)
      try {
        return await ask(thread, file, timeoutMs)
      } finally {
        await thread.terminate()
      }
    })
    enlarged = turn.catch(() => {})
    return turn
  }

  async function tell(file: string, answer: Answer | End): Promise<void> {
    if (answer === 'late') skip({ file, reason: `takes longer than ${timeoutMs / 1000} s to convert` })
    else if (answer === 'ended') skip({ file, reason: 'takes too much memory to convert' })
    else if ('outline' in answer) await take(answer)
    else skip({ file, reason: answer.reason })
  }

  await Promise.all(Array.from({ length: threads }, work))
}

/** A thread that is ready, so that its start does not count towards a file's time limit. */
async function startThread(root: string, resourceLimits: ResourceLimits): Promise<Worker> {
  const thread = new Worker(join(import.meta.dirname, 'worker.ts'), {
    workerData: root,
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
