/** Memory that processes of this machine have. */
import { readFile } from 'node:fs/promises'

/** Memory of all processes together, in MiB. Linux only. */
export async function residentMib(pids: number[]): Promise<number> {
  let kib = 0
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    kib += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }
  return kib / 1_024
}
