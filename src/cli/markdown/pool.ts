/**
 * Converts files on all processors. Each file has a time and a memory limit, since some Markdown takes its
 * parser hours.
 */
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Document } from './document.ts'
import type { Skipped } from './folder.ts'
import type { Answer } from './worker.ts'

const FILE_TIMEOUT_MS = 20_000
const MAX_THREADS = 8
const THREAD_MEMORY_MB = 2048

/**
 * Converts `files` (relative to `root`), calling `onDone` with the number done after each. The documents come back
 * in the files' order; files that could not be converted are in `skipped` with the reason.
 */
export async function convertFiles(
  root: string,
  files: string[],
  onDone: (done: number) => void = () => {},
  timeoutMs = FILE_TIMEOUT_MS,
): Promise<{ documents: Document[]; skipped: Skipped[] }> {
  const answers = new Map<string, Answer>()
  const waiting = [...files].reverse()
  const threads = Math.min(availableParallelism(), MAX_THREADS, files.length)

  async function work(): Promise<void> {
    let thread: Worker | undefined
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      thread ??= await startThread(root)
      const answer = await ask(thread, file, timeoutMs)
      answers.set(
        file,
        answer ?? { reason: `takes longer than ${timeoutMs / 1000} s or too much memory to convert` },
      )
      if (answer === null) {
        await thread.terminate()
        thread = undefined
      }
      onDone(answers.size)
    }
    await thread?.terminate()
  }

  await Promise.all(Array.from({ length: threads }, work))
  const documents: Document[] = []
  const skipped: Skipped[] = []
  for (const file of files) {
    const answer = answers.get(file)
    if (answer && 'document' in answer) documents.push(answer.document)
    else skipped.push({ file, reason: answer?.reason ?? 'not converted' })
  }
  return { documents, skipped }
}

/** A thread that is ready, so that its start does not count towards a file's time limit. */
async function startThread(root: string): Promise<Worker> {
  const thread = new Worker(join(import.meta.dirname, 'worker.ts'), {
    workerData: root,
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEMORY_MB },
  })
  await once(thread, 'message')
  return thread
}

/** The thread's answer; null when it died or did not answer in time. */
function ask(thread: Worker, file: string, timeoutMs: number): Promise<Answer | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), timeoutMs)
    const onMessage = (answer: Answer) => finish(answer)
    const onEnd = () => finish(null)
    function finish(answer: Answer | null): void {
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
