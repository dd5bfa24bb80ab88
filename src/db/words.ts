/** Finding by words, in any order, as people type them. */
import { type AnyColumn, and, or, type SQL, sql } from 'drizzle-orm'
import { foldCase, likeSubstring, withoutInvisible, wordsOf } from '../core/fold.ts'

/**
 * Every word of the search is in the key of the title, unless that is null, or the slug, which the database has put in lower
 * case as it does the word. Diacritics do not matter. Undefined for no words.
 */
export function hasWords(
  search: string | null,
  title: SQL | AnyColumn | null,
  slug: SQL | AnyColumn,
): SQL | undefined {
  const conditions = wordsOf(withoutInvisible(search ?? '')).map((word) => {
    const inTitle =
      title && sql`${title} like without_diacritics(${anySeparator(likeSubstring(foldCase(word)))})`
    const inSlug = anySeparator(likeSubstring(word.normalize('NFC')))
    return or(
      inTitle ?? undefined,
      sql`without_diacritics(${slug}) like without_diacritics(lower(${inSlug}))`,
    )
  })
  return and(...conditions)
}

/**
 * Within a word, finds `18.0.0` in `18-0-0`, `open-source` in `open source` and a typographic apostrophe by a typed one: `_`
 * is any character to LIKE.
 */
function anySeparator(pattern: string): string {
  return pattern.replace(/(?<=[\p{L}\p{N}])(?:[.'’ʼ-]|\\_)(?=[\p{L}\p{N}])/gu, '_')
}
