/** Raise it when `foldCase` changes. The sweep then refolds older titles. */
export const FOLD_VERSION = 2

/** For example soft hyphens, zero-width spaces and joiners. Scripts that need joiners match with and without them. */
export const withoutInvisible = (text: string) => text.replace(/\p{Default_Ignorable_Code_Point}/gu, '')

/** Full Unicode case folding, the same on every database: `ß` = `ẞ` = `SS`. Final sigma and Turkish i's become plain. */
export function foldCase(text: string): string {
  // Lower case first, because `ẞ` is already upper case and becomes `SS` only via its lower case.
  const folded = withoutInvisible(text).normalize('NFC').toLowerCase().toUpperCase().toLowerCase()
  return folded
    .replaceAll('ς', 'σ')
    .replace(/i\u0307+/g, 'i')
    .normalize('NFC')
}

export function likeSubstring(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

export function wordsOf(search: string): string[] {
  return [...new Set(search.split(/\s+/u))].filter(Boolean)
}
