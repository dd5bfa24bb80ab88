/** Raise it with each change of `foldCase`: the sweep folds titles again that have an older version. */
export const FOLD_VERSION = 2

/**
 * Removes what is not seen: soft hyphens, zero-width spaces and joiners, word joiners, marks of direction, variation
 * selectors. Scripts that need joiners are found by text with and without them.
 */
export const withoutInvisible = (text: string) => text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')

/**
 * Folds case for the title search, the same on every database: full Unicode case folding through upper case
 * (`ß` = `ẞ` = `SS`). Final sigma and the dotted and dotless i become their plain forms. Invisible characters are removed.
 */
export function foldCase(text: string): string {
  // Lower case first: `ẞ` is already upper case, and only its lower case becomes `SS`.
  const folded = withoutInvisible(text).normalize('NFC').toLowerCase().toUpperCase().toLowerCase()
  return folded
    .replaceAll('ς', 'σ')
    .replace(/i\u0307+/g, 'i')
    .normalize('NFC')
}

/** A LIKE pattern that finds the text anywhere, with its wildcards escaped. */
export function likeSubstring(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** The words of a search, each once. */
export function wordsOf(search: string): string[] {
  return [...new Set(search.split(/\s+/u))].filter(Boolean)
}
