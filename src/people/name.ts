/** Names that people give: of sites, keys and operators. */
import * as z from 'zod/mini'

const PICTURE = String.raw`\p{Extended_Pictographic}`
/** Of scripts whose words need a joiner or a non-joiner to be written right. */
const LETTER = String.raw`(?=\p{L})[${[
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')}]`

/** Where they can be seen: what makes a picture colourful, joins pictures to one, or shapes letters. */
const SEEN = [
  String.raw`(?<=${PICTURE})\ufe0f`,
  String.raw`(?<=${PICTURE}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=${PICTURE})`,
  String.raw`(?<=${LETTER}\p{M}*)[\u200c\u200d](?=\p{M}*${LETTER})`,
].join('|')

const INVISIBLE = new RegExp(
  String.raw`(?!${SEEN})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`,
  'u',
)

export const Name = z.string().check(
  z.trim(),
  z.normalize('NFC'),
  z.minLength(1),
  z.maxLength(200),
  // With them, a name could look like another's.
  z.refine((name) => !INVISIBLE.test(name), 'must not contain invisible characters'),
)
