/** What an import tells of: what was put, and what was not taken over. */
import type { ArticleKind } from '../content/model/article-filters.ts'
import type { Schemas } from './routes.ts'
import type { Loss, Skipped } from './source.ts'

type Outcome = Schemas['PutResult']['outcome']

/** An image, or another file, that an article shows or links to; `to` is its new address, null if it stays. */
export type Image = { file: string; src: string; to: string | null }

export type Report = {
  /** How many articles were put, or would be in a dry run. `isUndated` says that one is published without a date. */
  put(
    outcomes: { outcome: Outcome; file: string; kind: ArticleKind; slug: string; isUndated: boolean }[],
  ): void
  skip(skipped: Skipped): void
  lose(loss: Loss): Promise<void>
  image(image: Image): Promise<void>
  /** What was brought besides articles, by name. */
  add(rest: Record<string, unknown>): void
  /** How many articles it knows of, the skipped ones included. */
  done(): number
  putSoFar(): number
  /** Whether nothing was skipped that may be an article. */
  isWhole(): boolean
  close(): Promise<void>
}
