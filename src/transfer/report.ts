/** The report of an import: outcomes, losses and skipped articles. */
import type { ArticleKind } from '../content/model/article-filters.ts'
import type { Schemas } from './routes.ts'
import type { Article, Loss, Skipped } from './source.ts'

type Outcome = Schemas['PutResult']['outcome']

/** A linked or embedded file; `to` is its new address, null if it is unchanged. */
export type Image = { file: string; src: string; to: string | null }

/** In a dry run, it is a prediction, and has a title and a status. `isUndated` marks an article that is published without a date. */
export type Put = {
  outcome: Outcome
  file: string
  kind: ArticleKind
  slug: string
  isUndated: boolean
} & Partial<Pick<Article, 'title' | 'status'>>

export type Report = {
  put(outcomes: Put[]): void
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
