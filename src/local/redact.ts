import { homedir } from 'node:os'
import { SECRET_PREFIXES } from '../core/log.ts'

/** Shorter ones would match everywhere. */
const MIN_SECRET_LENGTH = 8

const PATTERNS: [RegExp, string][] = [
  [new RegExp(`(${SECRET_PREFIXES.source})[\\w+/=-]+`, 'g'), '$1[redacted]'],
  [/([?&]token=)[^\s&"'<>]+/gi, '$1[redacted]'],
  [/(\bBearer\s+)[^\s"',]+/gi, '$1[redacted]'],
  [/(\b[a-z][a-z\d+.-]*:\/\/)[^\s/@"']+@/gi, '$1[redacted]@'],
]

/** Redacts the Worker's log. Secrets are redacted in part, too; `places` lists the innermost folders first. */
export function redactor(secrets: string[], places: Record<string, string>): (line: string) => string {
  const hidden = secrets.flatMap(partsOf).filter((part) => part.length >= MIN_SECRET_LENGTH)
  const named = Object.entries({ ...places, [homedir()]: '~' }).filter(([folder]) => folder.length > 1)
  return (line) => {
    let redacted = line
    for (const part of hidden) redacted = redacted.replaceAll(part, '[redacted]')
    for (const [pattern, instead] of PATTERNS) redacted = redacted.replace(pattern, instead)
    for (const [folder, name] of named) redacted = redacted.replaceAll(folder, name)
    return redacted
  }
}

// Password of a connection string, entries of a list, and entries without their names; longest first.
function partsOf(secret: string): string[] {
  if (URL.canParse(secret) && secret.includes('://')) {
    const { password } = new URL(secret)
    return password ? [secret, password, decodeURIComponent(password)] : []
  }
  const entries = secret.split(',')
  return [secret, ...entries, ...entries.map((entry) => entry.replace(/^[\w-]+:/, ''))]
}
