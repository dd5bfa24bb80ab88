/** Raise it when `foldCase` changes. The sweep then refolds older titles. */
export const FOLD_VERSION = 2

/**
 * Removes invisible characters: soft hyphens, zero-width spaces and joiners, word joiners, direction marks, variation
 * selectors. Scripts that need joiners match with and without them.
 */
export const withoutInvisible = (text: string) => text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')

/**
 * Folds case for title search, identically on every database: full Unicode case folding via upper case (`ß` = `ẞ` = `SS`).
 * Final sigma and the dotted and dotless i become their plain forms. Invisible characters are removed.
 */
export function foldCase(text: string): string {
  // Lower case first, because `ẞ` is already upper case and becomes `SS` only via its lower case.
  const folded = withoutInvisible(text).normalize('NFC').toLowerCase().toUpperCase().toLowerCase()
  return folded
    .replaceAll('ς', 'σ')
    .replace(/i\u0307+/g, 'i')
    .normalize('NFC')
}

/** A LIKE pattern for a substring, with wildcards escaped. */
export function likeSubstring(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** The distinct words of a search. */
export function wordsOf(search: string): string[] {
  return [...new Set(search.split(/\s+/u))].filter(Boolean)
}
