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
