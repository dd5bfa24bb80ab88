/** What Postgres cannot keep of a JSON value: NUL, lone surrogates, and nesting without end. */

const MAX_DEPTH = 64

/**
 * Checks a parsed JSON value without recursion.
 *
 * @returns null when it can be stored, else where (`posts[3].title`, '' for the root) and which rule it breaks
 */
export function findUnstorable(root: unknown): { path: string; rule: string } | null {
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: '', depth: 0 }]
  for (let at = open.pop(); at; at = open.pop()) {
    const { value, path, depth } = at
    if (typeof value === 'string') {
      const rule = textRule(value)
      if (rule) return { path, rule }
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= MAX_DEPTH) return { path, rule: `must not be nested deeper than ${MAX_DEPTH} levels` }
      for (const [key, child] of Object.entries(value)) {
        if (textRule(key)) return { path, rule: `has a key that ${textRule(key)}` }
        const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`
        open.push({ value: child, path: path + step, depth: depth + 1 })
      }
    }
  }
  return null
}

function textRule(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL'
  return text.isWellFormed() ? null : 'must be well-formed Unicode'
}
