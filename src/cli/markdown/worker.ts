import { parentPort, workerData } from 'node:worker_threads'
import { convertFile } from './converted.ts'
import { type Folder, readDependencies } from './dependencies.ts'

const folder = workerData as Folder
const dependencies = readDependencies(folder)

parentPort?.on('message', async (file: string) => {
  parentPort?.postMessage(await convertFile(folder.root, file, await dependencies))
})

// The bundled code of a thread cannot use top-level await.
dependencies.then(() => parentPort?.postMessage('ready'))
