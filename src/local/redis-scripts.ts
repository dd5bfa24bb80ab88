/**
 * Scripts for a Redis that does not understand Upstash's: since 2.1 those of @upstash/ratelimit begin with a line
 * (`#!lua flags=allow-key-locking`) that Redis 7 and ioredis-mock refuse. Scripts are kept here by the SHA-1 of their
 * original text and always run as EVAL without that line.
 */
import { createHash } from 'node:crypto'
import type { Outcome } from './redis-session.ts'

/** A command as it can be run, or the outcome that needs no Redis. */
type Prepared = { command: string[] } | { outcome: Outcome }

/** Returns what turns EVAL, EVALSHA and SCRIPT into commands that any Redis runs; other commands pass. */
export function scriptTable(): (command: string[]) => Prepared {
  const scripts = new Map<string, string>()

  function keep(script: string): string {
    const sha = createHash('sha1').update(script).digest('hex')
    scripts.set(sha, withoutShebang(script))
    return sha
  }

  return (command) => {
    const [name = '', first = '', ...rest] = command
    switch (name.toUpperCase()) {
      case 'EVAL':
      case 'EVAL_RO':
        keep(first)
        return { command: ['EVAL', withoutShebang(first), ...rest] }
      case 'EVALSHA':
      case 'EVALSHA_RO': {
        const script = scripts.get(first.toLowerCase())
        if (script === undefined)
          return { outcome: { error: 'NOSCRIPT No matching script. Please use EVAL.' } }
        return { command: ['EVAL', script, ...rest] }
      }
      case 'SCRIPT':
        return { outcome: manage(first.toUpperCase(), rest) }
      default:
        return { command }
    }
  }

  function manage(verb: string, args: string[]): Outcome {
    if (verb === 'LOAD' && args[0] !== undefined) return { result: keep(args[0]) }
    if (verb === 'EXISTS') return { result: args.map((sha) => (scripts.has(sha.toLowerCase()) ? 1 : 0)) }
    if (verb === 'FLUSH') {
      scripts.clear()
      return { result: 'OK' }
    }
    return { error: `ERR Unknown SCRIPT subcommand or wrong number of arguments for '${verb}'` }
  }
}

// The line break stays, so that line numbers in errors are those of the original.
function withoutShebang(script: string): string {
  return script.replace(/^#!lua[^\n]*/, '')
}
