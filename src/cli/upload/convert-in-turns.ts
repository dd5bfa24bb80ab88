/** Converts a folder in a Worker: one file after another, in turns that keep their results. */
import { type Answer, convertFile } from '../markdown/converted.ts'
import { readDependencies } from '../markdown/dependencies.ts'
import type { ConvertFolder } from '../markdown/source.ts'
import { checkMarkdown } from './worker-limits.ts'

/** Some seconds of CPU, of the 30 that Workers give. */
const TURN_BYTES = 4 * 2 ** 20
/** Kept together, so that a killed Worker repeats little. */
const KEPT_BYTES = 512 * 1024

type FileAnswer = { file: string; answer: Answer }

export type Checkpoints = {
  restore(): AsyncIterable<string>
  /** `done` counts the files so far, of `total`. */
  keep(answers: string, progress: { done: number; total: number }): Promise<void>
}

/** Thrown at the end of a turn that left something to convert. */
export class TurnEnded extends Error {}

export const convertInTurns =
  ({ restore, keep }: Checkpoints): ConvertFolder =>
  async (folder, generator, { take, skip }) => {
    const { root, files } = folder
    const dependencies = await readDependencies(folder, generator)
    const done = new Set<string>()
    const record = async ({ file, answer }: FileAnswer) => {
      done.add(file)
      if ('outline' in answer) await take(answer)
      else skip({ file, ...answer })
    }
    for await (const answers of restore())
      for (const one of JSON.parse(answers) as FileAnswer[]) await record(one)
    let waiting: FileAnswer[] = []
    let [turnBytes, waitingBytes] = [0, 0]
    const keepWaiting = async () => {
      if (waiting.length > 0) await keep(JSON.stringify(waiting), { done: done.size, total: files.length })
      waiting = []
      waitingBytes = 0
    }
    for (const file of files.filter((each) => !done.has(each))) {
      if (turnBytes > TURN_BYTES) {
        await keepWaiting()
        throw new TurnEnded()
      }
      const check = (bytes: Uint8Array) => {
        turnBytes += bytes.length
        waitingBytes += bytes.length
        checkMarkdown(new TextDecoder().decode(bytes))
      }
      const one = { file, answer: await convertFile(root, file, dependencies, check) }
      await record(one)
      waiting.push(one)
      if (waitingBytes > KEPT_BYTES) await keepWaiting()
    }
    await keepWaiting()
  }
