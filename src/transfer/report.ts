/** The report of an import: outcomes, losses and skipped articles. */
import type { ArticleKind } from '../content/model/article-filters.ts'
import type { Schemas } from './routes.ts'
import type { Loss, Skipped } from './source.ts'

type Outcome = Schemas['PutResult']['outcome']

/** A linked or embedded file; `to` is its new address, null if it is unchanged. */
export type Image = { file: string; src: string; to: string | null }

export type Report = {
  /** In a dry run, `outcomes` are predictions. `isUndated` marks an article that is published without a date. */
  put(
    outcomes: { outcome: Outcome; file: string; kind: ArticleKind; slug: string; isUndated: boolean }[],
  ): void
  skip(skipped: Skipped): void
  lose(loss: Loss): Promise<void>
  image(image: Image): Promise<void>
  /** Adds named lines about anything other than articles. */
  add(rest: Record<string, unknown>): void
  done(): number
  putSoFar(): number
  /** False if something was skipped that may be an article. */
  isWhole(): boolean
  close(): Promise<void>
}
