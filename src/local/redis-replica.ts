/**
 * A leader and a lagging replica, as on Upstash: writes and scripts that write run on the leader, and either may answer a
 * read. One Redis serves as both: for `lagMs` after a write, the replica shows a copy of the old value.
 */
import { getKeyIndexes, hasFlag } from '@ioredis/commands'
import type { Outcome, RedisBackEnd } from './redis-session.ts'

const SHADOW = ':before-the-last-write'
const REFUSED_WRITE = /not allowed from read-only scripts/

export function withReplica(leader: RedisBackEnd, lagMs: number, onReplicaRead: () => void): RedisBackEnd {
  const behind = new Set<string>()

  async function run(command: string[]): Promise<Outcome> {
    if (Math.random() < 0.5) {
      const outcome = await askReplica(command)
      if (outcome) return outcome
    }
    return isRead(command) ? only(await leader.pipeline([command])) : write(command)
  }

  async function askReplica(command: string[]): Promise<Outcome | null> {
    const read = asRead(command)
    if (!read) return null
    const keys = new Set(keyIndexes(read))
    const onReplica = read.map((part, at) => (keys.has(at) && behind.has(part) ? part + SHADOW : part))
    const outcome = only(await leader.pipeline([onReplica]))
    if ('error' in outcome && REFUSED_WRITE.test(outcome.error)) return null
    onReplicaRead()
    return outcome
  }

  async function write(command: string[]): Promise<Outcome> {
    const undo = keepOld([command])
    try {
      return (await leader.pipeline([...undo.copies, command])).at(-1)!
    } finally {
      undo.later()
    }
  }

  /** Commands that copy the current values, to run before the writes. `later` ends the lag. */
  function keepOld(commands: string[][]) {
    const written = commands.flatMap((command) => keyIndexes(command).map((at) => command[at]!))
    const keys = [...new Set(written)].filter((key) => !behind.has(key))
    for (const key of keys) behind.add(key)
    const copies = keys.flatMap((key) => [
      ['DEL', key + SHADOW],
      ['COPY', key, key + SHADOW],
    ])
    const catchUp = () => {
      for (const key of keys) behind.delete(key)
      leader.pipeline(keys.map((key) => ['DEL', key + SHADOW])).catch(() => {})
    }
    return { copies, later: () => keys.length > 0 && setTimeout(catchUp, lagMs).unref() }
  }

  return {
    async pipeline(commands) {
      const outcomes: Outcome[] = []
      for (const command of commands) outcomes.push(await run(command))
      return outcomes
    },
    async transaction(commands) {
      const { copies, later } = keepOld(commands)
      await leader.pipeline(copies)
      return leader.transaction(commands).finally(later)
    },
    close: () => leader.close(),
  }
}

const only = ([outcome]: Outcome[]): Outcome => outcome!

/** Null for a command that may write. Upstash may run a script on a replica if it writes nothing. */
function asRead(command: string[]): string[] | null {
  const [name = '', script = '', ...rest] = command
  // With a flags line, Redis refuses a script before it runs.
  if (name.toUpperCase() === 'EVAL') return ['EVAL_RO', script.replace(/^#![^\n]*/, ''), ...rest]
  return isRead(command) ? command : null
}

function isRead([name = '']: string[]): boolean {
  try {
    return hasFlag(name.toLowerCase(), 'readonly')
  } catch {
    return false
  }
}

function keyIndexes([name = '', ...args]: string[]): number[] {
  try {
    return getKeyIndexes(name.toLowerCase(), args).map((at) => at + 1)
  } catch {
    return []
  }
}
