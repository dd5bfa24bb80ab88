import { parentPort, workerData } from 'node:worker_threads'
import type { Skipped } from '../../transfer/source.ts'
import { type Converted, convertFile } from './converted.ts'
import { type Folder, readDependencies } from './dependencies.ts'
import { NoArticle, reasonOf } from './folder.ts'

export type Answer = Converted | Omit<Skipped, 'file'>

const folder = workerData as Folder
const dependencies = readDependencies(folder)

parentPort?.on('message', async (file: string) => {
  let answer: Answer
  try {
    answer = await convertFile(folder.root, file, await dependencies)
  } catch (error) {
    const reason = error instanceof RangeError ? 'nested too deeply' : reasonOf(error)
    answer = { reason, isNoArticle: error instanceof NoArticle }
  }
  parentPort?.postMessage(answer)
})

// The bundled code of a thread cannot use top-level await.
dependencies.then(() => parentPort?.postMessage('ready'))
