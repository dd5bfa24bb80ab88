import * as z from 'zod/mini'

const PICTURE = String.raw`\p{Extended_Pictographic}`
/** Scripts whose spelling needs joiners or non-joiners. */
const LETTER = String.raw`(?=\p{L})[${[
  ...['Arabic', 'Syriac', 'Mongolian', 'Nko', 'Devanagari', 'Bengali', 'Gurmukhi', 'Gujarati', 'Oriya'],
  ...['Tamil', 'Telugu', 'Kannada', 'Malayalam', 'Sinhala'],
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .join('')}]`

/** Invisible characters with a visible effect: they colour or join emoji, or shape letters. */
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
  // Prevents names that look like another's.
  z.refine((name) => !INVISIBLE.test(name), 'must not contain invisible characters'),
)
