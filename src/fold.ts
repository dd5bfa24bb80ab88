/**
 * Folds case for the title search the same way on every database: full Unicode case folding by way of upper
 * case (`ß` = `ẞ` = `SS`), final sigma and the dotted and dotless i made equal to their plain forms.
 */
export function fold(text: string): string {
  // Lower case first: `ẞ` is upper case already, and only its small form becomes `SS`.
  const folded = text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC')
}

/** A pattern of SQL's LIKE that finds the text anywhere, as it stands. */
export function likeSubstring(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
