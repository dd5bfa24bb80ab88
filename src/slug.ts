/** Letters, marks and digits of any script and `-`, `_`, `.`, `~`; neither `.` nor `..`, which URLs swallow. */
export const SLUG = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.~-]{1,200}$/u

export const SLUG_RULE = 'must be 1 to 200 letters, digits, "-", "_", "." or "~"'
