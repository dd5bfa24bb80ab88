/** Records what a conversion asks about the rest of the folder. A cached result is valid while the answers stay the same. */
import { createHash, randomUUID } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { findGenerator } from './generators/find.ts'
import type { Generator } from './generators/generator.ts'
import { pagesOf } from './pages.ts'

/** `others` are files that are not pages. */
export type Folder = { root: string; files: string[]; others: string[] }

/** `digest` covers the file and all answers. Each question is JSON. */
export type CacheKey = { digest: string; asked: string[] }

type Answers = Generator & {
  isPage: (name: string) => boolean
}

export type FolderDependencies = {
  name: string
  /** Records each question in `asked`. */
  recording(asked: Set<string>): Answers
  digestOf(file: string, bytes: Uint8Array, asked: string[]): Promise<string>
}

export async function readDependencies(
  { root, files, others }: Folder,
  generator?: Generator,
): Promise<FolderDependencies> {
  const name = basename(resolve(root))
  generator ??= await findGenerator(root, files)
  const answers = { ...generator, isPage: pagesOf(files, generator.isVault ? others : []) }
  const known = typedJson(Object.entries(answers).filter(([, member]) => typeof member !== 'function'))

  async function answerTo(question: string): Promise<unknown> {
    const [about, ...of] = JSON.parse(question) as [keyof Answers, ...unknown[]]
    return (answers[about] as (...of: unknown[]) => unknown)(...of)
  }

  return {
    name,
    recording(asked) {
      const members = Object.entries(answers).map(([about, member]) => {
        if (typeof member !== 'function') return [about, member]
        const answer = member as (...of: unknown[]) => unknown
        return [
          about,
          (...of: unknown[]) => {
            asked.add(JSON.stringify([about, ...of]))
            return answer(...of)
          },
        ]
      })
      return Object.fromEntries(members)
    },
    async digestOf(file, bytes, asked) {
      const hash = createHash('sha256').update(`${JSON.stringify([name, file, asked])}\n${known}\n`)
      for (const question of asked) hash.update(`${typedJson(await answerTo(question))}\n`)
      return hash.update(bytes).digest('hex')
    },
  }
}

/** JSON that distinguishes texts from numbers and dates. A value that JSON cannot represent equals no other. */
function typedJson(answer: unknown): string {
  try {
    return JSON.stringify([answer], function (this: Record<string, unknown>, key, value: unknown) {
      const own = this[key]
      const isSimple = typeof own !== 'object' || own instanceof Date
      return isSimple ? `${typeof own} ${String(value)}` : value
    })
  } catch {
    return randomUUID()
  }
}
