/**
 * Since 2.1, the scripts of @upstash/ratelimit begin with `#!lua flags=allow-key-locking`, which Redis 7 refuses. They are
 * stored here by the SHA-1 of their original text, and always run as EVAL without that flag.
 */
import { createHash } from 'node:crypto'
import type { Outcome } from './redis-session.ts'

type Prepared = { command: string[]; finish?: (outcome: Outcome) => Outcome } | { outcome: Outcome }

/** Rewrites EVAL, EVALSHA and SCRIPT for any Redis. Other commands pass unchanged. */
export function scriptTable(): (command: string[]) => Prepared {
  const scripts = new Map<string, string>()

  // Stored before it has run, since the next command of a pipeline may use it.
  function keep(script: string) {
    const sha = createHash('sha1').update(script).digest('hex')
    const text = withoutUpstashFlag(script)
    scripts.set(sha, text)
    const finish = (outcome: Outcome) => {
      if ('error' in outcome && BROKEN.test(outcome.error)) scripts.delete(sha)
      return outcome
    }
    return { sha, text, finish }
  }

  return (command) => {
    const [name = '', first = '', ...rest] = command
    const verb = name.toUpperCase()
    switch (verb) {
      case 'EVAL':
      case 'EVAL_RO': {
        const { text, finish } = keep(first)
        return { command: [verb, text, ...rest], finish }
      }
      case 'EVALSHA':
      case 'EVALSHA_RO': {
        const text = scripts.get(first.toLowerCase())
        if (text === undefined) return { outcome: { error: 'NOSCRIPT No matching script. Please use EVAL.' } }
        return { command: [verb.replace('SHA', ''), text, ...rest] }
      }
      case 'SCRIPT':
        return manage(first.toUpperCase(), rest)
      default:
        return { command }
    }
  }

  function manage(verb: string, args: string[]): Prepared {
    if (verb === 'LOAD' && args.length === 1) {
      const { sha, text, finish } = keep(args[0]!)
      const finishLoad = (outcome: Outcome) => ('error' in outcome ? finish(outcome) : { result: sha })
      return { command: ['SCRIPT', 'LOAD', text], finish: finishLoad }
    }
    if (verb === 'EXISTS') {
      return { outcome: { result: args.map((sha) => (scripts.has(sha.toLowerCase()) ? 1 : 0)) } }
    }
    if (verb === 'FLUSH') {
      scripts.clear()
      return { outcome: { result: 'OK' } }
    }
    const error = `ERR Unknown SCRIPT subcommand or wrong number of arguments for '${verb}'`
    return { outcome: { error } }
  }
}

/** Redis's errors for a script that cannot run at all. */
const BROKEN = /^ERR (Error compiling script|.* script shebang)/

export function withoutUpstashFlag(script: string): string {
  return script.replace(/^#![^\n]*/, (line) =>
    line.replace(/ flags=(\S*)/, (_, list: string) => {
      const flags = list.split(',').filter((flag) => flag !== 'allow-key-locking')
      return flags.length > 0 ? ` flags=${flags.join(',')}` : ''
    }),
  )
}
