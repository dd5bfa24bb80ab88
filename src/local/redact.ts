/** What the Worker's log may not keep, whoever wrote the line: secrets, keys and where things lie on this machine. */
import { homedir } from 'node:os'

/** Shorter texts than this would be found everywhere. */
const MIN_SECRET_LENGTH = 8

const PATTERNS: [RegExp, string][] = [
  [/\b(hca_[a-z]+_|whsec_)[\w+/=-]+/g, '$1[redacted]'],
  [/([?&]token=)[^\s&"'<>]+/gi, '$1[redacted]'],
  [/(\bBearer\s+)[^\s"',]+/gi, '$1[redacted]'],
  [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/@"']+@/gi, '$1[redacted]@'],
]

/**
 * Returns what makes a line fit to be kept.
 * @param secrets values that may not be seen, be it whole or by their parts
 * @param places folders and what to call them instead, the innermost first
 */
export function redactor(secrets: string[], places: Record<string, string>): (line: string) => string {
  const hidden = secrets.flatMap(partsOf).filter((part) => part.length >= MIN_SECRET_LENGTH)
  const named = Object.entries({ ...places, [homedir()]: '~' }).filter(([folder]) => folder.length > 1)
  return (line) => {
    let kept = line
    for (const part of hidden) kept = kept.replaceAll(part, '[redacted]')
    for (const [pattern, instead] of PATTERNS) kept = kept.replace(pattern, instead)
    for (const [folder, name] of named) kept = kept.replaceAll(folder, name)
    return kept
  }
}

// Of a connection string its password, of a list its entries, of an entry what follows its name; the longest first.
function partsOf(secret: string): string[] {
  if (URL.canParse(secret) && secret.includes('://')) {
    const { password } = new URL(secret)
    return password ? [secret, password, decodeURIComponent(password)] : []
  }
  const entries = secret.split(',')
  return [secret, ...entries, ...entries.map((entry) => entry.replace(/^[\w-]+:/, ''))]
}
