/** Letters, marks and digits of any script and `-`, `_`, `.`, `~`, but not `.` or `..`, which URLs normalise away. */
export const SLUG = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.~-]{1,200}$/u

export const SLUG_RULE = 'must be 1 to 200 letters, digits, "-", "_", "." or "~"'

/** A URL in a sitemap may have 2,048 characters, with its host and the rest of its path. */
export const MAX_ENCODED_LENGTH = 1_200

/** The stored form, in NFC, of a slug as it was typed; null if it is not a slug. */
export function parseSlug(slugText: string): string | null {
  const slug = slugText.normalize('NFC')
  return SLUG.test(slug) ? slug : null
}

/** The rule that a new slug, in NFC, breaks, or null. */
export function slugProblem(slug: string): string | null {
  if (!SLUG.test(slug)) return SLUG_RULE
  if (encodeURIComponent(slug).length <= MAX_ENCODED_LENGTH) return null
  return `must be at most ${MAX_ENCODED_LENGTH} characters when percent-encoded`
}
