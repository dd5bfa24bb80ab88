/** A thread of the pool: reads and converts one file at a time. */
import { parentPort, workerData } from 'node:worker_threads'
import { type Outline, readDocument } from './document.ts'
import { reasonOf } from './folder.ts'
import { findGenerator } from './generators/find.ts'
import { pagesOf } from './pages.ts'

/** `others` are the files that are no pages. */
export type Folder = { root: string; files: string[]; others: string[] }

/** `content` is the JSON of a `Content`, which goes to a file unread. */
export type Converted = { outline: Outline; content: string }
export type Answer = Converted | { reason: string }

const { root, files, others } = workerData as Folder
const generator = await findGenerator(root, files)
const isPage = pagesOf(files, generator.isVault ? others : [])

parentPort?.on('message', async (file: string) => {
  let answer: Answer
  try {
    const { article, losses, held, expiresAt, ...outline } = await readDocument(root, file, {
      generator,
      isPage,
    })
    answer = { outline, content: JSON.stringify({ article, losses, held, expiresAt }) }
  } catch (error) {
    answer = { reason: error instanceof RangeError ? 'nested too deeply' : reasonOf(error) }
  }
  parentPort?.postMessage(answer)
})

parentPort?.postMessage('ready')
