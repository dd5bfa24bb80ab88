/** Without `.` and `..`, because URLs normalise them away. */
export const SLUG = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.~-]{1,200}$/u

export const SLUG_RULE = 'must be 1 to 200 letters, digits, "-", "_", "." or "~"'

/** A sitemap URL may have 2,048 characters, with its host and the rest of its path. */
export const MAX_ENCODED_LENGTH = 1_200

/** Returns the stored form, in NFC. Null if it is not a slug. */
export function parseSlug(slugText: string): string | null {
  const slug = slugText.normalize('NFC')
  return SLUG.test(slug) ? slug : null
}

/** `slug` is in NFC. Returns the rule that it breaks. */
export function slugProblem(slug: string): string | null {
  if (!SLUG.test(slug)) return SLUG_RULE
  if (encodeURIComponent(slug).length <= MAX_ENCODED_LENGTH) return null
  return `must be at most ${MAX_ENCODED_LENGTH} characters when percent-encoded`
}

const SUGGESTED_LENGTH = 80

/** `how-to-true-a-wheel` for `How to true a wheel?`. Empty if the title has no letter or digit. */
export function suggestSlug(title: string): string {
  const words =
    title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  const slug = words.reduce((made, word) => {
    const longer = made ? `${made}-${word}` : word
    return made && longer.length > SUGGESTED_LENGTH ? made : longer
  }, '')
  // By code point, because half of one is no letter.
  return [...slug].slice(0, SUGGESTED_LENGTH).join('')
}
