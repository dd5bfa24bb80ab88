/** CPU seconds that processes of this machine have used. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { query } from '../support/databases.ts'

const TICKS_PER_SECOND = 100

/** CPU seconds of a process and its threads, to a hundredth. */
export async function cpuSeconds(pid: number): Promise<number> {
  if (process.platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'cputime=', '-p', String(pid)])
    return stdout.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name in the second field may hold anything; the fields after it are the third and on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** CPU seconds of a database's connections since the first call. Null if PostgreSQL runs on another machine. */
export function watchDatabase(url: string): () => Promise<number | null> {
  const seen = new Map<number, number>()
  let total = 0
  return async () => {
    const connections = await query(
      url,
      'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    for (const { pid } of connections) {
      const seconds = await cpuSeconds(pid).catch(() => null)
      // It has just ended, or is not a process of ours.
      if (seconds === null) continue
      total += seconds - (seen.get(pid) ?? 0)
      seen.set(pid, seconds)
    }
    return seen.size > 0 ? total : null
  }
}
