/** A thread of the pool: reads and converts one file at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Document, readDocument } from './document.ts'
import { reasonOf } from './folder.ts'

export type Answer = { document: Document } | { reason: string }

parentPort?.on('message', async (file: string) => {
  let answer: Answer
  try {
    answer = { document: await readDocument(workerData as string, file) }
  } catch (error) {
    answer = { reason: error instanceof RangeError ? 'nested too deeply' : reasonOf(error) }
  }
  parentPort?.postMessage(answer)
})

parentPort?.postMessage('ready')
