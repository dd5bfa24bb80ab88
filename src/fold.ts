/**
 * Folds case for the title search the same way on every database: full Unicode case folding by way of upper
 * case (`ß` = `SS`), final sigma and the dotted and dotless i made equal to their plain forms.
 */
export function fold(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll('i\u0307', 'i')
}
