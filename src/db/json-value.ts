import type { Issue } from '../core/errors.ts'

const MAX_DEPTH = 64
const MAX_ENTRIES = 10_000
/** Beyond these, Postgres writes numbers out with hundreds of digits. */
const LARGEST = 1e21
const SMALLEST = 1e-15

type Place = { value: object; parent: Place | null; key: string; depth: number }

/** Finds what Postgres cannot store and return unchanged. Without recursion, because input may be nested thousands deep. */
export function findUnstorable(root: unknown): Issue | null {
  if (typeof root !== 'object' || root === null) return fault(leafRule(root), null, '')
  const open: Place[] = [{ value: root, parent: null, key: '', depth: 1 }]
  for (let at = open.pop(); at; at = open.pop()) {
    if (at.depth > MAX_DEPTH) return fault(`must not be nested deeper than ${MAX_DEPTH} levels`, at, null)
    const entries = Object.entries(at.value)
    if (entries.length > MAX_ENTRIES) return fault(`must have at most ${MAX_ENTRIES} entries`, at, null)
    for (const [key, value] of entries) {
      const keyProblem = keyRule(key)
      if (keyProblem) return fault(`has a key that ${keyProblem}`, at, null)
      if (typeof value === 'object' && value !== null) {
        open.push({ value, parent: at, key, depth: at.depth + 1 })
      } else {
        const problem = leafRule(value)
        if (problem) return fault(problem, at, key)
      }
    }
  }
  return null
}

function leafRule(value: unknown): string | null {
  if (typeof value === 'string') return textRule(value)
  if (typeof value !== 'number' || value === 0) return null
  const size = Math.abs(value)
  return size >= LARGEST || size < SMALLEST ? 'must be 0 or a number between 1e-15 and 1e21 in size' : null
}

function keyRule(key: string): string | null {
  return key === '__proto__' ? 'must not be __proto__' : textRule(key)
}

function textRule(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL'
  return text.isWellFormed() ? null : 'must be well-formed Unicode'
}

function fault(message: string | null, at: Place | null, leaf: string | null): Issue | null {
  if (message === null) return null
  const steps: string[] = leaf ? [step(at!, leaf)] : []
  for (let place = at; place?.parent; place = place.parent) steps.push(step(place.parent, place.key))
  return { path: steps.reverse().join('').replace(/^\./, ''), message }
}

function step(parent: Place, key: string): string {
  return Array.isArray(parent.value) ? `[${key}]` : `.${key.slice(0, 100)}`
}
