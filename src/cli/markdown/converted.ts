import type { Skipped } from '../../transfer/source.ts'
import type { CacheKey, FolderDependencies } from './dependencies.ts'
import { type Outline, toDocument } from './document.ts'
import { NoArticle, readSource, reasonOf } from './folder.ts'

/** `content` is the JSON of a `Content`, which is written to a file unparsed. */
export type Converted = { outline: Outline; content: string; made: CacheKey }

export type Answer = Converted | Omit<Skipped, 'file'>

/** `check` may refuse the file before it is converted. */
export async function convertFile(
  root: string,
  file: string,
  dependencies: FolderDependencies,
  check: (bytes: Uint8Array) => void = () => {},
): Promise<Answer> {
  try {
    const bytes = await readSource(root, file)
    check(bytes)
    return await convert(file, bytes, dependencies)
  } catch (error) {
    const reason = error instanceof RangeError ? 'nested too deeply' : reasonOf(error)
    return { reason, isNoArticle: error instanceof NoArticle }
  }
}

/** @throws Error with a one-line reason */
async function convert(
  file: string,
  bytes: Uint8Array,
  dependencies: FolderDependencies,
): Promise<Converted> {
  const questions = new Set<string>()
  const generator = dependencies.recording(questions)
  const inherited = await generator.inheritedBy(file)
  const around = { generator, isPage: generator.isPage, inherited }
  const { article, losses, held, isPrivate, expiresAt, isUndated, ...outline } = toDocument(
    dependencies.name,
    file,
    bytes,
    around,
  )
  const asked = [...questions]
  return {
    outline,
    content: JSON.stringify({ article, losses, held, isPrivate, expiresAt, isUndated }),
    made: { digest: await dependencies.digestOf(file, bytes, asked), asked },
  }
}
