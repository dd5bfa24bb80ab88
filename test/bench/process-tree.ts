/** The processes of a server. */
import { readdir, readFile } from 'node:fs/promises'

/** A process and all that it has started. Linux only. */
export async function treeOf(pid: number): Promise<number[]> {
  const pids = [pid]
  for (const each of pids) {
    for (const task of await readdir(`/proc/${each}/task`)) {
      const children = await readFile(`/proc/${each}/task/${task}/children`, 'utf8')
      pids.push(...children.split(' ').filter(Boolean).map(Number))
    }
  }
  return pids
}
