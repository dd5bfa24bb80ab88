import type { ArticleKind } from '../../content/model/article-filters.ts'
import { slugProblem } from '../../content/model/slug.ts'
import { toSlug } from '../../transfer/slug.ts'
import { titleText } from './article.ts'

const DERIVED_LENGTH = 80

/** Drafts may have no slug yet: then it comes from the title. */
export function slugOf(written: string, title: string, kind: ArticleKind, id: number): string {
  const own = toSlug(decoded(written))
  if (own && slugProblem(own) === null) return own
  const derived = toSlug(
    [...titleText(title).toLowerCase()].slice(0, DERIVED_LENGTH).join('').replaceAll('/', '-'),
  )
  return derived && slugProblem(derived) === null ? derived : `${kind === 'posts' ? 'post' : 'page'}-${id}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
