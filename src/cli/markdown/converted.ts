import type { CacheKey, FolderDependencies } from './dependencies.ts'
import { type Outline, toDocument } from './document.ts'
import { readSource } from './folder.ts'

/** `content` is the JSON of a `Content`, which is written to a file unparsed. */
export type Converted = { outline: Outline; content: string; made: CacheKey }

/** @throws Error with a one-line reason */
export async function convertFile(
  root: string,
  file: string,
  dependencies: FolderDependencies,
): Promise<Converted> {
  const bytes = await readSource(root, file)
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
