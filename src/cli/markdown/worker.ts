/** A thread of the pool: reads and converts one file at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Outline, pageName, readDocument } from './document.ts'
import { reasonOf } from './folder.ts'

export type Folder = { root: string; files: string[] }

/** `content` is the JSON of a `Content`, which goes to a file unread. */
export type Converted = { outline: Outline; content: string }
export type Answer = Converted | { reason: string }

const { root, files } = workerData as Folder
const pages = new Set(files.map(pageName))

parentPort?.on('message', async (file: string) => {
  let answer: Answer
  try {
    const { article, losses, held, expiresAt, ...outline } = await readDocument(root, file, pages)
    answer = { outline, content: JSON.stringify({ article, losses, held, expiresAt }) }
  } catch (error) {
    answer = { reason: error instanceof RangeError ? 'nested too deeply' : reasonOf(error) }
  }
  parentPort?.postMessage(answer)
})

parentPort?.postMessage('ready')
