/**
 * What the conversion of a file is told besides its bytes: by the generator of the folder, and of the files in it. It knows no
 * more than what it asks, so its result holds as long as each question has the same answer.
 */
import { createHash, randomUUID } from 'node:crypto'
import { basename, resolve } from 'node:path'
import { findGenerator } from './generators/find.ts'
import type { Generator } from './generators/generator.ts'
import { pagesOf } from './pages.ts'

/** `others` are the files that are no pages. */
export type Folder = { root: string; files: string[]; others: string[] }

/** What a result was made of. The digest is of the file, and of all that it was told; each question is JSON. */
export type Made = { digest: string; asked: string[] }

type Answers = Generator & {
  /** Whether the folder has a page of that name. */
  isPage: (name: string) => boolean
}

export type Surroundings = {
  /** The name of the folder itself. */
  name: string
  /** The answers, of which each question is noted in `asked`. */
  noting(asked: Set<string>): Answers
  digestOf(file: string, bytes: Uint8Array, asked: string[]): Promise<string>
}

/** `generator` is that of the folder, where it is known. */
export async function surroundingsOf(
  { root, files, others }: Folder,
  generator?: Generator,
): Promise<Surroundings> {
  const name = basename(resolve(root))
  generator ??= await findGenerator(root, files)
  const answers = { ...generator, isPage: pagesOf(files, generator.isVault ? others : []) }
  const known = written(Object.entries(answers).filter(([, member]) => typeof member !== 'function'))

  async function answerTo(question: string): Promise<unknown> {
    const [about, ...of] = JSON.parse(question) as [keyof Answers, ...unknown[]]
    return (answers[about] as (...of: unknown[]) => unknown)(...of)
  }

  return {
    name,
    noting(asked) {
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
      for (const question of asked) hash.update(`${written(await answerTo(question))}\n`)
      return hash.update(bytes).digest('hex')
    },
  }
}

/** As JSON that tells a text from a number or a date. What cannot be written is like nothing else. */
function written(answer: unknown): string {
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
