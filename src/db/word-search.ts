import { type AnyColumn, and, or, type SQL, sql } from 'drizzle-orm'
import { foldCase, likeSubstring, withoutInvisible, wordsOf } from '../core/fold.ts'

/** Matches words in any order and without diacritics, in the title key or the folded slug. Null is not searched. */
export function matchesWords(
  search: string | null,
  title: SQL | AnyColumn | null,
  slug: SQL | AnyColumn | null,
): SQL | undefined {
  const conditions = wordsOf(withoutInvisible(search ?? '')).map((word) => {
    const inTitle =
      title && sql`${title} like without_diacritics(${anySeparator(likeSubstring(foldCase(word)))})`
    const inSlug =
      slug &&
      sql`without_diacritics(${slug}) like without_diacritics(lower(${anySeparator(likeSubstring(word.normalize('NFC')))}))`
    return or(inTitle ?? undefined, inSlug ?? undefined)
  })
  return and(...conditions)
}

/** LIKE's `_` matches any separator: `18.0.0` finds `18-0-0`, `open-source` finds `open source`, and `'` finds `’`. */
function anySeparator(pattern: string): string {
  return pattern.replace(/(?<=[\p{L}\p{N}])(?:[.'’ʼ-]|\\_)(?=[\p{L}\p{N}])/gu, '_')
}
