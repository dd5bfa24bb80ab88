import { schemaArticle } from '../../../src/content/model/post-metadata.ts'
import type { Article } from '../../../src/transfer/source.ts'

/** The bundle's article, without the parts of every post. */
export const bundleArticle = (article: Partial<Article> = {}): Record<string, unknown> => ({
  ...schemaArticle(article),
  ...article.schemaBundle?.article,
})

export const keywordsOf = (article: Partial<Article> = {}) =>
  article.seo?.keywords ?? article.tags ?? undefined
