/** Commands that mount file systems in a private namespace, which disappear with them. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const WAYS = [
  // For any user, unless user namespaces are forbidden.
  ['unshare', '-rm'],
  // For root, where mounting is allowed.
  ['unshare', '-m'],
] as const

/** The start of the command. Undefined where it is impossible, as on systems other than Linux. */
export const mounting = WAYS.find(canMount)

function canMount([command, options]: (typeof WAYS)[number]): boolean {
  const place = mkdtempSync(join(tmpdir(), 'mount-'))
  const { status } = spawnSync(command, [options, 'mount', '-t', 'tmpfs', 'none', place])
  rmdirSync(place)
  return status === 0
}
